#pragma once

#include <stdint.h>

// Swift can't call these functions itself: `prctl` is variadic, and Swift's module of the C library hides the others.

/// Confines this process. Closes every descriptor from `first_descriptor` on, ends the process when its parent ends,
/// and turns off core files, because a core file could hold recognized text.
void dictation_host_confine(int first_descriptor);

/// Makes memory for two processes, whose size never changes. Returns its descriptor, which is `first_descriptor` or
/// greater; -1 with `errno` if it fails.
int dictation_host_make_memory(unsigned long size, int first_descriptor);

/// Makes a counter that a thread can wait for with `poll`, and returns its descriptor; -1 with `errno` if it fails.
int dictation_host_make_waker(void);

// MARK: Restrictions

/// What a process can be kept from doing.
enum {
    dictation_host_no_new_privileges = 1,
    dictation_host_no_network = 2,
    dictation_host_no_programs = 4,
    dictation_host_no_other_files = 8,
    dictation_host_limited_memory = 16,
};

/// Returns the restrictions that this kernel has.
int dictation_host_restrictions(void);

/// Restricts this process forever: no network, no other programs or processes, no changes of files, and reading only
/// below `paths`, which ends with a null pointer. `memory` limits the size of its address space. Call it before the
/// process starts a thread.
///
/// Returns the restrictions that now hold for every thread.
int dictation_host_restrict(const char *const *paths, uint64_t memory);
