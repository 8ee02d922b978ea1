#define _GNU_SOURCE
#include "CDictationHelper.h"
#include "confinement.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

// The kernel's headers of older systems don't have these names. The numbers are the same for all processors.
enum { LANDLOCK_CREATE = 444, LANDLOCK_ADD = 445, LANDLOCK_RESTRICT = 446 };

static long landlock_version(void) { return syscall(LANDLOCK_CREATE, NULL, 0, 1); }

int dictation_helper_restrictions(void) {
    int files = landlock_version() >= 1 ? dictation_helper_no_other_files : 0;
    int calls = dictation_helper_has_filters() ? dictation_helper_no_network | dictation_helper_no_programs : 0;
    return dictation_helper_no_new_privileges | dictation_helper_limited_memory | files | calls;
}

// MARK: Rights

// Some rights of root lead around the other restrictions, such as into the memory of other processes. Root may need to
// read a user's model, so the two rights to open files stay, within the limits of Landlock.
void dictation_helper_drop_rights(void) {
    struct {
        uint32_t version;
        int process;
    } header = {0x20080522, 0};
    struct {
        uint32_t effective, permitted, inheritable;
    } rights[2];
    const uint32_t open_files = 1 << 1 | 1 << 2;
    if (syscall(SYS_capget, &header, rights) != 0) return;
    for (int i = 0; i < 2; i++) {
        uint32_t kept = i == 0 ? open_files : 0;
        rights[i].effective &= kept;
        rights[i].permitted &= kept;
        rights[i].inheritable = 0;
    }
    syscall(SYS_capset, &header, rights);
}

// MARK: Files

static int thread_count(void) {
    DIR *folder = opendir("/proc/self/task");
    if (!folder) return 0;
    int count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

// Returns whether a file is in /proc. There, the kernel forgets a file that nobody has open, and with it the rule.
static int is_fleeting(int place) {
    struct statfs system;
    return fstatfs(place, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

int dictation_helper_make_rules(void) {
    long version = landlock_version();
    if (version < 1) return -1;
    struct {
        uint64_t files, network, scopes;
    } all = {(1 << 13) - 1, 3, 3};
    if (version >= 2) all.files |= 1 << 13;
    if (version >= 3) all.files |= 1 << 14;
    if (version >= 5) all.files |= 1 << 15;
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    return (int)syscall(LANDLOCK_CREATE, &all, size, 0);
}

void dictation_helper_permit(int rules, int place, uint64_t access) {
    struct stat status;
    if (fstat(place, &status) != 0) return;
    struct {
        uint64_t access;
        int32_t place;
    } __attribute__((packed)) rule = {access, place};
    if (!S_ISDIR(status.st_mode)) rule.access &= ~(uint64_t)dictation_helper_read_folder;
    syscall(LANDLOCK_ADD, rules, 1 /* LANDLOCK_RULE_PATH_BENEATH */, &rule, 0);
}

void dictation_helper_permit_path(int rules, const char *path, uint64_t access) {
    int place = open(path, O_PATH | O_CLOEXEC);
    if (place < 0) return;
    dictation_helper_permit(rules, place, access);
    if (!is_fleeting(place)) close(place);
}

int dictation_helper_apply_rules(int rules) { return syscall(LANDLOCK_RESTRICT, rules, 0) == 0; }

static int restrict_files(const char *const *paths, const char *processes) {
    const uint64_t reading = dictation_helper_read_file | dictation_helper_read_folder;
    int rules = dictation_helper_make_rules();
    if (rules < 0) return 0;
    for (; *paths; paths++) dictation_helper_permit_path(rules, *paths, reading);
    dictation_helper_permit_path(rules, processes, reading);
    // The rules are for the calling thread and the threads that it starts.
    int is_alone = thread_count() == 1;
    int is_restricted = dictation_helper_apply_rules(rules);
    close(rules);
    return is_restricted && is_alone;
}

// MARK: The state of threads

// libdispatch reads the state of its threads in `/proc/THREAD/stat`, and ends the process if it can't. No rule can name
// the folders of threads that don't run yet, but each thread also has a folder within the process's own. So the filter
// stops this one call, which libdispatch makes with no other flag, and the handler opens the file there.

static int own_threads = -1;

#if defined(__x86_64__) || defined(__aarch64__)
_Static_assert(dictation_helper_trapped_open == (O_RDONLY | O_NONBLOCK), "The flags of libdispatch.");

static void open_own_state(int number, siginfo_t *info, void *context) {
    mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;
    (void)number, (void)info;
#ifdef __x86_64__
    long long *answer = &machine->gregs[REG_RAX];
    int folder = (int)machine->gregs[REG_RDI];
    const char *path = (const char *)machine->gregs[REG_RSI];
#else
    unsigned long long *answer = &machine->regs[0];
    int folder = (int)machine->regs[0];
    const char *path = (const char *)machine->regs[1];
#endif
    int code = errno;
    int is_state = strncmp(path, "/proc/", 6) == 0 && path[6] >= '0' && path[6] <= '9';
    int file = openat(is_state ? own_threads : folder, is_state ? path + 6 : path, dictation_helper_trapped_open | O_CLOEXEC);
    *answer = file < 0 ? -errno : file;
    errno = code;
}

static int can_open_own_state(void) {
    struct sigaction action = {.sa_sigaction = open_own_state, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    uint32_t trap = SECCOMP_RET_TRAP;
    if (syscall(SYS_seccomp, 2 /* SECCOMP_GET_ACTION_AVAIL */, 0, &trap) != 0) return 0;
    own_threads = open("/proc/self/task", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return own_threads >= 0 && sigaction(SIGSYS, &action, NULL) == 0;
}
#else
static int can_open_own_state(void) { return 0; }
#endif

// MARK: Memory

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

int dictation_helper_limit_memory(uint64_t size) {
    // A sanitizer needs terabytes of addresses.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    return 0;
#else
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0) return 0;
    if (limit.rlim_max > size) limit.rlim_max = size;
    limit.rlim_cur = limit.rlim_max;
    return setrlimit(RLIMIT_AS, &limit) == 0;
#endif
}

int dictation_helper_restrict(const char *const *paths, uint64_t memory) {
    int done = 0;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) done |= dictation_helper_no_new_privileges;
    dictation_helper_drop_rights();
    if (dictation_helper_limit_memory(memory)) done |= dictation_helper_limited_memory;
    int opens_own_state = can_open_own_state();
    if (restrict_files(paths, opens_own_state ? "/proc/self" : "/proc")) done |= dictation_helper_no_other_files;
    struct dictation_helper_permissions permissions = {.traps_open = opens_own_state};
    if (dictation_helper_filter_calls(permissions)) done |= dictation_helper_no_network | dictation_helper_no_programs;
    return done;
}
