#include <stddef.h>
#include <stdint.h>

// Calls for servers. On failure each function returns a negative errno.

/// Makes a socket that listens at a numeric address and a port, and that no child process inherits. Port 0 is any free
/// one. Stores the port in `port`.
int dictation_listen(const char *address, uint16_t *port);

/// Makes a unix socket that listens at a full path, for the user alone, and that no child process inherits. It takes the
/// place of a socket at which nobody listens any more.
int dictation_listen_at_path(const char *path);

/// Returns 1 for a numeric address that only this machine can reach, and 0 for any other.
int dictation_is_loopback(const char *address);

/// Writes the numeric address of the other end of a connection.
int dictation_peer_address(int connection, char *text, size_t size);

/// Returns whether the other end of a connection has closed it and sent nothing more.
int dictation_is_abandoned(int connection);

/// Waits until a connection can be read. Returns 0 when the time is over.
int dictation_wait_readable(int connection, int milliseconds);

/// Makes reads and writes of a connection wait, and sends small messages at once.
int dictation_make_waiting(int connection);

/// Ends a connection in both directions, which wakes whoever waits for it. The descriptor stays open.
void dictation_end_connection(int connection);

/// Says to the other end of a connection that nothing more is sent.
void dictation_end_sending(int connection);
