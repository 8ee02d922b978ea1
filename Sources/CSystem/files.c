#define _GNU_SOURCE
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
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

// Opens the folder of a path, and stores the path's last name.
static int open_folder(int folder, const char *path, const char **name) {
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    char above[PATH_MAX] = ".";
    if (slash) snprintf(above, sizeof above, "%.*s", (int)(slash == path ? 1 : slash - path), path);
    int file = openat(folder, above, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return file >= 0 ? file : -errno;
}

// Opens a name in a folder. If it is a link that may be followed, returns -ELOOP and stores where it leads.
static int open_name(int folder, const char *name, int flags, uid_t user, char *target) {
    int file = openat(folder, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
    struct stat status;
    if (file >= 0) {
        if (fstat(file, &status) == 0 && (status.st_uid == user || !S_ISREG(status.st_mode))) return file;
        close(file);
        return -EPERM;
    }
    if (errno != ELOOP) return -errno;
    // Nobody can exchange the link between the look at its owner and the look at its target.
    int link = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (link < 0) return -errno;
    ssize_t length = readlinkat(link, "", target, PATH_MAX - 1);
    int is_trusted = fstat(link, &status) == 0 && (status.st_uid == user || status.st_uid == 0);
    close(link);
    if (length < 0) return -ELOOP;
    target[length] = 0;
    return is_trusted ? -ELOOP : -EPERM;
}

int dictation_open_own(const char *path, int flags, uid_t user) {
    char rest[PATH_MAX], target[PATH_MAX];
    const char *name;
    if (strlen(path) >= sizeof rest) return -ENAMETOOLONG;
    strcpy(rest, path);
    int folder = AT_FDCWD, file = -ELOOP;
    for (int links = 0; links < 40 && file == -ELOOP; links++) {
        int above = open_folder(folder, rest, &name);
        if (folder != AT_FDCWD) close(folder);
        if (above < 0) return above;
        folder = above;
        target[0] = 0;
        file = open_name(folder, name, flags, user, target);
        strcpy(rest, target);
    }
    if (folder != AT_FDCWD) close(folder);
    return file;
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
