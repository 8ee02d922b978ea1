#pragma once
#include <alsa/asoundlib.h>

// Without an error handler, ALSA prints its errors to the program's standard error. The handler is a variadic function,
// which Swift can't define.
static void calsa_ignore(const char *file, int line, const char *function, int code, const char *format, ...) {}
static inline void calsa_be_quiet(void) { snd_lib_error_set_handler(calsa_ignore); }
