#pragma once
#include <stdint.h>
#include <stddef.h>

// Decodes samples as a plain C program does: blocks of 2048, an utterance ended at each silence. The text is written to
// `text`. Returns the seconds of CPU spent on decoding, without loading; negative when the model can't be loaded.
double bare_loop(int setting_count, char **settings, const int16_t *samples, size_t count, char *text, size_t room);
