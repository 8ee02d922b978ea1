// A disk with little room, for whoever may not make a real one: stands in for the C library's `write` in the whole
// process.
#define _GNU_SOURCE
#include "CFullDisk.h"
#include <errno.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static long long room = -1;

void full_disk_after(long long bytes) { __atomic_store_n(&room, bytes, __ATOMIC_RELAXED); }

ssize_t write(int file, const void *bytes, size_t count) {
    struct stat status;
    long long left = __atomic_load_n(&room, __ATOMIC_RELAXED);
    if (left < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return syscall(SYS_write, file, bytes, count);
    if (left == 0 && count > 0) {
        errno = ENOSPC;
        return -1;
    }
    ssize_t written = syscall(SYS_write, file, bytes, count < (size_t)left ? count : (size_t)left);
    if (written > 0) __atomic_sub_fetch(&room, written, __ATOMIC_RELAXED);
    return written;
}
