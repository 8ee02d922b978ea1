// Counts what the capture thread allocates, by standing in for the C library's allocator in the whole process.
#include "CAllocationCount.h"
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifdef SANITIZED
void count_capture_allocations(void) {}
long capture_allocations(void) { return -1; }
#else
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static int isCounting;
static long count;

// To ask for the thread's name takes longer than to allocate, and the tests are linked with this too.
static void note(void) {
    if (!__atomic_load_n(&isCounting, __ATOMIC_RELAXED)) return;
    char name[16] = "";
    prctl(PR_GET_NAME, name);
    if (!strcmp(name, "capture")) __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
}

void count_capture_allocations(void) { __atomic_store_n(&isCounting, 1, __ATOMIC_RELAXED); }
long capture_allocations(void) { return __atomic_load_n(&count, __ATOMIC_RELAXED); }
void *malloc(size_t size) { note(); return __libc_malloc(size); }
void *calloc(size_t number, size_t size) { note(); return __libc_calloc(number, size); }
void *realloc(void *old, size_t size) { note(); return __libc_realloc(old, size); }
void *memalign(size_t alignment, size_t size) { note(); return __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { note(); return __libc_memalign(alignment, size); }
int posix_memalign(void **answer, size_t alignment, size_t size) {
    note();
    *answer = __libc_memalign(alignment, size);
    return *answer ? 0 : ENOMEM;
}
#endif
