#define _GNU_SOURCE
#include "confinement.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static int put(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return -1;
    int isWritten = write(file, text, strlen(text)) == (ssize_t)strlen(text);
    close(file);
    return isWritten ? 0 : -1;
}

static int show(const char *path, const char *folder, unsigned long flags) {
    char place[4096];
    snprintf(place, sizeof place, "%s%s", folder, path);
    if (mkdir(place, 0755) != 0 || mount(path, place, NULL, MS_BIND | MS_REC, NULL) != 0) return -1;
    if (flags == 0) return 0;
    return mount(NULL, place, NULL, MS_BIND | MS_REMOUNT | MS_NOSUID | MS_NODEV | flags, NULL);
}

int confine_to(const char *folder) {
    uid_t user = geteuid();
    gid_t group = getegid();
    if (user == 0) {
        if (unshare(CLONE_NEWNS) != 0) return errno;
    } else {
        char map[64];
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return errno;
        put("/proc/self/setgroups", "deny");
        snprintf(map, sizeof map, "0 %u 1", (unsigned)user);
        if (put("/proc/self/uid_map", map) != 0) return errno;
        snprintf(map, sizeof map, "0 %u 1", (unsigned)group);
        if (put("/proc/self/gid_map", map) != 0) return errno;
    }
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return errno;
    if (mount("tmpfs", folder, "tmpfs", 0, "size=512m") != 0) return errno;
    // The C library keeps its character sets and locales in the one, libdispatch counts its threads in the other. Each is
    // another file system.
    if (show("/usr", folder, MS_RDONLY) != 0 || show("/proc", folder, 0) != 0) return errno;
    if (chroot(folder) != 0 || chdir("/") != 0) return errno;
    return 0;
}
