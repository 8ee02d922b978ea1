#pragma once
#include <stdint.h>
#include <stddef.h>

// Recognizes samples with PocketSphinx in the same way as PocketSphinx's own programs: an utterance ends when the
// decoder detects no more speech. Puts the texts into `text`, one after another. Returns the CPU time in seconds
// without loading the model, or -1 when the model can't be loaded.
double bare_loop(int setting_count, char **settings, const int16_t *samples, size_t count, char *text, size_t room);

// Does the same for audio that is one utterance. Decodes it in one piece, so that its mean is known from the beginning.
double bare_utterance(int setting_count, char **settings, const int16_t *samples, size_t count, char *text,
                      size_t room);
