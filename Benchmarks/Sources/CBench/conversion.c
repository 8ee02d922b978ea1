// Does the same work as the converter, in plain C.
#include "CBench.h"
#include <samplerate.h>
#include <stdlib.h>

long bare_conversion(
    const int16_t *stereo, long frames, long piece, double ratio, int converter, int16_t *mono, long capacity) {
    int error = 0;
    SRC_STATE *state = src_new(converter, 1, &error);
    long room = (long)(piece * ratio) + 1024, written = 0;
    float *in = malloc(sizeof(float) * piece * 2), *out = malloc(sizeof(float) * room);
    if (!state || !in || !out) goto end;
    for (long at = 0; at < frames && written >= 0; at += piece) {
        long count = frames - at < piece ? frames - at : piece;
        src_short_to_float_array(stereo + 2 * at, in, (int)(2 * count));
        for (long i = 0; i < count; i++) in[i] = (in[2 * i] + in[2 * i + 1]) / 2;
        SRC_DATA data = {.data_in = in, .input_frames = count, .src_ratio = ratio, .end_of_input = at + count >= frames};
        do {
            data.data_out = out;
            data.output_frames = room;
            if (src_process(state, &data) || written + data.output_frames_gen > capacity) { written = -1; break; }
            src_float_to_short_array(out, mono + written, (int)data.output_frames_gen);
            written += data.output_frames_gen;
            data.data_in += data.input_frames_used;
            data.input_frames -= data.input_frames_used;
        } while (data.input_frames > 0 || data.output_frames_gen == room);
    }
end:
    free(in);
    free(out);
    if (state) src_delete(state);
    return written;
}

long bare_mono_conversion(
    const float *in, long frames, double ratio, int converter, float *out, long capacity) {
    SRC_DATA data = {
        .data_in = in, .input_frames = frames, .data_out = out, .output_frames = capacity, .src_ratio = ratio};
    return src_simple(&data, converter, 1) ? -1 : data.output_frames_gen;
}
