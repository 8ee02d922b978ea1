#pragma once

#include <stdint.h>

// Swift can't call these functions itself: `prctl` is variadic, and Swift's module of the C library hides the others.

/// Confines this process. Closes every descriptor from `first_descriptor` on, and keeps its memory private, also from other
/// programs of the user. If `ends_with_thread` is not zero, the process ends with the thread that started it.
void dictation_helper_confine(int first_descriptor, int ends_with_thread);

/// Keeps what this process has in memory, such as voice and tokens, out of core files.
///
/// If `from_programs` is not zero, no other program of the user can read the memory, either. Desktop portals then refuse
/// to serve this process, because they can't examine it.
void dictation_helper_keep_memory_private(int from_programs);

/// Makes memory for two processes, whose size never changes. Returns its descriptor, which is `first_descriptor` or
/// greater; -1 with `errno` if it fails.
int dictation_helper_make_memory(unsigned long size, int first_descriptor);

/// Splits off a copy of this process, which must have one thread. The copy is a child of this process's parent, which is to
/// make it the leader of a process group.
///
/// In the copy, `files` are its descriptors from 1 on, and no other one is open but 0. Returns 0 in the copy, and the number of
/// the copy or the negative code of the error otherwise.
int dictation_helper_split(const int *files, int file_count);

// MARK: Restrictions

/// What a process can be kept from doing.
enum {
    dictation_helper_no_new_privileges = 1,
    dictation_helper_no_network = 2,
    dictation_helper_no_programs = 4,
    dictation_helper_no_other_files = 8,
    dictation_helper_limited_memory = 16,
};

/// Returns the restrictions that this kernel has.
int dictation_helper_restrictions(void);

/// Restricts this process forever: no network, no other programs or processes, no changes of files, and reading only
/// below `paths`, which ends with a null pointer. `memory` limits the size of its address space. Call it before the
/// process starts a thread.
///
/// Returns the restrictions that now hold for every thread.
int dictation_helper_restrict(const char *const *paths, uint64_t memory);

// MARK: Confined programs

/// A program that reads open files and may do nothing else.
struct dictation_helper_program {
    const char *path;
    /// The arguments and the variables of the environment; each list ends with a null pointer.
    const char *const *arguments;
    const char *const *environment;
    /// The folders and files with the program's libraries, up to a null pointer. It may also read its own file.
    const char *const *readable;
    /// The descriptors that become 1, 2 and so on. Each is greater than `file_count` and close-on-exec. The program may
    /// also open again those that are files, for reading. Descriptor 0 is empty, and no other descriptor is open.
    const int *files;
    int file_count;
    /// The limit of the size of its address space.
    uint64_t memory;
};

/// Starts a program with the restrictions of `dictation_helper_restrict`, so far as this kernel has them. The program leads
/// a process group of its own, and blocks no signal.
///
/// Returns 0, or the code of the error, also if a restriction that the kernel has can't be applied.
int dictation_helper_start(const struct dictation_helper_program *program, int *process);
