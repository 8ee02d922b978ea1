#include <sys/types.h>

// Calls of Linux that Swift can't make: glibc has no function for the first, declares the second for GNU sources only,
// and `syscall` takes a varying number of arguments, which Swift doesn't know. Each returns a negative errno on failure.

/// Opens a path below an open folder; the path leads neither out of it nor through a link.
int dictation_open_beneath(int folder, const char *path, int flags, mode_t mode);

/// Has two names trade places in one step.
int dictation_exchange(int folder, const char *name, int other_folder, const char *other_name);
