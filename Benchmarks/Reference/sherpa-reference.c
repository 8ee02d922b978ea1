// Transcribes recordings with only sherpa-onnx's C API, for a comparison with SherpaOnnxEngine.
//
//   cc -O2 -IPREFIX/include sherpa-reference.c -o sherpa-reference \
//      -LPREFIX/lib -lsherpa-onnx-c-api -Wl,-rpath,PREFIX/lib
//   sherpa-reference [OPTION…] METHOD MODEL-DIRECTORY FILE…
//
//   -b COUNT           the number of hypotheses that modified_beam_search keeps
//   -t COUNT           the number of threads for one step
//   -e SECONDS,SECONDS,SECONDS
//                      works as in a live session. The times are the silence that ends an utterance without text, the
//                      silence that ends an utterance with text, and the greatest length of an utterance. The program
//                      reads the text whenever it may have grown, like a program that shows it.
//   -m                 the model is Moonshine. The program recognizes each file as a whole, and METHOD is greedy_search.
//
// A file has 16 kHz, mono, signed 16-bit samples. In a .wav file, they follow a header of 44 bytes. The program prints
// a line for each file: its name, a tab and its text. The last line has the CPU time of the decoding alone, in seconds.
#include <sherpa-onnx/c-api/c-api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// The silence after the audio is as long as the model looks ahead: a window and a chunk of 10 ms frames.
enum { rate = 16000, push = 1600, padding = (45 + 32) * 160 };

static double cpuSeconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

static void printText(const SherpaOnnxOnlineRecognizer *recognizer, const SherpaOnnxOnlineStream *stream) {
    const SherpaOnnxOnlineRecognizerResult *result = SherpaOnnxGetOnlineStreamResult(recognizer, stream);
    if (*result->text) printf("%s ", result->text);
    SherpaOnnxDestroyOnlineRecognizerResult(result);
}

static void decode(const SherpaOnnxOnlineRecognizer *recognizer, const SherpaOnnxOnlineStream *stream, int isLive) {
    int hasDecoded = 0;
    while (SherpaOnnxIsOnlineStreamReady(recognizer, stream)) {
        SherpaOnnxDecodeOnlineStream(recognizer, stream);
        hasDecoded = 1;
        if (!isLive || !SherpaOnnxOnlineStreamIsEndpoint(recognizer, stream)) continue;
        printText(recognizer, stream);
        SherpaOnnxOnlineStreamReset(recognizer, stream);
    }
    if (isLive && hasDecoded)
        SherpaOnnxDestroyOnlineRecognizerResult(SherpaOnnxGetOnlineStreamResult(recognizer, stream));
}

static void transcribe(const SherpaOnnxOnlineRecognizer *recognizer, const char *path, int isLive) {
    FILE *file = fopen(path, "rb");
    const char *extension = strrchr(path, '.');
    if (!file || (extension && !strcmp(extension, ".wav") && fseek(file, 44, SEEK_SET))) {
        perror(path);
        exit(1);
    }
    printf("%s\t", path);
    const SherpaOnnxOnlineStream *stream = SherpaOnnxCreateOnlineStream(recognizer);
    short samples[push];
    float floats[push];
    size_t count;
    while ((count = fread(samples, sizeof *samples, push, file)) > 0) {
        for (size_t i = 0; i < count; i++) floats[i] = samples[i] / 32768.0f;
        SherpaOnnxOnlineStreamAcceptWaveform(stream, rate, floats, (int32_t)count);
        decode(recognizer, stream, isLive);
    }
    fclose(file);
    static const float silence[padding];
    SherpaOnnxOnlineStreamAcceptWaveform(stream, rate, silence, padding);
    SherpaOnnxOnlineStreamInputFinished(stream);
    decode(recognizer, stream, isLive);
    printText(recognizer, stream);
    printf("\n");
    SherpaOnnxDestroyOnlineStream(stream);
}

static void transcribeWhole(const SherpaOnnxOfflineRecognizer *recognizer, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) {
        perror(path);
        exit(1);
    }
    size_t count = (ftell(file) - 44) / sizeof(short);
    short *samples = malloc(count * sizeof *samples);
    float *floats = malloc(count * sizeof *floats);
    fseek(file, 44, SEEK_SET);
    count = fread(samples, sizeof *samples, count, file);
    fclose(file);
    for (size_t i = 0; i < count; i++) floats[i] = samples[i] / 32768.0f;
    const SherpaOnnxOfflineStream *stream = SherpaOnnxCreateOfflineStream(recognizer);
    SherpaOnnxAcceptWaveformOffline(stream, rate, floats, (int32_t)count);
    SherpaOnnxDecodeOfflineStream(recognizer, stream);
    const SherpaOnnxOfflineRecognizerResult *result = SherpaOnnxGetOfflineStreamResult(stream);
    printf("%s\t%s\n", path, result->text);
    SherpaOnnxDestroyOfflineRecognizerResult(result);
    SherpaOnnxDestroyOfflineStream(stream);
    free(floats);
    free(samples);
}

static int runMoonshine(int threads, char **arguments) {
    char encoder[4096], decoder[4096], tokens[4096];
    snprintf(encoder, sizeof encoder, "%s/encoder_model.ort", arguments[1]);
    snprintf(decoder, sizeof decoder, "%s/decoder_model_merged.ort", arguments[1]);
    snprintf(tokens, sizeof tokens, "%s/tokens.txt", arguments[1]);
    SherpaOnnxOfflineRecognizerConfig config;
    memset(&config, 0, sizeof config);
    config.feat_config.sample_rate = rate;
    config.feat_config.feature_dim = 80;
    config.model_config.moonshine.encoder = encoder;
    config.model_config.moonshine.merged_decoder = decoder;
    config.model_config.tokens = tokens;
    config.model_config.num_threads = threads;
    config.model_config.provider = "cpu";
    config.decoding_method = arguments[0];
    const SherpaOnnxOfflineRecognizer *recognizer = SherpaOnnxCreateOfflineRecognizer(&config);
    if (!recognizer) return 1;
    double start = cpuSeconds();
    for (char **file = arguments + 2; *file; file++) transcribeWhole(recognizer, *file);
    printf("cpu\t%.3f\n", cpuSeconds() - start);
    SherpaOnnxDestroyOfflineRecognizer(recognizer);
    return 0;
}

int main(int count, char **arguments) {
    SherpaOnnxOnlineRecognizerConfig config;
    memset(&config, 0, sizeof config);
    config.feat_config.sample_rate = rate;
    config.feat_config.feature_dim = 80;
    config.model_config.num_threads = 1;
    config.model_config.provider = "cpu";
    config.max_active_paths = 4;
    int isMoonshine = 0;
    for (int option; (option = getopt(count, arguments, "b:t:e:m")) != -1;) {
        if (option == 'b') config.max_active_paths = atoi(optarg);
        else if (option == 't') config.model_config.num_threads = atoi(optarg);
        else if (option == 'm') isMoonshine = 1;
        else if (option == 'e' &&
                 sscanf(optarg, "%f,%f,%f", &config.rule1_min_trailing_silence, &config.rule2_min_trailing_silence,
                        &config.rule3_min_utterance_length) == 3) config.enable_endpoint = 1;
        else optind = count;
    }
    arguments += optind;
    if (count - optind < 3) {
        fprintf(stderr, "usage: sherpa-reference [-b N] [-t N] [-e S,S,S] [-m] "
                        "greedy_search|modified_beam_search MODEL-DIRECTORY FILE...\n");
        return 2;
    }
    if (isMoonshine) return runMoonshine(config.model_config.num_threads, arguments);
    char encoder[4096], decoder[4096], joiner[4096], tokens[4096];
    snprintf(encoder, sizeof encoder, "%s/encoder.int8.onnx", arguments[1]);
    snprintf(decoder, sizeof decoder, "%s/decoder.onnx", arguments[1]);
    snprintf(joiner, sizeof joiner, "%s/joiner.int8.onnx", arguments[1]);
    snprintf(tokens, sizeof tokens, "%s/tokens.txt", arguments[1]);
    config.model_config.transducer.encoder = encoder;
    config.model_config.transducer.decoder = decoder;
    config.model_config.transducer.joiner = joiner;
    config.model_config.tokens = tokens;
    config.decoding_method = arguments[0];

    const SherpaOnnxOnlineRecognizer *recognizer = SherpaOnnxCreateOnlineRecognizer(&config);
    if (!recognizer) return 1;
    double start = cpuSeconds();
    for (char **file = arguments + 2; *file; file++) transcribe(recognizer, *file, config.enable_endpoint);
    printf("cpu\t%.3f\n", cpuSeconds() - start);
    SherpaOnnxDestroyOnlineRecognizer(recognizer);
    return 0;
}
