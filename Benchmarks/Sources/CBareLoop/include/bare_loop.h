#pragma once
#include <stdint.h>
#include <stddef.h>

// Recognises samples with PocketSphinx as its own programs do: raw audio in, an utterance ends when the decoder hears
// no more speech. Gives the CPU time that it took, in seconds, without that of loading the model; -1 when it can't load
// it. Texts are put into `text`, one after another.
double bare_loop(int setting_count, char **settings, const int16_t *samples, size_t count, char *text, size_t room);

// The same for audio that is one utterance, decoded in one piece, so that its own mean is known from the beginning.
double bare_utterance(int setting_count, char **settings, const int16_t *samples, size_t count, char *text,
                      size_t room);
