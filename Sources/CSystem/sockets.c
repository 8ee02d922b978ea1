#define _GNU_SOURCE
#include "sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int dictation_make_socket(void) {
    int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return made < 0 ? -errno : made;
}

int dictation_make_pair(int pair[2], int keeps_messages) {
    int kind = keeps_messages ? SOCK_SEQPACKET : SOCK_STREAM;
    return socketpair(AF_UNIX, kind | SOCK_CLOEXEC, 0, pair) == 0 ? 0 : -errno;
}

enum { most_files = 8 };

union files {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(most_files * sizeof(int))];
};

int dictation_send_files(int socket, const void *message, size_t size, const int *files, int count) {
    union files control = {0};
    struct iovec part = {(void *)message, size};
    struct msghdr head = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes,
        .msg_controllen = CMSG_SPACE((size_t)count * sizeof(int))};
    if (count > most_files) return -EINVAL;
    control.head = (struct cmsghdr){
        .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN((size_t)count * sizeof(int))};
    memcpy(CMSG_DATA(&control.head), files, (size_t)count * sizeof(int));
    return sendmsg(socket, &head, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

long dictation_receive_files(int socket, void *message, size_t size, int *files, int count) {
    union files control = {0};
    struct iovec part = {message, size};
    struct msghdr head = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    ssize_t received = recvmsg(socket, &head, MSG_CMSG_CLOEXEC);
    if (received <= 0) return received < 0 ? -errno : 0;
    struct cmsghdr *first = CMSG_FIRSTHDR(&head);
    int is_fitting = first && first->cmsg_type == SCM_RIGHTS && first->cmsg_len == CMSG_LEN((size_t)count * sizeof(int));
    if (is_fitting && !(head.msg_flags & MSG_TRUNC)) {
        memcpy(files, CMSG_DATA(first), (size_t)count * sizeof(int));
        return received;
    }
    for (size_t i = 0; first && CMSG_LEN((i + 1) * sizeof(int)) <= first->cmsg_len; i++) {
        int file;
        memcpy(&file, CMSG_DATA(first) + i * sizeof(int), sizeof file);
        close(file);
    }
    return -EBADMSG;
}

int dictation_make_pipe(int ends[2]) {
    return pipe2(ends, O_CLOEXEC) == 0 ? 0 : -errno;
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

int dictation_make_watch(void) {
    int made = epoll_create1(EPOLL_CLOEXEC);
    return made < 0 ? -errno : made;
}

int dictation_watch(int watch, int socket, int is_writing, uint64_t number) {
    uint32_t events = is_writing ? EPOLLOUT : EPOLLRDHUP;
    struct epoll_event event = {.events = events | EPOLLONESHOT, .data.u64 = number};
    return epoll_ctl(watch, EPOLL_CTL_ADD, socket, &event) == 0 ? 0 : -errno;
}

void dictation_unwatch(int watch, int socket) { epoll_ctl(watch, EPOLL_CTL_DEL, socket, NULL); }

int dictation_wait_for_events(int watch, uint64_t *numbers, int most) {
    struct epoll_event events[16];
    int count = epoll_wait(watch, events, most < 16 ? most : 16, -1);
    for (int i = 0; i < count; i++) numbers[i] = events[i].data.u64;
    return count < 0 ? (errno == EINTR ? 0 : -errno) : count;
}

int dictation_make_waker(void) {
    int made = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return made < 0 ? -errno : made;
}
