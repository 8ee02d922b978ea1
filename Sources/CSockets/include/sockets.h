#include <sys/types.h>

// Socket calls that glibc only declares for GNU sources, which Swift's import of glibc is not. On failure each function
// returns a negative errno.

/// Accepts a connection that does not block, and that no child process inherits.
int dictation_accept(int listener);

/// Returns the user at the other end of a unix socket, through `user`.
int dictation_peer_user(int connection, uid_t *user);

/// Limits how long a connection or a write may block, in seconds.
void dictation_limit_sending(int connection, int seconds);
