#include <stdint.h>
#include <sys/types.h>

// Calls whose constants and structures Swift does not always find: glibc declares some only for GNU sources, and the
// headers of other C libraries take some over. On failure each function returns a negative errno.

/// Makes a unix socket for a stream of bytes, which no child process inherits.
int dictation_make_socket(void);

/// Makes two connected unix sockets, which no child process inherits.
int dictation_make_pair(int pair[2]);

/// Returns whether a descriptor is a socket for a stream of bytes that listens.
int dictation_is_listening(int descriptor);

/// Returns the time of the clock of sd-bus, in microseconds.
uint64_t dictation_monotonic_microseconds(void);

/// Accepts a connection that does not block, and that no child process inherits.
int dictation_accept(int listener);

/// Returns the user at the other end of a unix socket, through `user`.
int dictation_peer_user(int connection, uid_t *user);

/// Limits how long a connection or a write may block, in seconds.
void dictation_limit_sending(int connection, int seconds);

/// Makes a descriptor through which a thread wakes another one that waits, and which no child process inherits.
int dictation_make_waker(void);

/// Closes a descriptor.
void dictation_close(int descriptor);

/// Wakes the thread that waits, or that waits next.
void dictation_wake(int waker);

/// Waits until a socket can be read (1 in the result), or written (2, if `is_writing`), or the waker was used (4).
/// Returns 0 when the time is over. A negative socket is left out. Negative milliseconds mean no limit.
int dictation_await(int socket, int is_writing, int waker, int milliseconds);
