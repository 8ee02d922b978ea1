#pragma once
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <pocketsphinx.h>
#include <sphinxbase/cmn.h>
#include <sphinxbase/err.h>
#include <sphinxbase/fe.h>
#include <sphinxbase/feat.h>
#include <sphinxbase/jsgf.h>
#include <sphinxbase/ngram_model.h>

// This file holds everything that PocketSphinx 5.x would change: configuration, front end, means.

// Writes an error after which the library ends the process.
static void sphinx_report(void *unused, err_lvl_t level, const char *format, ...) {
    (void)unused;
    if (level != ERR_FATAL) return;
    va_list words;
    va_start(words, format);
    vfprintf(stderr, format, words);
    va_end(words);
}

// Turns off the log for the whole process, except for the error that ends it. The configuration dump ignores the
// callback, so the log file is unset too.
static inline void sphinx_silence(void) {
    err_set_callback(sphinx_report, NULL);
    err_set_logfp(NULL);
}

// Makes a configuration from alternating "-key" and "value" words. `cmd_ln_init` is variadic, and prints its usage if a
// value is bad.
static inline cmd_ln_t *sphinx_configuration(int count, char **words) {
    return cmd_ln_parse_r(NULL, ps_args(), count, words, FALSE);
}

// Sets the cepstral mean with which live normalization begins an utterance. Returns -1 if the count does not fit.
static inline int sphinx_set_mean(ps_decoder_t *decoder, const float *mean, int count) {
    feat_t *features = ps_get_feat(decoder);
    if (!features || !features->cmn_struct || features->cmn_struct->veclen != count) return -1;
    cmn_live_set(features->cmn_struct, (mfcc_t const *)mean);
    return 0;
}

// Feeds frames that are contiguous in memory. Changes them in place.
//
// The library's buffer holds six frames. If it gets more than fit, the library loses its position. So this function
// feeds a few frames at the beginning of an utterance, and then one frame at a time.
static inline int sphinx_process(ps_decoder_t *decoder, float *frames, int count, int width, int is_first) {
    mfcc_t *rows[8];
    int now = is_first ? 8 : 1;
    while (count > 0) {
        if (now > count) now = count;
        for (int i = 0; i < now; ++i) rows[i] = (mfcc_t *)(frames + (size_t)i * width);
        if (ps_process_cep(decoder, rows, now, FALSE, FALSE) < 0) return -1;
        frames += (size_t)now * width;
        count -= now;
        now = 1;
    }
    return 0;
}

// Turns samples into at most `room` frames of cepstra. Returns the number of frames, or -1 if samples are left over.
static inline int sphinx_cepstra(fe_t *front_end, const int16_t *samples, size_t count, float *frames, int room,
                                 int width) {
    mfcc_t *rows[64];
    int32 made = room < 64 ? room : 64;
    for (int i = 0; i < made; ++i) rows[i] = (mfcc_t *)(frames + (size_t)i * width);
    int16 const *left = samples;
    size_t remaining = count;
    if (fe_process_frames(front_end, &left, &remaining, rows, &made, NULL) < 0) return -1;
    return remaining == 0 ? made : -1;
}

// Returns an interpolated set of two language models. The set retains both models.
static inline ngram_model_t *sphinx_interpolate(cmd_ln_t *config, ngram_model_t *base, ngram_model_t *extra,
                                                float extra_weight) {
    ngram_model_t *models[2] = {base, extra};
    char *names[2] = {(char *)"base", (char *)"extra"};
    const float32 weights[2] = {1 - extra_weight, extra_weight};
    ngram_model_t *set = ngram_model_set_init(config, models, names, weights, 2);
    if (!set) return NULL;
    if (!ngram_model_set_interp(set, (const char **)names, weights)) {
        ngram_model_free(set);
        return NULL;
    }
    return set;
}

// Sets a grammar as a search. `ps_set_jsgf_string` does the same, but never frees the parsed grammar.
static inline int sphinx_set_grammar(ps_decoder_t *decoder, cmd_ln_t *config, const char *name, const char *text) {
    jsgf_t *grammar = jsgf_parse_string(text, NULL);
    if (!grammar) return -1;
    jsgf_rule_t *rule = jsgf_get_public_rule(grammar);
    float32 weight = cmd_ln_float32_r(config, "-lw");
    fsg_model_t *model = rule ? jsgf_build_fsg(grammar, rule, ps_get_logmath(decoder), weight) : NULL;
    int outcome = model ? ps_set_fsg(decoder, name, model) : -1;
    fsg_model_free(model);
    jsgf_grammar_free(grammar);
    return outcome;
}

// Frees a decoder. `malloc_trim` then returns its memory to the system; otherwise the process would keep it.
static inline void sphinx_free(ps_decoder_t *decoder) {
    ps_free(decoder);
    malloc_trim(0);
}
