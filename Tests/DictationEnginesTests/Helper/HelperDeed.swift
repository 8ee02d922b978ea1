import DictationCore
import Foundation
import Testing

/// Something that the code in a helper tries, and the errors that keep it from succeeding.
struct HelperDeed: CustomTestStringConvertible {
    let name: String
    let restriction: EngineCapabilities.Restriction
    let code: String
    var errors = [EPERM]
    var testDescription: String { name }

    static let all = connecting + starting + controlling + signaling + touchingFiles + others

    private static let connecting = [
        HelperDeed(name: "internet", restriction: .noNetwork, code: "socket(AF_INET, SOCK_STREAM, 0)"),
        HelperDeed(name: "packets", restriction: .noNetwork, code: "socket(AF_INET6, SOCK_DGRAM, 0)"),
        HelperDeed(name: "unix", restriction: .noNetwork, code: "socket(AF_UNIX, SOCK_STREAM, 0)"),
        HelperDeed(name: "netlink", restriction: .noNetwork, code: "socket(AF_NETLINK, SOCK_RAW, 0)"),
        HelperDeed(name: "ring", restriction: .noNetwork, code: "syscall(425, 8, memory)", errors: [ENOSYS]),
    ]

    private static let starting = [
        HelperDeed(name: "exec", restriction: .noPrograms, code: #"execl("/bin/true", "true", NULL)"#),
        HelperDeed(
            name: "exec again", restriction: .noPrograms,
            code: #"syscall(SYS_execve, "/bin/true", none, none, memory, memory, memory)"#),
        HelperDeed(name: "fork", restriction: .noPrograms, code: "fork()"),
        HelperDeed(name: "spawn", restriction: .noPrograms, code: "-spawned()"),
        HelperDeed(name: "group", restriction: .noPrograms, code: "setsid()"),
        HelperDeed(name: "survive", restriction: .noPrograms, code: "prctl(PR_SET_PDEATHSIG, 0)"),
    ]

    /// What would slow down, end or read the program that started the helper.
    private static let controlling = [
        HelperDeed(name: "trace", restriction: .noPrograms, code: "ptrace(PTRACE_TRACEME, 0, 0, 0)"),
        HelperDeed(
            name: "processor time", restriction: .noPrograms,
            code: "prlimit(getppid(), RLIMIT_CPU, &(struct rlimit){0, 0}, NULL)"),
        HelperDeed(
            name: "open files", restriction: .noPrograms,
            code: "prlimit(getppid(), RLIMIT_NOFILE, &(struct rlimit){0, 0}, NULL)"),
        HelperDeed(
            name: "limits", restriction: .noPrograms,
            code: "prlimit(getppid(), RLIMIT_NOFILE, NULL, (struct rlimit *)memory)"),
        HelperDeed(name: "nice", restriction: .noPrograms, code: "setpriority(PRIO_PROCESS, getppid(), 19)"),
        HelperDeed(name: "all nice", restriction: .noPrograms, code: "setpriority(PRIO_USER, 0, 1)"),
        HelperDeed(
            name: "idle", restriction: .noPrograms,
            code: "sched_setscheduler(getppid(), SCHED_IDLE, &(struct sched_param){0})"),
        HelperDeed(
            name: "parameters", restriction: .noPrograms, code: "sched_setparam(getppid(), &(struct sched_param){0})"),
        HelperDeed(
            name: "attributes", restriction: .noPrograms, code: "syscall(SYS_sched_setattr, getppid(), memory, 0)"),
        HelperDeed(
            name: "processors", restriction: .noPrograms,
            code: "sched_setaffinity(getppid(), sizeof(cpu_set_t), &(cpu_set_t){{1}})"),
        HelperDeed(
            name: "which processors", restriction: .noPrograms,
            code: "sched_getaffinity(getppid(), sizeof(cpu_set_t), (cpu_set_t *)memory)", errors: [ENOSYS]),
        HelperDeed(
            name: "share a core", restriction: .noPrograms,
            code: "prctl(62 /* PR_SCHED_CORE */, 2 /* SHARE_TO */, getppid(), 0, 0)"),
        HelperDeed(
            name: "disk", restriction: .noPrograms, code: "syscall(SYS_ioprio_set, 1, getppid(), 3 << 13)"),
        HelperDeed(
            name: "migrate", restriction: .noPrograms,
            code: "syscall(SYS_migrate_pages, getppid(), 64, memory, memory)"),
        HelperDeed(
            name: "move", restriction: .noPrograms,
            code: "syscall(SYS_move_pages, getppid(), 0, NULL, NULL, NULL, 0)"),
        HelperDeed(
            name: "memory of others", restriction: .noPrograms, code: "process_vm_readv(getppid(), NULL, 0, NULL, 0, 0)"
        ),
        HelperDeed(
            name: "change memory of others", restriction: .noPrograms,
            code: "process_vm_writev(getppid(), NULL, 0, NULL, 0, 0)"),
        HelperDeed(name: "handle", restriction: .noPrograms, code: "syscall(434 /* pidfd_open */, getppid(), 0)"),
        HelperDeed(
            name: "advise", restriction: .noPrograms, code: "syscall(440 /* process_madvise */, 3, NULL, 0, 0, 0)"),
        HelperDeed(name: "release", restriction: .noPrograms, code: "syscall(448 /* process_mrelease */, 3, 0)"),
        HelperDeed(
            name: "compare", restriction: .noPrograms, code: "syscall(SYS_kcmp, getppid(), getppid(), 0, 0, 0)"),
        HelperDeed(
            name: "robust list", restriction: .noPrograms,
            code: "syscall(SYS_get_robust_list, getppid(), memory, memory + 8)"),
        HelperDeed(name: "semaphores", restriction: .noPrograms, code: "semctl(0, 0, IPC_RMID)"),
        HelperDeed(name: "messages", restriction: .noPrograms, code: "msgctl(0, IPC_RMID, NULL)"),
        HelperDeed(name: "memory by number", restriction: .noPrograms, code: "shmctl(0, IPC_RMID, NULL)"),
        HelperDeed(name: "type", restriction: .noPrograms, code: #"ioctl(0, TIOCSTI, "x")"#),
    ]

    /// The kernel would send the signals of a descriptor to the program.
    private static let signaling = [
        HelperDeed(name: "signal", restriction: .noPrograms, code: "kill(getppid(), 0)"),
        HelperDeed(name: "owner", restriction: .noPrograms, code: "fcntl(3, F_SETOWN, getppid())"),
        HelperDeed(
            name: "owner of a kind", restriction: .noPrograms,
            code: "fcntl(3, F_SETOWN_EX, &(struct f_owner_ex){F_OWNER_PID, getppid()})"),
        HelperDeed(name: "which signal", restriction: .noPrograms, code: "fcntl(3, F_SETSIG, SIGKILL)"),
        HelperDeed(name: "owner of a file", restriction: .noPrograms, code: "ioctl(3, FIOSETOWN, &(int){getppid()})"),
        HelperDeed(name: "owner of a socket", restriction: .noPrograms, code: "ioctl(3, SIOCSPGRP, &(int){getppid()})"),
    ]

    private static let touchingFiles = [
        HelperDeed(
            name: "read", restriction: .noOtherFiles, code: #"open("/etc/passwd", O_RDONLY)"#, errors: [EACCES]),
        HelperDeed(
            name: "list", restriction: .noOtherFiles, code: #"open("/", O_RDONLY | O_DIRECTORY)"#, errors: [EACCES]),
        HelperDeed(
            name: "around", restriction: .noOtherFiles, code: #"open("/proc/self/root/etc/passwd", O_RDONLY)"#,
            errors: [EACCES]),
        HelperDeed(name: "program", restriction: .noOtherFiles, code: #"spied("environ", O_RDONLY)"#, errors: [EACCES]),
        HelperDeed(name: "command", restriction: .noOtherFiles, code: #"spied("cmdline", O_RDONLY)"#, errors: [EACCES]),
        HelperDeed(
            name: "state", restriction: .noOtherFiles, code: #"spied("stat", O_RDONLY | O_NONBLOCK)"#, errors: [ENOENT]),
        HelperDeed(
            name: "system", restriction: .noOtherFiles, code: #"open("/proc/version", O_RDONLY)"#, errors: [EACCES]),
        HelperDeed(
            name: "past", restriction: .noOtherFiles,
            code: #"open("/proc/1/../../../../../etc/passwd", O_RDONLY | O_NONBLOCK)"#, errors: [EACCES, ENOENT]),
        HelperDeed(
            name: "waiting", restriction: .noOtherFiles, code: #"open("/etc/passwd", O_RDONLY | O_NONBLOCK)"#,
            errors: [EACCES]),
        HelperDeed(name: "thread", restriction: .noOtherFiles, code: "-threaded()", errors: [EACCES]),
        HelperDeed(
            name: "write", restriction: .noOtherFiles, code: #"open("/tmp/helper", O_WRONLY | O_CREAT, 0600)"#,
            errors: [EACCES]),
        HelperDeed(name: "change", restriction: .noOtherFiles, code: "open(file, O_RDWR)", errors: [EACCES]),
        HelperDeed(name: "remove", restriction: .noOtherFiles, code: "unlink(file)"),
        HelperDeed(name: "permit", restriction: .noOtherFiles, code: "chmod(file, 0644)"),
        HelperDeed(
            name: "permit in a new way", restriction: .noOtherFiles,
            code: "syscall(452 /* fchmodat2 */, AT_FDCWD, file, 0644, 0)"),
        HelperDeed(
            name: "label", restriction: .noOtherFiles,
            code: #"syscall(463 /* setxattrat */, AT_FDCWD, file, 0, "user.a", memory, 16)"#),
        HelperDeed(
            name: "unlabel", restriction: .noOtherFiles,
            code: #"syscall(466 /* removexattrat */, AT_FDCWD, file, 0, "user.a")"#),
        HelperDeed(
            name: "attributes of a file", restriction: .noOtherFiles,
            code: "syscall(469 /* file_setattr */, AT_FDCWD, file, memory, 24, 0)"),
        HelperDeed(
            name: "lease", restriction: .noOtherFiles, code: "fcntl(open(file, O_RDONLY), F_SETLEASE, F_RDLCK)"),
        HelperDeed(name: "lock", restriction: .noOtherFiles, code: "flock(open(file, O_RDONLY), LOCK_EX | LOCK_NB)"),
        HelperDeed(
            name: "lock a part", restriction: .noOtherFiles,
            code: "fcntl(open(file, O_RDONLY), F_SETLK, &(struct flock){.l_type = F_RDLCK})"),
    ]

    private static let others = [
        HelperDeed(name: "log of the kernel", restriction: .noOtherFiles, code: "syscall(SYS_syslog, 10, NULL, 0)"),
        HelperDeed(
            name: "memory", restriction: .limitedMemory,
            code: "(long)mmap(NULL, 1L << 46, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)",
            errors: [ENOMEM]),
        HelperDeed(
            name: "core", restriction: .noCoreFiles, code: "setrlimit(RLIMIT_CORE, &(struct rlimit){1, 1})",
            errors: [EPERM, 0]),
        HelperDeed(
            name: "dump", restriction: .noCoreFiles, code: "prctl(PR_GET_DUMPABLE) == 0 ? -(errno = EPERM) : 0"),
        HelperDeed(
            name: "rights", restriction: .noNewPrivileges, code: "prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0)",
            errors: [EINVAL]),
    ]
}
