#define _GNU_SOURCE
#include "CDictationHost.h"

#include <signal.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

void dictation_host_confine(int first_descriptor) {
    close_range((unsigned)first_descriptor, ~0U, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
}

int dictation_host_is_privileged(void) { return getauxval(AT_SECURE) != 0; }
