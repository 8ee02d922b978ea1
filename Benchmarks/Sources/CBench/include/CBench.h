#pragma once
#include <stddef.h>
#include <stdint.h>

/// How often this thread has allocated.
long thread_allocations(void);

/// Converts interleaved stereo to mono at another rate by libsamplerate alone, in pieces of so many frames: to float, mix,
/// resample, back to 16 bit. Answers how many frames came out, or -1.
long bare_conversion(
    const int16_t *stereo, long frames, long piece, double ratio, int converter, int16_t *mono, long capacity);
