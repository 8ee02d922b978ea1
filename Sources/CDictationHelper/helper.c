#define _GNU_SOURCE
#include "CDictationHelper.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

void dictation_helper_confine(int first_descriptor, int ends_with_thread) {
    close_range((unsigned)first_descriptor, ~0U, 0);
    if (ends_with_thread) prctl(PR_SET_PDEATHSIG, SIGKILL);
    dictation_helper_keep_memory_private(1);
}

void dictation_helper_keep_memory_private(int from_programs) {
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    // A program that collects crashes gets the core file whatever its limit is. This leaves no memory to write into it.
    int parts = open("/proc/self/coredump_filter", O_WRONLY | O_CLOEXEC);
    if (parts >= 0) {
        ssize_t count = write(parts, "0", 1);
        (void)count;
        close(parts);
    }
    if (from_programs) prctl(PR_SET_DUMPABLE, 0);
}

int dictation_helper_split(const int *files, int file_count) {
    // `fork` can't give the copy another parent.
    long process = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
    if (process != 0) return process < 0 ? -errno : (int)process;
    for (int i = 0; i < file_count; i++)
        if (dup2(files[i], i + 1) < 0) _exit(127);
    close_range((unsigned)file_count + 1, ~0U, 0);
    return 0;
}

int dictation_helper_make_memory(unsigned long size, int first_descriptor) {
    int low = memfd_create("dictation-audio", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (low < 0) return -1;
    int memory = fcntl(low, F_DUPFD_CLOEXEC, first_descriptor);
    close(low);
    if (memory < 0) return -1;
    if (ftruncate(memory, (off_t)size) == 0 &&
        fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        return memory;
    int code = errno;
    close(memory);
    errno = code;
    return -1;
}
