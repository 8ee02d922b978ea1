#define _GNU_SOURCE
#include "confinement.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Written by hand: libseccomp would be a library and a header that every app needs, also one without a trait. A list of
// calls to refuse is short; a list of calls to permit would break with each new version of the C libraries.

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#endif

#ifdef NATIVE
// Every call of a kind that a decoder never makes. Most of them are ways out: to the network, to other programs and
// processes, out of the limits of this filter, and to changes of files, which Landlock does not cover completely. Calls
// that only root may make are left out where the process has given up that right.
static const int refused[] = {
    // The network.
    SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_sendmmsg,
    // Other programs and processes: their memory, their signals, their share of the machine, and what they wait for.
    SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_tkill, SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo, SYS_setpgid, SYS_setsid, SYS_get_robust_list, SYS_setpriority, SYS_sched_setscheduler,
    SYS_sched_setparam, SYS_sched_setattr, SYS_ioprio_set, SYS_migrate_pages, SYS_move_pages, SYS_flock,
    424 /* pidfd_send_signal */, 434 /* pidfd_open */, 438 /* pidfd_getfd */, 440 /* process_madvise */,
    448 /* process_mrelease */,
    // What processes share by number or by name.
    SYS_shmget, SYS_shmat, SYS_shmctl, SYS_msgget, SYS_msgsnd, SYS_msgrcv, SYS_msgctl, SYS_semget, SYS_semop,
    SYS_semtimedop, SYS_semctl, SYS_mq_open, SYS_mq_unlink, SYS_add_key, SYS_request_key, SYS_keyctl,
    // The system.
    SYS_unshare, SYS_setns, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_bpf, SYS_perf_event_open,
    SYS_userfaultfd, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_kexec_file_load,
    SYS_reboot, SYS_swapon, SYS_swapoff, SYS_syslog,
    // Files.
    SYS_name_to_handle_at, SYS_open_by_handle_at, SYS_mknodat, SYS_mkdirat, SYS_unlinkat, SYS_symlinkat, SYS_linkat,
    SYS_renameat2, SYS_fchmod, SYS_fchmodat, SYS_fchown, SYS_fchownat, SYS_truncate, SYS_utimensat, SYS_setxattr,
    SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr, SYS_inotify_init1,
    SYS_fanotify_init, 452 /* fchmodat2 */, 463 /* setxattrat */, 466 /* removexattrat */, 469 /* file_setattr */,
#ifdef SYS_open
    SYS_fork, SYS_vfork, SYS_creat, SYS_mknod, SYS_mkdir, SYS_rmdir, SYS_unlink, SYS_symlink, SYS_link, SYS_rename,
    SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat, SYS_inotify_init,
#endif
#ifdef SYS_renameat
    SYS_renameat,
#endif
};

// Calls whose arguments lie in memory, where no filter can read them. "Not implemented" makes the C library use an older
// call instead. The first three are io_uring.
static const int unknown[] = {425, 426, 427, 435 /* clone3 */, 437 /* openat2 */};

#define LOAD_AT(offset) ((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offset)))
#define LOAD(field) LOAD_AT(offsetof(struct seccomp_data, field))
#define LOAD_ARGUMENT(number) LOAD_AT(offsetof(struct seccomp_data, args) + (number) * sizeof(uint64_t))
#define LOAD_UPPER_HALF(number) LOAD_AT(offsetof(struct seccomp_data, args) + (number) * sizeof(uint64_t) + 4)
#define RETURN(action) ((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, (action)))
#define ERROR(code) (SECCOMP_RET_ERRNO | (code))
#define IF(test, value, then, otherwise) \
    ((struct sock_filter)BPF_JUMP(BPF_JMP | (test) | BPF_K, (uint32_t)(value), (then), (otherwise)))
#define LIST(...) (const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)

struct program {
    struct sock_filter steps[640];
    unsigned short count;
};

static void add(struct program *program, struct sock_filter step) { program->steps[program->count++] = step; }

static void answer(struct program *program, int call, uint32_t action) {
    add(program, IF(BPF_JEQ, call, 0, 1));
    add(program, RETURN(action));
}

// Decides a call by the bits of an argument. Of the other 32 bits of the argument, the kernel ignores those that matter
// here.
static void examine_bits(struct program *program, int call, int argument, uint32_t bits, uint32_t some, uint32_t none) {
    add(program, IF(BPF_JEQ, call, 0, 4));
    add(program, LOAD_ARGUMENT(argument));
    add(program, IF(BPF_JSET, bits, 0, 1));
    add(program, RETURN(some));
    add(program, RETURN(none));
}

// Decides a call by an argument, which is one of a few values or not.
static void examine(
    struct program *program, int call, int argument, const uint32_t *values, size_t count, uint32_t listed,
    uint32_t other
) {
    add(program, IF(BPF_JEQ, call, 0, (uint8_t)(count + 3)));
    add(program, LOAD_ARGUMENT(argument));
    for (size_t i = 0; i < count; i++) add(program, IF(BPF_JEQ, values[i], (uint8_t)(count - i), 0));
    add(program, RETURN(other));
    add(program, RETURN(listed));
}

// Permits to start a program with a password in the unused registers of the call. What the program starts as has other
// registers and another memory, so that it can't do it again.
static void permit_start(struct program *program, const uint64_t *password) {
    add(program, IF(BPF_JEQ, SYS_execve, 0, 10));
    for (int i = 0; i < 2; i++) {
        uint8_t steps_to_refusal = (uint8_t)(7 - 4 * i);
        add(program, LOAD_ARGUMENT(3 + i));
        add(program, IF(BPF_JEQ, (uint32_t)password[i], 0, steps_to_refusal));
        add(program, LOAD_UPPER_HALF(3 + i));
        add(program, IF(BPF_JEQ, password[i] >> 32, 0, (uint8_t)(steps_to_refusal - 2)));
    }
    add(program, RETURN(SECCOMP_RET_ALLOW));
    add(program, RETURN(ERROR(EPERM)));
}

// What this process may do to itself, but not to others.
static void permit_itself(struct program *program) {
    const uint32_t permit = SECCOMP_RET_ALLOW, refuse = ERROR(EPERM);
    const uint32_t self = (uint32_t)syscall(SYS_getpid);
    // Threads, but no processes.
    examine_bits(program, SYS_clone, 0, 0x10000 /* CLONE_THREAD */, permit, refuse);
    // `abort` sends a signal to its own process.
    examine(program, SYS_kill, 0, LIST(self), permit, refuse);
    examine(program, SYS_tgkill, 0, LIST(self), permit, refuse);
    examine(program, SYS_prlimit64, 0, LIST(0, self), permit, refuse);
    examine(program, SYS_sched_setaffinity, 0, LIST(0, self), permit, refuse);
    // Swift asks for the bounds of a thread's stack, and the C library then for its processors, which may be unknown.
    examine(program, SYS_sched_getaffinity, 0, LIST(0, self), permit, ERROR(ENOSYS));
    // The process must end with the program that started it, and share no core with it.
    examine(program, SYS_prctl, 0, LIST(PR_SET_PDEATHSIG, 62 /* PR_SCHED_CORE */), refuse, permit);
    // Neither locks, which others would wait for, nor the signals of a descriptor, which the kernel sends to others.
    examine(
        program, SYS_fcntl, 1,
        LIST(F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GET_SEALS), permit, refuse);
    // Nor input for the terminal.
    examine(
        program, SYS_ioctl, 1,
        LIST(TCGETS, 0x802C542A /* TCGETS2 */, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX), permit, refuse);
}

int dictation_helper_has_filters(void) {
    uint32_t action = SECCOMP_RET_ERRNO;
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

int dictation_helper_filter_calls(struct dictation_helper_permissions permissions) {
    const uint32_t permit = SECCOMP_RET_ALLOW, refuse = ERROR(EACCES);
    const uint32_t changes = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);
    struct program program = {.count = 0};
    add(&program, LOAD(arch));
    add(&program, IF(BPF_JEQ, NATIVE, 1, 0));
    add(&program, RETURN(SECCOMP_RET_KILL_PROCESS));
    add(&program, LOAD(nr));
#ifdef __x86_64__
    // The numbers of the ABI with 32-bit pointers.
    add(&program, IF(BPF_JGE, 0x40000000, 0, 1));
    add(&program, RETURN(ERROR(ENOSYS)));
#endif
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) answer(&program, refused[i], ERROR(EPERM));
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) answer(&program, unknown[i], ERROR(ENOSYS));
    if (permissions.password) permit_start(&program, permissions.password);
    else answer(&program, SYS_execve, ERROR(EPERM));
    permit_itself(&program);
#ifdef SYS_open
    examine_bits(&program, SYS_open, 1, changes, refuse, permit);
#endif
    if (permissions.traps_open) {
        add(&program, IF(BPF_JEQ, SYS_openat, 0, 4));
        add(&program, LOAD_ARGUMENT(2));
        add(&program, IF(BPF_JEQ, dictation_helper_trapped_open, 0, 1));
        add(&program, RETURN(SECCOMP_RET_TRAP));
        add(&program, LOAD(nr));
    }
    examine_bits(&program, SYS_openat, 2, changes, refuse, permit);
    add(&program, RETURN(permit));
    struct sock_fprog filter = {program.count, program.steps};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0;
}
#else
int dictation_helper_has_filters(void) { return 0; }
int dictation_helper_filter_calls(struct dictation_helper_permissions permissions) { return 0; }
#endif
