#define _GNU_SOURCE
#include "CDictationHost.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

void dictation_host_confine(int first_descriptor) {
    close_range((unsigned)first_descriptor, ~0U, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
}

int dictation_host_make_memory(unsigned long size, int first_descriptor) {
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

int dictation_host_make_waker(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
