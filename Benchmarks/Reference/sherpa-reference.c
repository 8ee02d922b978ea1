// Transcribes recordings with sherpa-onnx's C API alone: what SherpaOnnxEngine is compared with.
//
//   cc -O2 sherpa-reference.c -o sherpa-reference $(pkg-config --cflags --libs sherpa-onnx)
//   sherpa-reference METHOD MODEL-DIRECTORY FILE.raw...      (16 kHz, mono, signed 16-bit samples)
//
// Prints a line per file: its name, a tab, its text. The last line is the CPU time in seconds of the decoding alone.
#include <sherpa-onnx/c-api/c-api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { rate = 16000, push = 1600 };

static double cpuSeconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

static void decode(const SherpaOnnxOnlineRecognizer *recognizer, const SherpaOnnxOnlineStream *stream) {
    while (SherpaOnnxIsOnlineStreamReady(recognizer, stream)) SherpaOnnxDecodeOnlineStream(recognizer, stream);
}

static void transcribe(const SherpaOnnxOnlineRecognizer *recognizer, const char *path, int padding) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    const SherpaOnnxOnlineStream *stream = SherpaOnnxCreateOnlineStream(recognizer);
    short samples[push];
    float floats[push];
    size_t count;
    while ((count = fread(samples, sizeof *samples, push, file)) > 0) {
        for (size_t i = 0; i < count; i++) floats[i] = samples[i] / 32768.0f;
        SherpaOnnxOnlineStreamAcceptWaveform(stream, rate, floats, (int32_t)count);
        decode(recognizer, stream);
    }
    fclose(file);
    float *silence = calloc((size_t)padding, sizeof *silence);
    SherpaOnnxOnlineStreamAcceptWaveform(stream, rate, silence, padding);
    free(silence);
    SherpaOnnxOnlineStreamInputFinished(stream);
    decode(recognizer, stream);
    const SherpaOnnxOnlineRecognizerResult *result = SherpaOnnxGetOnlineStreamResult(recognizer, stream);
    printf("%s\t%s\n", path, result->text);
    if (getenv("REFERENCE_JSON")) printf("%s\n", result->json);
    SherpaOnnxDestroyOnlineRecognizerResult(result);
    SherpaOnnxDestroyOnlineStream(stream);
}

int main(int count, char **arguments) {
    if (count < 4) {
        fprintf(stderr, "usage: sherpa-reference greedy_search|modified_beam_search MODEL-DIRECTORY FILE.raw...\n");
        return 2;
    }
    char encoder[4096], decoder[4096], joiner[4096], tokens[4096];
    snprintf(encoder, sizeof encoder, "%s/encoder.int8.onnx", arguments[2]);
    snprintf(decoder, sizeof decoder, "%s/decoder.onnx", arguments[2]);
    snprintf(joiner, sizeof joiner, "%s/joiner.int8.onnx", arguments[2]);
    snprintf(tokens, sizeof tokens, "%s/tokens.txt", arguments[2]);

    SherpaOnnxOnlineRecognizerConfig config;
    memset(&config, 0, sizeof config);
    config.feat_config.sample_rate = rate;
    config.feat_config.feature_dim = 80;
    config.model_config.transducer.encoder = encoder;
    config.model_config.transducer.decoder = decoder;
    config.model_config.transducer.joiner = joiner;
    config.model_config.tokens = tokens;
    config.model_config.num_threads = 1;
    config.model_config.provider = "cpu";
    config.decoding_method = arguments[1];
    config.max_active_paths = 4;

    const SherpaOnnxOnlineRecognizer *recognizer = SherpaOnnxCreateOnlineRecognizer(&config);
    if (!recognizer) return 1;
    double start = cpuSeconds();
    for (int i = 3; i < count; i++) transcribe(recognizer, arguments[i], (45 + 32) * 160);
    printf("cpu\t%.3f\n", cpuSeconds() - start);
    SherpaOnnxDestroyOnlineRecognizer(recognizer);
    return 0;
}
