#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Lets two paths trade places in one step. glibc declares renameat2 for GNU sources only, which Swift's view of it is not.
static inline int dictation_exchange(const char *one, const char *other) {
    return (int)syscall(SYS_renameat2, AT_FDCWD, one, AT_FDCWD, other, 2 /* RENAME_EXCHANGE */);
}
