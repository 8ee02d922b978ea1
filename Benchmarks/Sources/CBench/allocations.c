// Counts the allocations of each thread. These functions replace the C library's allocator in the whole process.
#include "CBench.h"
#include <errno.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static _Thread_local long count __attribute__((tls_model("initial-exec")));

long thread_allocations(void) { return count; }
void *malloc(size_t size) { count++; return __libc_malloc(size); }
void *calloc(size_t number, size_t size) { count++; return __libc_calloc(number, size); }
void *realloc(void *old, size_t size) { count++; return __libc_realloc(old, size); }
void *memalign(size_t alignment, size_t size) { count++; return __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { count++; return __libc_memalign(alignment, size); }
int posix_memalign(void **answer, size_t alignment, size_t size) {
    count++;
    *answer = __libc_memalign(alignment, size);
    return *answer ? 0 : ENOMEM;
}
