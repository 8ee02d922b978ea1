#define _GNU_SOURCE
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_openat2
#define SYS_openat2 437
#endif

int dictation_open_beneath(int folder, const char *path, int flags, mode_t mode) {
    struct {
        uint64_t flags, mode, resolve;
    } how = {(unsigned int)flags, mode, 0x04 /* RESOLVE_NO_SYMLINKS */ | 0x08 /* RESOLVE_BENEATH */};
    int file = (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
    return file >= 0 ? file : -errno;
}

int dictation_exchange(int folder, const char *name, int other_folder, const char *other_name) {
    return syscall(SYS_renameat2, folder, name, other_folder, other_name, 2 /* RENAME_EXCHANGE */) == 0 ? 0 : -errno;
}

int dictation_spawn_in(void *actions, int folder) {
    return -posix_spawn_file_actions_addfchdir_np(actions, folder);
}

int dictation_open_nameless(void) {
    int file = memfd_create("dictation", MFD_CLOEXEC);
    return file >= 0 ? file : -errno;
}

int dictation_open_unlinked(const char *folder) {
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    return file >= 0 ? file : -errno;
}

int dictation_is_privileged(void) { return getauxval(AT_SECURE) != 0; }
