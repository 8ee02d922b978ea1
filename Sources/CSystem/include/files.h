#include <sys/types.h>

// System calls that Swift can't make. glibc has no function for the first call, and declares the others only for GNU
// sources. `syscall` is variadic, and Swift can't call variadic functions. On failure each function returns a
// negative errno.

/// Opens a path below an open folder. Fails if the path points outside the folder or has a link.
int dictation_open_beneath(int folder, const char *path, int flags, mode_t mode);

/// Opens a file, and creates it with mode 0600 if `flags` has O_CREAT. Follows links of the user and of root, but fails with
/// -EPERM if another user's link is in the file's place, or if the file belongs to another user. Never waits for a pipe.
int dictation_open_own(const char *path, int flags, uid_t user);

/// Exchanges the files or folders of two names in one step.
int dictation_exchange(int folder, const char *name, int other_folder, const char *other_name);

/// Makes a program that is started with these actions, a posix_spawn_file_actions_t, work in an open folder.
int dictation_spawn_in(void *actions, int folder);

/// Makes an empty file that has no name and lies in memory. Returns its descriptor.
int dictation_open_nameless(void);

/// Makes an empty file in a folder, which has no name there. Returns its descriptor.
int dictation_open_unlinked(const char *folder);

/// Returns whether the process has more rights than the user who started it. That user must not choose what it runs.
int dictation_is_privileged(void);
