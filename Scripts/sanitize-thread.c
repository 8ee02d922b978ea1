// Tells Thread Sanitizer about Swift's `Mutex` if two threads contend for it. The uncontended path is compiled into the
// program, where the sanitizer sees it. The contended path is in the Swift runtime, which is built without the sanitizer.
// Without this library, the sanitizer would report each contention as a race. `Scripts/sanitize thread` preloads it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// The symbols are weak, because the programs that start the tests are built without the sanitizer.
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

typedef __attribute__((swiftcall)) void (*Lock)(uint32_t, __attribute__((swift_context)) void *);
typedef __attribute__((swiftcall)) void (*Unlock)(__attribute__((swift_context)) void *);

__attribute__((swiftcall)) void lock_slow(uint32_t, __attribute__((swift_context)) void *) __asm__(LOCK);
__attribute__((swiftcall)) void unlock_slow(__attribute__((swift_context)) void *) __asm__(UNLOCK);

__attribute__((swiftcall)) void lock_slow(uint32_t thread, __attribute__((swift_context)) void *mutex) {
    ((Lock)dlsym(RTLD_NEXT, LOCK))(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

__attribute__((swiftcall)) void unlock_slow(__attribute__((swift_context)) void *mutex) {
    if (__tsan_release) __tsan_release(mutex);
    ((Unlock)dlsym(RTLD_NEXT, UNLOCK))(mutex);
}
