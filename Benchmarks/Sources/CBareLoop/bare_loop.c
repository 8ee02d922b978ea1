#include "bare_loop.h"
#include <pocketsphinx.h>
#include <sphinxbase/err.h>
#include <string.h>
#include <time.h>

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void take_text(ps_decoder_t *decoder, char *text, size_t room) {
    int32 score;
    const char *part = ps_get_hyp(decoder, &score);
    if (!part || !*part) return;
    size_t used = strlen(text);
    if (used + strlen(part) + 2 > room) return;
    strcat(text, part);
    strcat(text, " ");
}

static ps_decoder_t *load(int setting_count, char **settings) {
    err_set_callback(NULL, NULL);
    err_set_logfp(NULL);
    cmd_ln_t *config = cmd_ln_parse_r(NULL, ps_args(), setting_count, settings, FALSE);
    ps_decoder_t *decoder = config ? ps_init(config) : NULL;
    if (config) cmd_ln_free_r(config);
    return decoder;
}

double bare_loop(int setting_count, char **settings, const int16_t *samples, size_t count, char *text, size_t room) {
    text[0] = 0;
    ps_decoder_t *decoder = load(setting_count, settings);
    if (!decoder) return -1;
    double start = cpu_seconds();
    int was_in_speech = 0;
    ps_start_stream(decoder);
    ps_start_utt(decoder);
    for (size_t done = 0; done < count; done += 2048) {
        size_t now = count - done < 2048 ? count - done : 2048;
        ps_process_raw(decoder, samples + done, now, FALSE, FALSE);
        int is_in_speech = ps_get_in_speech(decoder);
        if (was_in_speech && !is_in_speech) {
            ps_end_utt(decoder);
            take_text(decoder, text, room);
            ps_start_utt(decoder);
        }
        was_in_speech = is_in_speech;
    }
    ps_end_utt(decoder);
    take_text(decoder, text, room);
    double spent = cpu_seconds() - start;
    ps_free(decoder);
    return spent;
}

double bare_utterance(int setting_count, char **settings, const int16_t *samples, size_t count, char *text,
                      size_t room) {
    text[0] = 0;
    ps_decoder_t *decoder = load(setting_count, settings);
    if (!decoder) return -1;
    double start = cpu_seconds();
    ps_start_stream(decoder);
    ps_start_utt(decoder);
    ps_process_raw(decoder, samples, count, FALSE, TRUE);
    ps_end_utt(decoder);
    take_text(decoder, text, room);
    double spent = cpu_seconds() - start;
    ps_free(decoder);
    return spent;
}
