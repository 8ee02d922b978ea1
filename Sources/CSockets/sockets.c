#define _GNU_SOURCE
#include "sockets.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int dictation_make_socket(void) {
    int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return made < 0 ? -errno : made;
}

int dictation_make_pair(int pair[2]) {
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0 ? 0 : -errno;
}

static int has_option(int descriptor, int name, int wanted) {
    int value = 0;
    socklen_t size = sizeof value;
    return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 && value == wanted;
}

int dictation_is_listening(int descriptor) {
    return has_option(descriptor, SO_ACCEPTCONN, 1) && has_option(descriptor, SO_TYPE, SOCK_STREAM);
}

uint64_t dictation_monotonic_microseconds(void) {
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

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

int dictation_make_waker(void) {
    int made = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return made < 0 ? -errno : made;
}

void dictation_close(int descriptor) { close(descriptor); }

void dictation_wake(int waker) {
    uint64_t one = 1;
    while (write(waker, &one, sizeof one) < 0 && errno == EINTR) {}
}

int dictation_await(int socket, int is_writing, int waker, int milliseconds) {
    struct pollfd waits[2] = {
        {.fd = waker, .events = POLLIN},
        {.fd = socket, .events = POLLIN | (is_writing ? POLLOUT : 0)},
    };
    if (poll(waits, 2, milliseconds) < 0) return errno == EINTR ? 0 : -errno;
    int result = 0;
    if (waits[0].revents) {
        uint64_t count;
        if (read(waker, &count, sizeof count) < 0) return 4;
        result |= 4;
    }
    if (waits[1].revents & ~POLLOUT) result |= 1;
    if (waits[1].revents & POLLOUT) result |= 2;
    return result;
}
