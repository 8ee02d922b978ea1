#pragma once

// What Swift can't call: `prctl` is variadic, and the others are hidden from Swift's module of the C library.

/// Closes every descriptor from one on, ends this process when its parent ends, and writes no core file: it could hold
/// what was said.
void dictation_host_confine(int first_descriptor);

/// Whether the process runs with more rights than whoever started it, who then must not choose what it runs.
int dictation_host_is_privileged(void);
