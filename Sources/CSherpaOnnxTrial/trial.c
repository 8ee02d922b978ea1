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

// Runs before `main`, and before what the program sets up for itself.
__attribute__((constructor(101))) static void tryModel(void) {
    const char *encoder = secure_getenv("SWIFT_DICTATION_SHERPA_TRIAL");
    if (!encoder) return;
    // Nothing of the program's is held open by its helper, and the helper does not outlive it.
    close_range(3, ~0U, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct rlimit noCore = {0, 0};
    setrlimit(RLIMIT_CORE, &noCore);

    const char *version = SherpaOnnxGetVersionStr();
    if (strcmp(version, SHERPA_ONNX_HEADER_VERSION) != 0) report("version", version);

    SherpaOnnxOnlineRecognizerConfig config;
    memset(&config, 0, sizeof config);
    config.feat_config.sample_rate = 16000;
    config.feat_config.feature_dim = 80;
    config.model_config.transducer.encoder = encoder;
    config.model_config.transducer.decoder = setting("SWIFT_DICTATION_SHERPA_TRIAL_DECODER");
    config.model_config.transducer.joiner = setting("SWIFT_DICTATION_SHERPA_TRIAL_JOINER");
    config.model_config.tokens = setting("SWIFT_DICTATION_SHERPA_TRIAL_TOKENS");
    config.model_config.num_threads = 1;
    config.model_config.provider = "cpu";
    config.decoding_method = "modified_beam_search";
    config.max_active_paths = 4;
    const SherpaOnnxOnlineRecognizer *recognizer = SherpaOnnxCreateOnlineRecognizer(&config);
    if (!recognizer) report("refused", "");

    // Loading is not enough: what is wrong inside a network shows when audio goes through it. A little noise makes the
    // decoder and the joiner work too.
    const SherpaOnnxOnlineStream *stream = SherpaOnnxCreateOnlineStream(recognizer);
    if (!stream) report("refused", "");
    enum { count = 32000 };
    static float samples[count];
    unsigned state = 1;
    for (int i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        samples[i] = (float)(int)state / 2147483648.0f * 0.1f;
    }
    SherpaOnnxOnlineStreamAcceptWaveform(stream, 16000, samples, count);
    SherpaOnnxOnlineStreamInputFinished(stream);
    int steps = 0;
    while (SherpaOnnxIsOnlineStreamReady(recognizer, stream) && steps < 1000) {
        SherpaOnnxDecodeOnlineStream(recognizer, stream);
        steps++;
    }
    SherpaOnnxDestroyOnlineRecognizerResult(SherpaOnnxGetOnlineStreamResult(recognizer, stream));
    report("works", "");
}

#else

const char *sherpaOnnxTrialObject(void) { return 0; }

#endif
