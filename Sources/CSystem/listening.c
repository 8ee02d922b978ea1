#define _GNU_SOURCE
#include "listening.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static struct addrinfo *parse(const char *address, uint16_t port) {
    char service[8];
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM}, *found = NULL;
    snprintf(service, sizeof service, "%u", port);
    return getaddrinfo(address, service, &hints, &found) == 0 ? found : NULL;
}

static uint16_t port_of(int listening) {
    struct sockaddr_storage bound;
    socklen_t size = sizeof bound;
    if (getsockname(listening, (struct sockaddr *)&bound, &size) != 0) return 0;
    return ntohs(bound.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&bound)->sin6_port
                                             : ((struct sockaddr_in *)&bound)->sin_port);
}

int dictation_listen(const char *address, uint16_t *port) {
    struct addrinfo *place = parse(address, *port);
    if (!place) return -EINVAL;
    int yes = 1, code = 0;
    int listening = socket(place->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listening < 0) code = -errno;
    // The port of a server that has just ended can be used at once.
    if (listening >= 0 &&
        (setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
         bind(listening, place->ai_addr, place->ai_addrlen) != 0 || listen(listening, 128) != 0)) {
        code = -errno;
        close(listening);
    }
    freeaddrinfo(place);
    if (code < 0) return code;
    *port = port_of(listening);
    return listening;
}

int dictation_check_folder(const char *path) {
    struct stat folder;
    if (lstat(path, &folder) != 0) return -errno;
    if (!S_ISDIR(folder.st_mode)) return -ENOTDIR;
    int is_ours = folder.st_uid == geteuid() || folder.st_uid == 0;
    return is_ours && !(folder.st_mode & (S_IWGRP | S_IWOTH)) ? 0 : -EPERM;
}

// Returns 0 if nothing is at the path any more.
static int make_room(const struct sockaddr_un *place) {
    struct stat found;
    if (lstat(place->sun_path, &found) != 0) return errno == ENOENT ? 0 : -errno;
    if (!S_ISSOCK(found.st_mode)) return -ENOTSOCK;
    int other = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (other < 0) return -errno;
    // Any other failure means that somebody has the socket, such as one with another type or a full queue.
    int is_left = connect(other, (const struct sockaddr *)place, sizeof *place) != 0 && errno == ECONNREFUSED;
    close(other);
    if (!is_left) return -EADDRINUSE;
    return unlink(place->sun_path) == 0 || errno == ENOENT ? 0 : -errno;
}

int dictation_listen_at_path(const char *path, struct dictation_socket_file *file) {
    struct sockaddr_un place = {.sun_family = AF_UNIX};
    if (path[0] != '/' || strlen(path) >= sizeof place.sun_path) return -EINVAL;
    strcpy(place.sun_path, path);
    int code = make_room(&place);
    if (code < 0) return code;
    int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listening < 0) return -errno;
    struct stat made;
    // The mode of a socket that is not bound yet becomes the mode of its file, so it is never wider.
    if (fchmod(listening, S_IRUSR | S_IWUSR) != 0 || bind(listening, (struct sockaddr *)&place, sizeof place) != 0 ||
        lstat(path, &made) != 0 || listen(listening, 128) != 0) {
        code = -errno;
        close(listening);
        return code;
    }
    *file = (struct dictation_socket_file){.device = made.st_dev, .number = made.st_ino};
    return listening;
}

int dictation_has_socket(const char *path, struct dictation_socket_file file) {
    struct stat found;
    return lstat(path, &found) == 0 && found.st_dev == file.device && found.st_ino == file.number;
}

void dictation_remove_socket(const char *path, struct dictation_socket_file file) {
    if (dictation_has_socket(path, file)) unlink(path);
}

int dictation_is_loopback(const char *address) {
    struct addrinfo *place = parse(address, 0);
    if (!place) return 0;
    int is_loopback = 0;
    if (place->ai_family == AF_INET) {
        uint32_t number = ntohl(((struct sockaddr_in *)place->ai_addr)->sin_addr.s_addr);
        is_loopback = number >> 24 == 127;
    } else if (place->ai_family == AF_INET6) {
        is_loopback = IN6_IS_ADDR_LOOPBACK(&((struct sockaddr_in6 *)place->ai_addr)->sin6_addr);
    }
    freeaddrinfo(place);
    return is_loopback;
}

int dictation_peer_address(int connection, char *text, size_t size) {
    struct sockaddr_storage peer;
    socklen_t length = sizeof peer;
    if (getpeername(connection, (struct sockaddr *)&peer, &length) != 0) return -errno;
    if (getnameinfo((struct sockaddr *)&peer, length, text, (socklen_t)size, NULL, 0, NI_NUMERICHOST) != 0)
        return -EINVAL;
    return 0;
}

int dictation_make_waiting(int connection) {
    int flags = fcntl(connection, F_GETFL), yes = 1;
    if (flags < 0 || fcntl(connection, F_SETFL, flags & ~O_NONBLOCK) != 0) return -errno;
    // Fails for a socket that is not TCP, which does not matter.
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return 0;
}

void dictation_end_connection(int connection) { shutdown(connection, SHUT_RDWR); }

void dictation_end_sending(int connection) { shutdown(connection, SHUT_WR); }
