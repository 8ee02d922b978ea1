#define _GNU_SOURCE
#include "CDictationHost.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/magic.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

// Written by hand: libseccomp would be a library and a header that every app needs, also one without a trait. A list of
// calls to refuse is short; a list of calls to permit would break with each new version of the C libraries.

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#endif

// The kernel's headers of older systems don't have these names. The numbers are the same for all processors.
enum { LANDLOCK_CREATE = 444, LANDLOCK_ADD = 445, LANDLOCK_RESTRICT = 446 };
enum { READ_FILE = 1 << 2, READ_FOLDER = 1 << 3 };

static long landlock_version(void) { return syscall(LANDLOCK_CREATE, NULL, 0, 1); }

static int has_filters(void) {
#ifdef NATIVE
    uint32_t action = SECCOMP_RET_ERRNO;
    return syscall(SYS_seccomp, 2 /* SECCOMP_GET_ACTION_AVAIL */, 0, &action) == 0;
#else
    return 0;
#endif
}

int dictation_host_restrictions(void) {
    int files = landlock_version() >= 1 ? dictation_host_no_other_files : 0;
    int calls = has_filters() ? dictation_host_no_network | dictation_host_no_programs : 0;
    return dictation_host_no_new_privileges | dictation_host_limited_memory | files | calls;
}

// MARK: Rights

// Some rights of root lead around the other restrictions, such as into the memory of other processes. Root may need to
// read a user's model, so the two rights to open files stay, within the limits of Landlock.
static void drop_rights(void) {
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

static void permit_reading(int rules, const char *path) {
    int place = open(path, O_PATH | O_CLOEXEC);
    struct stat status;
    if (place < 0) return;
    if (fstat(place, &status) == 0) {
        struct {
            uint64_t access;
            int32_t place;
        } __attribute__((packed)) rule = {READ_FILE | (S_ISDIR(status.st_mode) ? READ_FOLDER : 0), place};
        syscall(LANDLOCK_ADD, rules, 1 /* LANDLOCK_RULE_PATH_BENEATH */, &rule, 0);
    }
    if (!is_fleeting(place)) close(place);
}

static int restrict_files(const char *const *paths, const char *processes) {
    long version = landlock_version();
    if (version < 1) return 0;
    struct {
        uint64_t files, network, scopes;
    } all = {(1 << 13) - 1, 3, 3};
    if (version >= 2) all.files |= 1 << 13;
    if (version >= 3) all.files |= 1 << 14;
    if (version >= 5) all.files |= 1 << 15;
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    int rules = (int)syscall(LANDLOCK_CREATE, &all, size, 0);
    if (rules < 0) return 0;
    for (; *paths; paths++) permit_reading(rules, *paths);
    permit_reading(rules, processes);
    // The rules are for the calling thread and the threads that it starts.
    int is_alone = thread_count() == 1;
    int is_restricted = syscall(LANDLOCK_RESTRICT, rules, 0) == 0;
    close(rules);
    return is_restricted && is_alone;
}

// MARK: The state of threads

// libdispatch reads the state of its threads in `/proc/THREAD/stat`, and ends the process if it can't. No rule can name
// the folders of threads that don't run yet, but each thread also has a folder within the process's own. So the filter
// stops this one call, which libdispatch makes with no other flag, and the handler opens the file there.

static int own_threads = -1;

#ifdef NATIVE
enum { FLAGS_OF_LIBDISPATCH = O_RDONLY | O_NONBLOCK };

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
    int file = openat(is_state ? own_threads : folder, is_state ? path + 6 : path, FLAGS_OF_LIBDISPATCH | O_CLOEXEC);
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

// MARK: System calls

#ifdef NATIVE
// Every call of a kind that an engine never makes. Most of them are ways out: to the network, to other programs and
// processes, out of the limits of this filter, and to changes of files, which Landlock does not cover completely.
static const int refused[] = {
    SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_sendmmsg,
    SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_tkill,
    SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_setpgid, SYS_setsid, SYS_unshare, SYS_setns, SYS_mount, SYS_umount2,
    SYS_pivot_root, SYS_chroot, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_add_key, SYS_request_key, SYS_keyctl,
    SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_swapon, SYS_swapoff,
    SYS_name_to_handle_at, SYS_open_by_handle_at, SYS_shmget, SYS_shmat, SYS_shmctl, SYS_msgget, SYS_semget, SYS_mq_open,
    SYS_mq_unlink, SYS_mknodat, SYS_mkdirat, SYS_unlinkat, SYS_symlinkat, SYS_linkat, SYS_renameat2, SYS_fchmod,
    SYS_fchmodat, SYS_fchown, SYS_fchownat, SYS_truncate, SYS_utimensat, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr,
    SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr, SYS_inotify_init1, SYS_fanotify_init,
#ifdef SYS_open
    SYS_fork, SYS_vfork, SYS_creat, SYS_mknod, SYS_mkdir, SYS_rmdir, SYS_unlink, SYS_symlink, SYS_link, SYS_rename,
    SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat, SYS_inotify_init,
#endif
#ifdef SYS_renameat
    SYS_renameat,
#endif
    424 /* pidfd_send_signal */, 434 /* pidfd_open */, 438 /* pidfd_getfd */, 440 /* process_madvise */,
};

// Calls whose arguments lie in memory, where no filter can read them. "Not implemented" makes the C library use an older
// call instead. The first three are io_uring.
static const int unknown[] = {425, 426, 427, 435 /* clone3 */, 437 /* openat2 */};

#define LOAD_AT(offset) ((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offset)))
#define LOAD(field) LOAD_AT(offsetof(struct seccomp_data, field))
#define LOAD_ARGUMENT(number) LOAD_AT(offsetof(struct seccomp_data, args) + (number) * sizeof(uint64_t))
#define RETURN(action) ((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, (action)))
#define ANSWER(code) RETURN(SECCOMP_RET_ERRNO | (code))
#define IF(test, value, then, otherwise) \
    ((struct sock_filter)BPF_JUMP(BPF_JMP | (test) | BPF_K, (uint32_t)(value), (then), (otherwise)))

struct program {
    struct sock_filter steps[320];
    unsigned short count;
};

static void add(struct program *program, struct sock_filter step) { program->steps[program->count++] = step; }

static void answer(struct program *program, int call, int code) {
    add(program, IF(BPF_JEQ, call, 0, 1));
    add(program, ANSWER(code));
}

// Decides a call by an argument. Of the other 32 bits of the argument, the kernel ignores those that matter here.
static void examine(
    struct program *program, int call, int argument, unsigned short test, uint32_t value, uint32_t then,
    uint32_t otherwise
) {
    add(program, IF(BPF_JEQ, call, 0, 4));
    add(program, LOAD_ARGUMENT(argument));
    add(program, IF(test, value, 0, 1));
    add(program, RETURN(then));
    add(program, RETURN(otherwise));
}

static int filter_calls(int opens_own_state) {
    const uint32_t permit = SECCOMP_RET_ALLOW, refuse = SECCOMP_RET_ERRNO | EPERM;
    const uint32_t changes = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);
    const uint32_t self = (uint32_t)getpid();
    struct program program = {.count = 0};
    add(&program, LOAD(arch));
    add(&program, IF(BPF_JEQ, NATIVE, 1, 0));
    add(&program, RETURN(SECCOMP_RET_KILL_PROCESS));
    add(&program, LOAD(nr));
#ifdef __x86_64__
    // The numbers of the ABI with 32-bit pointers.
    add(&program, IF(BPF_JGE, 0x40000000, 0, 1));
    add(&program, ANSWER(ENOSYS));
#endif
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) answer(&program, refused[i], EPERM);
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) answer(&program, unknown[i], ENOSYS);
    // Threads, but no processes.
    examine(&program, SYS_clone, 0, BPF_JSET, 0x10000 /* CLONE_THREAD */, permit, refuse);
    // `abort` sends a signal to its own process.
    examine(&program, SYS_kill, 0, BPF_JEQ, self, permit, refuse);
    examine(&program, SYS_tgkill, 0, BPF_JEQ, self, permit, refuse);
    // The process must end with the program that started it.
    examine(&program, SYS_prctl, 0, BPF_JEQ, PR_SET_PDEATHSIG, refuse, permit);
#ifdef SYS_open
    examine(&program, SYS_open, 1, BPF_JSET, changes, SECCOMP_RET_ERRNO | EACCES, permit);
#endif
    if (opens_own_state) {
        add(&program, IF(BPF_JEQ, SYS_openat, 0, 4));
        add(&program, LOAD_ARGUMENT(2));
        add(&program, IF(BPF_JEQ, FLAGS_OF_LIBDISPATCH, 0, 1));
        add(&program, RETURN(SECCOMP_RET_TRAP));
        add(&program, LOAD(nr));
    }
    examine(&program, SYS_openat, 2, BPF_JSET, changes, SECCOMP_RET_ERRNO | EACCES, permit);
    add(&program, RETURN(SECCOMP_RET_ALLOW));
    struct sock_fprog filter = {program.count, program.steps};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0;
}
#else
static int filter_calls(int opens_own_state) { return 0; }
#endif

// MARK: Memory

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

static int limit_memory(uint64_t size) {
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

int dictation_host_restrict(const char *const *paths, uint64_t memory) {
    int done = 0;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) done |= dictation_host_no_new_privileges;
    drop_rights();
    if (limit_memory(memory)) done |= dictation_host_limited_memory;
    int opens_own_state = can_open_own_state();
    if (restrict_files(paths, opens_own_state ? "/proc/self" : "/proc")) done |= dictation_host_no_other_files;
    if (filter_calls(opens_own_state)) done |= dictation_host_no_network | dictation_host_no_programs;
    return done;
}
