#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Calls whose constants and structures Swift does not always find: glibc declares some only for GNU sources, and the
// headers of other C libraries take some over. On failure each function returns a negative errno.

/// Makes a unix socket for a stream of bytes, which no child process inherits.
int dictation_make_socket(void);

/// Makes two connected unix sockets, which no child process inherits, for a stream of bytes or for messages.
int dictation_make_pair(int pair[2], int keeps_messages);

/// Sends a message with copies of open files through a socket for messages. Returns 0, or the negative code of the error.
int dictation_send_files(int socket, const void *message, size_t size, const int *files, int count);

/// Receives such a message. Returns its size, 0 at the end, or the negative code of the error, also for one that has
/// another number of files or is too long.
long dictation_receive_files(int socket, void *message, size_t size, int *files, int count);

/// Makes a pipe, which no child process inherits.
int dictation_make_pipe(int ends[2]);

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

/// Makes a descriptor that watches sockets, and which no child process inherits.
int dictation_make_watch(void);

/// Watches a socket for one event: that it takes bytes, or else that its other side sends no more. The end of the
/// connection is always one. `number` comes back with the event.
int dictation_watch(int watch, int socket, int is_writing, uint64_t number);

/// Watches a socket no longer.
void dictation_unwatch(int watch, int socket);

/// Waits for events without a limit, and returns how many there are, and their numbers.
int dictation_wait_for_events(int watch, uint64_t *numbers, int most);

/// Makes a descriptor through which a thread wakes another one that waits, and which no child process inherits.
int dictation_make_waker(void);
