#define _GNU_SOURCE
#include "CSherpaOnnx.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

// Swift can't convert the address of a symbol to a function of a given type without an unchecked cast, so C does it.

#define PLACE(field) offsetof(SherpaFunctions, field)

static const struct {
    size_t place;
    const char *name;
} symbols[] = {
    {PLACE(createRecognizer), "SherpaOnnxCreateOnlineRecognizer"},
    {PLACE(destroyRecognizer), "SherpaOnnxDestroyOnlineRecognizer"},
    {PLACE(createStream), "SherpaOnnxCreateOnlineStream"},
    {PLACE(createStreamWithHotwords), "SherpaOnnxCreateOnlineStreamWithHotwords"},
    {PLACE(isReady), "SherpaOnnxIsOnlineStreamReady"},
    {PLACE(decode), "SherpaOnnxDecodeOnlineStream"},
    {PLACE(decodeTogether), "SherpaOnnxDecodeMultipleOnlineStreams"},
    {PLACE(isEndpoint), "SherpaOnnxOnlineStreamIsEndpoint"},
    {PLACE(reset), "SherpaOnnxOnlineStreamReset"},
    {PLACE(result), "SherpaOnnxGetOnlineStreamResult"},
    {PLACE(destroyResult), "SherpaOnnxDestroyOnlineRecognizerResult"},

    {PLACE(accept), "SherpaOnnxOnlineStreamAcceptWaveform"},
    {PLACE(finish), "SherpaOnnxOnlineStreamInputFinished"},
    {PLACE(destroyStream), "SherpaOnnxDestroyOnlineStream"},

    {PLACE(createSpotter), "SherpaOnnxCreateKeywordSpotter"},
    {PLACE(destroySpotter), "SherpaOnnxDestroyKeywordSpotter"},
    {PLACE(createSpotterStream), "SherpaOnnxCreateKeywordStreamWithKeywords"},
    {PLACE(isSpotterReady), "SherpaOnnxIsKeywordStreamReady"},
    {PLACE(spotTogether), "SherpaOnnxDecodeMultipleKeywordStreams"},
    {PLACE(resetSpotter), "SherpaOnnxResetKeywordStream"},
    {PLACE(hit), "SherpaOnnxGetKeywordResult"},
    {PLACE(destroyHit), "SherpaOnnxDestroyKeywordResult"},

    {PLACE(createOfflineRecognizer), "SherpaOnnxCreateOfflineRecognizer"},
    {PLACE(destroyOfflineRecognizer), "SherpaOnnxDestroyOfflineRecognizer"},
    {PLACE(createOfflineStream), "SherpaOnnxCreateOfflineStream"},
    {PLACE(acceptOffline), "SherpaOnnxAcceptWaveformOffline"},
    {PLACE(decodeOffline), "SherpaOnnxDecodeOfflineStream"},
    {PLACE(offlineResult), "SherpaOnnxGetOfflineStreamResult"},
    {PLACE(destroyOfflineResult), "SherpaOnnxDestroyOfflineRecognizerResult"},
    {PLACE(destroyOfflineStream), "SherpaOnnxDestroyOfflineStream"},
};

_Static_assert(
    sizeof symbols / sizeof symbols[0] * sizeof(void *) == sizeof(SherpaFunctions), "each function needs a symbol");

const char *sherpa_version(void *library) {
    void *symbol = dlsym(library, "SherpaOnnxGetVersionStr");
    if (!symbol) return NULL;
    const char *(*version)(void);
    memcpy(&version, &symbol, sizeof version);
    return version();
}

const char *sherpa_find_functions(void *library, SherpaFunctions *functions) {
    for (size_t index = 0; index < sizeof symbols / sizeof symbols[0]; index++) {
        void *symbol = dlsym(library, symbols[index].name);
        if (!symbol) return symbols[index].name;
        memcpy((char *)functions + symbols[index].place, &symbol, sizeof symbol);
    }
    return NULL;
}

const char *sherpa_path(const SherpaFunctions *functions) {
    Dl_info info;
    return dladdr((void *)functions->createRecognizer, &info) ? info.dli_fname : NULL;
}
