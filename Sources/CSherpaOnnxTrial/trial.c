// Tries a model in a process that may die of it. See the header.
#define _GNU_SOURCE
#include "CSherpaOnnxTrial.h"

#ifdef SHERPA_ONNX
#include <dlfcn.h>
#include <link.h>
#include <sherpa-onnx/c-api/c-api.h>
#include <sherpa-onnx/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <signal.h>
#include <unistd.h>

const char *sherpaOnnxTrialObject(void) {
    Dl_info info;
    struct link_map *map = NULL;
    if (!dladdr1((const void *)sherpaOnnxTrialObject, &info, (void **)&map, RTLD_DL_LINKMAP) || !map) return NULL;
    return map->l_name;
}

static const char *setting(const char *name) {
    const char *value = secure_getenv(name);
    return value ? value : "";
}

// The marker tells the verdict from whatever the C library prints.
static void report(const char *verdict, const char *detail) {
    dprintf(STDOUT_FILENO, "\nsherpa-onnx-trial:%s:%s\n", verdict, detail);
    _exit(0);
}

static const char *file(int index) {
    char name[64];
    snprintf(name, sizeof name, "SWIFT_DICTATION_SHERPA_TRIAL_%d", index);
    return setting(name);
}

// Loading is not enough: what is wrong inside a network shows when audio goes through it. A little noise makes all of its
// parts work.
enum { count = 32000, rate = 16000 };
static float noise[count];

static void makeNoise(void) {
    unsigned state = 1;
    for (int i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        noise[i] = (float)(int)state / 2147483648.0f * 0.1f;
    }
}

static void tryTransducer(void) {
    SherpaOnnxOnlineRecognizerConfig config;
    memset(&config, 0, sizeof config);
    config.feat_config.sample_rate = rate;
    config.feat_config.feature_dim = 80;
    config.model_config.transducer.encoder = file(0);
    config.model_config.transducer.decoder = file(1);
    config.model_config.transducer.joiner = file(2);
    config.model_config.tokens = file(3);
    config.model_config.num_threads = 1;
    config.model_config.provider = "cpu";
    config.decoding_method = "modified_beam_search";
    config.max_active_paths = 4;
    const SherpaOnnxOnlineRecognizer *recognizer = SherpaOnnxCreateOnlineRecognizer(&config);
    if (!recognizer) report("refused", "");
    const SherpaOnnxOnlineStream *stream = SherpaOnnxCreateOnlineStream(recognizer);
    if (!stream) report("refused", "");
    SherpaOnnxOnlineStreamAcceptWaveform(stream, rate, noise, count);
    SherpaOnnxOnlineStreamInputFinished(stream);
    for (int steps = 0; SherpaOnnxIsOnlineStreamReady(recognizer, stream) && steps < 1000; steps++) {
        SherpaOnnxDecodeOnlineStream(recognizer, stream);
    }
    SherpaOnnxDestroyOnlineRecognizerResult(SherpaOnnxGetOnlineStreamResult(recognizer, stream));
}

static void tryMoonshine(void) {
    SherpaOnnxOfflineRecognizerConfig config;
    memset(&config, 0, sizeof config);
    config.feat_config.sample_rate = rate;
    config.feat_config.feature_dim = 80;
    config.model_config.moonshine.encoder = file(0);
    config.model_config.moonshine.merged_decoder = file(1);
    config.model_config.tokens = file(2);
    config.model_config.num_threads = 1;
    config.model_config.provider = "cpu";
    config.decoding_method = "greedy_search";
    const SherpaOnnxOfflineRecognizer *recognizer = SherpaOnnxCreateOfflineRecognizer(&config);
    if (!recognizer) report("refused", "");
    const SherpaOnnxOfflineStream *stream = SherpaOnnxCreateOfflineStream(recognizer);
    if (!stream) report("refused", "");
    SherpaOnnxAcceptWaveformOffline(stream, rate, noise, count);
    SherpaOnnxDecodeOfflineStream(recognizer, stream);
    SherpaOnnxDestroyOfflineRecognizerResult(SherpaOnnxGetOfflineStreamResult(stream));
}

// Runs before `main`, and before what the program sets up for itself.
__attribute__((constructor(101))) static void tryModel(void) {
    const char *kind = secure_getenv("SWIFT_DICTATION_SHERPA_TRIAL");
    if (!kind) return;
    // Nothing of the program's is held open by its helper, and the helper does not outlive it.
    close_range(3, ~0U, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct rlimit noCore = {0, 0};
    setrlimit(RLIMIT_CORE, &noCore);

    const char *version = SherpaOnnxGetVersionStr();
    if (strcmp(version, SHERPA_ONNX_HEADER_VERSION) != 0) report("version", version);

    makeNoise();
    if (strcmp(kind, "moonshine") == 0) tryMoonshine();
    else tryTransducer();
    report("works", "");
}

#else

const char *sherpaOnnxTrialObject(void) { return 0; }

#endif
