#pragma once
#include <stddef.h>
#include <stdint.h>

/// Returns the number of this thread's allocations.
long thread_allocations(void);

/// Converts interleaved stereo to mono at another rate with libsamplerate, in pieces of `piece` frames: converts to
/// float, mixes, resamples and converts back to 16 bit. Returns the number of converted frames, or -1.
long bare_conversion(
    const int16_t *stereo, long frames, long piece, double ratio, int converter, int16_t *mono, long capacity);

/// Converts mono to another rate with libsamplerate, in one piece. Returns the number of converted frames, or -1.
long bare_mono_conversion(
    const float *in, long frames, double ratio, int converter, float *out, long capacity);
