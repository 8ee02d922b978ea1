#pragma once
#include <alsa/asoundlib.h>

// Swift can't write a variadic function, and without one ALSA prints its errors on the program's standard error.
static void calsa_ignore(const char *file, int line, const char *function, int code, const char *format, ...) {}
static inline void calsa_be_quiet(void) { snd_lib_error_set_handler(calsa_ignore); }
