#define _GNU_SOURCE
#include "CDictationHelper.h"
#include "confinement.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// `posix_spawn` can't restrict the program that it starts, and a program that knows nothing of this library does not
// restrict itself. So this code does it in the new process, before the program begins.

struct launch {
    const struct dictation_helper_program *program;
    /// The rules for files; -1 where the kernel has none.
    int rules;
    /// Permits the filter's only `execve`.
    uint64_t password[2];
};

static void reset_signals(void) {
    const int changed[] = {SIGINT, SIGPIPE, SIGTERM, SIGXCPU};
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    struct sigaction action;
    // No handler of the parent may run here, because it would run in the parent's memory.
    for (int signal = 1; signal < NSIG; signal++) {
        if (sigaction(signal, NULL, &action) == 0 && action.sa_handler != SIG_IGN && action.sa_handler != SIG_DFL)
            sigaction(signal, &usual, NULL);
    }
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++) sigaction(changed[i], &usual, NULL);
}

static int place_files(const struct dictation_helper_program *program) {
    int empty = open("/dev/null", O_RDONLY);
    if (empty < 0) return 0;
    if (empty != STDIN_FILENO && (dup2(empty, STDIN_FILENO) < 0 || close(empty) != 0)) return 0;
    for (int i = 0; i < program->file_count; i++)
        if (dup2(program->files[i], i + 1) < 0) return 0;
    // Where this is unknown, the program that started this one has no other descriptor that stays open, either.
    syscall(SYS_close_range, program->file_count + 1, ~0U, 4 /* CLOSE_RANGE_CLOEXEC */);
    return 1;
}

/// Turns this process into the program. Returns the code of the error if that fails.
static int become(const struct launch *launch) {
    const struct dictation_helper_program *program = launch->program;
    const struct rlimit none = {0, 0};
    struct dictation_helper_permissions permissions = {.password = launch->password};
    sigset_t signals;
    reset_signals();
    if (setpgid(0, 0) != 0 || !place_files(program)) return errno;
    setrlimit(RLIMIT_CORE, &none);
    dictation_helper_limit_memory(program->memory);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    dictation_helper_drop_rights();
    if (launch->rules >= 0 && !dictation_helper_apply_rules(launch->rules)) return errno;
    if (dictation_helper_has_filters() && !dictation_helper_filter_calls(permissions)) return errno;
    sigemptyset(&signals);
    sigprocmask(SIG_SETMASK, &signals, NULL);
    syscall(
        SYS_execve, program->path, program->arguments, program->environment, launch->password[0], launch->password[1]);
    return errno;
}

int dictation_helper_start(const struct dictation_helper_program *program, int *process) {
    const uint64_t using = dictation_helper_run | dictation_helper_read_file | dictation_helper_read_folder;
    struct launch launch = {.program = program};
    if (getrandom(launch.password, sizeof launch.password, 0) != sizeof launch.password) return EAGAIN;
    launch.rules = dictation_helper_make_rules();
    if (launch.rules >= 0) {
        for (const char *const *path = program->readable; *path; path++)
            dictation_helper_permit_path(launch.rules, *path, using);
        dictation_helper_permit_path(launch.rules, program->path, using);
        for (int i = 0; i < program->file_count; i++)
            dictation_helper_permit(launch.rules, program->files[i], dictation_helper_read_file);
    }
    // The new process shares the memory of this one until it becomes the program, and this thread waits for that.
    volatile int code = 0;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pid_t child = vfork();
    if (child == 0) {
        code = become(&launch);
        _exit(127);
    }
    if (child < 0) code = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (launch.rules >= 0) close(launch.rules);
    if (code == 0) *process = child;
    else if (child > 0) while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    return code;
}
