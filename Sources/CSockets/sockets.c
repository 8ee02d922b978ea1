#define _GNU_SOURCE
#include "sockets.h"

#include <errno.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/time.h>

int dictation_accept(int listener) {
    int connection = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    return connection < 0 ? -errno : connection;
}

int dictation_peer_user(int connection, uid_t *user) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -errno;
    *user = peer.uid;
    return 0;
}

void dictation_limit_sending(int connection, int seconds) {
    struct timeval limit = {.tv_sec = seconds};
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}
