#include <stddef.h>
#include <stdint.h>

// Calls for servers. On failure each function returns a negative errno.

/// Makes a socket that listens at a numeric address and a port, and that no child process inherits. Port 0 is any free
/// one. Stores the port in `port`.
int dictation_listen(const char *address, uint16_t *port);

/// Returns 0 for a folder in which only the user, or root, can make and replace files. Otherwise -EPERM, or the code of
/// `lstat`. The sticky bit changes nothing: others can still take a free name first, and clients would talk to them.
int dictation_check_folder(const char *path);

/// The file of a unix socket, by which it is told from a later one with the same path.
struct dictation_socket_file {
    uint64_t device, number;
};

/// Makes a unix socket that listens at a full path, for the user alone, and that no child process inherits.
///
/// It takes the place of a socket at which nobody listens any more, and of nothing else: -ENOTSOCK means that the path
/// belongs to something else, and -EADDRINUSE that another program has the socket. Stores the identity of the socket's
/// file.
int dictation_listen_at_path(const char *path, struct dictation_socket_file *file);

/// Returns whether the file of a socket is still at its path.
int dictation_has_socket(const char *path, struct dictation_socket_file file);

/// Removes the file of a socket, unless something else has its path by now.
void dictation_remove_socket(const char *path, struct dictation_socket_file file);

/// Returns 1 for a numeric address that only this machine can reach, and 0 for any other.
int dictation_is_loopback(const char *address);

/// Writes the numeric address of the other end of a connection.
int dictation_peer_address(int connection, char *text, size_t size);

/// Makes reads and writes of a connection wait, and sends small messages at once.
int dictation_make_waiting(int connection);

/// Ends a connection in both directions, which wakes whoever waits for it. The descriptor stays open.
void dictation_end_connection(int connection);

/// Says to the other end of a connection that nothing more is sent.
void dictation_end_sending(int connection);
