#pragma once

// The part of sherpa-onnx's C interface that the engines use, in versions 1.13.0 to 2.0.1.
//
// A program opens the library when it runs, so no build needs the library's own header. The structs here have the same
// layout as the library's. Fields that start with `other` only keep the place of fields that the engines leave at zero.
// The tests compare each size and offset with the real header.

#include <stdint.h>

#ifdef __clang__
// The structs have the library's types, which say nothing about null.
#pragma clang diagnostic ignored "-Wnullability-completeness"
#else
#define _Nonnull
#define _Nullable
#endif

/// The audio that a model gets.
typedef struct {
    int32_t sampleRate;
    int32_t bands;
} SherpaFeatures;

/// The files of a streaming model, and how it runs.
typedef struct {
    const char *encoder;
    const char *decoder;
    const char *joiner;
    const char *otherNetworks[3];
    const char *tokens;
    int32_t threads;
    const char *processor;
    int32_t otherSwitch;
    const char *otherKind;
    const char *pieceKind;
    const char *pieces;
    const char *otherTokens;
    int32_t otherTokensLength;
    const char *nemoCTC;
    const char *otherNetwork;
} SherpaStreamingModel;

/// The configuration of a streaming recognizer.
typedef struct {
    SherpaFeatures features;
    SherpaStreamingModel model;
    const char *search;
    int32_t beamWidth;
    int32_t findsEndpoints;
    float silenceWithoutText;
    float silenceAfterText;
    float maximumLength;
    const char *otherHotwords;
    float hotwordStrength;
    const void *otherRules[4];
    float otherPenalty;
    const void *otherBuffers[5];
} SherpaRecognizerConfig;

/// The configuration of a keyword spotter.
typedef struct {
    SherpaFeatures features;
    SherpaStreamingModel model;
    int32_t beamWidth;
    int32_t otherNumbers[3];
    const char *otherKeywords;
    const char *keywords;
    int32_t keywordsLength;
} SherpaSpotterConfig;

/// The files of an offline model, and how it runs.
typedef struct {
    const char *encoder;
    const char *decoder;
    const char *joiner;
    const char *otherNetwork;
    const char *nemoCTC;
    const char *whisperEncoder;
    const char *whisperDecoder;
    const char *whisperLanguage;
    const char *whisperTask;
    int32_t otherWhisper[3];
    const char *otherSmall;
    const char *tokens;
    int32_t threads;
    int32_t otherSwitch;
    const char *processor;
    const char *kind;
    const char *otherInputs[3];
    const char *senseVoice;
    const char *senseVoiceLanguage;
    int32_t senseVoicePunctuates;
    const char *moonshinePreprocessor;
    const char *moonshineEncoder;
    const char *moonshineFirstDecoder;
    const char *moonshineNextDecoder;
    const char *moonshineDecoder;
    const void *otherModels[36];
} SherpaOfflineModel;

/// The configuration of an offline recognizer.
typedef struct {
    SherpaFeatures features;
    SherpaOfflineModel model;
    const void *otherLanguageModel[2];
    const char *search;
    const void *otherOptions[11];
} SherpaOfflineConfig;

/// The first fields of a streaming result. The library creates and deletes the results.
typedef struct {
    const char *otherTexts[2];
    const char *const *tokens;
    const float *times;
    int32_t count;
    const char *json;
} SherpaResult;

/// The first fields of a spotted keyword.
typedef struct {
    const char *keyword;
    const char *otherText;
    const char *const *tokens;
    int32_t count;
    const float *times;
} SherpaHit;

/// The first fields of an offline result.
typedef struct {
    const char *text;
    const float *times;
    int32_t count;
    const char *otherTokens;
    const char *const *tokens;
} SherpaOfflineResult;

typedef struct SherpaRecognizer SherpaRecognizer;
typedef struct SherpaSpotter SherpaSpotter;
typedef struct SherpaStream SherpaStream;
typedef struct SherpaOfflineRecognizer SherpaOfflineRecognizer;
typedef struct SherpaOfflineStream SherpaOfflineStream;

#ifdef __clang__
#pragma clang assume_nonnull begin
#endif

/// The functions of an open library. Each can be called.
typedef struct {
    const SherpaRecognizer *_Nullable (*_Nonnull createRecognizer)(const SherpaRecognizerConfig *);
    void (*_Nonnull destroyRecognizer)(const SherpaRecognizer *);
    const SherpaStream *_Nullable (*_Nonnull createStream)(const SherpaRecognizer *);
    const SherpaStream *_Nullable (*_Nonnull createStreamWithHotwords)(const SherpaRecognizer *, const char *hotwords);
    int32_t (*_Nonnull isReady)(const SherpaRecognizer *, const SherpaStream *);
    void (*_Nonnull decode)(const SherpaRecognizer *, const SherpaStream *);
    void (*_Nonnull decodeTogether)(const SherpaRecognizer *, const SherpaStream *_Nullable *_Nullable, int32_t count);
    int32_t (*_Nonnull isEndpoint)(const SherpaRecognizer *, const SherpaStream *);
    void (*_Nonnull reset)(const SherpaRecognizer *, const SherpaStream *);
    const SherpaResult *_Nullable (*_Nonnull result)(const SherpaRecognizer *, const SherpaStream *);
    void (*_Nonnull destroyResult)(const SherpaResult *);

    void (*_Nonnull accept)(const SherpaStream *, int32_t sampleRate, const float *_Nullable samples, int32_t count);
    void (*_Nonnull finish)(const SherpaStream *);
    void (*_Nonnull destroyStream)(const SherpaStream *);

    const SherpaSpotter *_Nullable (*_Nonnull createSpotter)(const SherpaSpotterConfig *);
    void (*_Nonnull destroySpotter)(const SherpaSpotter *);
    const SherpaStream *_Nullable (*_Nonnull createSpotterStream)(const SherpaSpotter *, const char *keywords);
    int32_t (*_Nonnull isSpotterReady)(const SherpaSpotter *, const SherpaStream *);
    void (*_Nonnull spotTogether)(const SherpaSpotter *, const SherpaStream *_Nullable *_Nullable, int32_t count);
    void (*_Nonnull resetSpotter)(const SherpaSpotter *, const SherpaStream *);
    const SherpaHit *_Nullable (*_Nonnull hit)(const SherpaSpotter *, const SherpaStream *);
    void (*_Nonnull destroyHit)(const SherpaHit *);

    const SherpaOfflineRecognizer *_Nullable (*_Nonnull createOfflineRecognizer)(const SherpaOfflineConfig *);
    void (*_Nonnull destroyOfflineRecognizer)(const SherpaOfflineRecognizer *);
    const SherpaOfflineStream *_Nullable (*_Nonnull createOfflineStream)(const SherpaOfflineRecognizer *);
    void (*_Nonnull acceptOffline)(
        const SherpaOfflineStream *, int32_t sampleRate, const float *_Nullable samples, int32_t count);
    void (*_Nonnull decodeOffline)(const SherpaOfflineRecognizer *, const SherpaOfflineStream *);
    const SherpaOfflineResult *_Nullable (*_Nonnull offlineResult)(const SherpaOfflineStream *);
    void (*_Nonnull destroyOfflineResult)(const SherpaOfflineResult *);
    void (*_Nonnull destroyOfflineStream)(const SherpaOfflineStream *);
} SherpaFunctions;

/// Returns the version of a library that `dlopen` opened, or null if it is another library.
const char *_Nullable sherpa_version(void *library);

/// Finds the functions of a library that `dlopen` opened.
///
/// Returns the name of the first missing function, or null when `functions` is complete.
const char *_Nullable sherpa_find_functions(void *library, SherpaFunctions *functions);

/// Returns the path of the file that the functions come from, or null.
const char *_Nullable sherpa_path(const SherpaFunctions *functions);

#ifdef __clang__
#pragma clang assume_nonnull end
#endif
