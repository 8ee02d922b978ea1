#pragma once

#include <stddef.h>
#include <stdint.h>

// What the files of this folder share. All functions but those that make rules may be called between `vfork` and
// `execve`: they allocate no memory, take no lock, and change nothing but the process itself.

/// Gives up every right of root but those to open files.
void dictation_helper_drop_rights(void);

/// Limits the size of this process's address space. Returns 0 where that is not possible.
int dictation_helper_limit_memory(uint64_t size);

// MARK: Files

enum {
    dictation_helper_run = 1 << 0,
    dictation_helper_read_file = 1 << 2,
    dictation_helper_read_folder = 1 << 3,
};

/// Makes rules of Landlock that permit nothing, and returns their descriptor; -1 where the kernel has no Landlock.
int dictation_helper_make_rules(void);

/// Permits something for a file or for all files in a folder. The descriptor `place` may be closed afterwards, unless the
/// file is in /proc.
void dictation_helper_permit(int rules, int place, uint64_t access);

/// Permits something for the file or folder at a path, if it exists.
void dictation_helper_permit_path(int rules, const char *path, uint64_t access);

/// Applies rules to this thread and the threads that it starts. Returns 0 if it fails.
int dictation_helper_apply_rules(int rules);

// MARK: System calls

/// The flags of the one call of `openat` that raises a signal, so that its handler can open another file.
enum { dictation_helper_trapped_open = 04000 /* O_NONBLOCK */ };

/// What a filter of system calls permits besides.
struct dictation_helper_permissions {
    /// Whether `openat` with the flags above raises a signal.
    int traps_open;
    /// The fourth and the fifth argument of the one call of `execve` that is permitted, or null. The kernel ignores them.
    const uint64_t *password;
};

/// Whether the kernel has filters of system calls, and this code knows the processor.
int dictation_helper_has_filters(void);

/// Filters the system calls of all threads. Returns 0 if it fails.
int dictation_helper_filter_calls(struct dictation_helper_permissions permissions);
