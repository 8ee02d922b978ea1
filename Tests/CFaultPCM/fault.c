// An ALSA capture device that fails on demand, for tests. Built by the tests, loaded by libasound from a configuration:
//
//   pcm.fault { type fault  fault "epipe"  where "transfer"  after 16000  times 1  pause 0 }
//   pcm_type.fault { lib "/…/libfault.so" }
//
// It gives samples that count the frames in 15 bits, paced by a timer as a device's clock would: 16-bit ones, mono, at
// 16 kHz, or what `format` ("S16_LE", "S32_LE", "S24_3LE", "FLOAT_LE"), `channels` and `rate` say. After so many frames
// it fails in `transfer` or `pointer`, once or for ever, or pauses. While the file `gone` exists it can't be opened;
// with `denied` it may not be. With `restless` it wakes who waits for it every millisecond, mostly for nothing. To the
// file `log` it writes, at each stop, when it was started, how many frames it gave, its period and its buffer.
#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    snd_pcm_ioplug_t io;
    int timer;
    int error;          // what to fail with, 0 for a pause
    int in_pointer;
    long after;         // frames before the fault
    long pause_ms;
    long restless;
    int64_t started_ns;
    int64_t offset;     // frames that pauses took
    int64_t read;       // frames given out
    int64_t ready;      // frames there were at the latest
    int is_dead;        // a fault for ever has struck; only another handle is well
    int is_pending;     // it has struck and nobody has done anything about it
    long *left;         // how often it may still fail, for ever when negative
    char log[512];
} fault_t;

// One count for each `id` in the process, so that a reopened device is well again.
static struct { char id[64]; long left; } counts[64];

static long *count_of(const char *id, long times) {
    int index = 0;
    while (index < 63 && counts[index].id[0] && strcmp(counts[index].id, id)) index++;
    if (!counts[index].id[0]) {
        snprintf(counts[index].id, sizeof counts[index].id, "%s", id);
        counts[index].left = times;
    }
    return &counts[index].left;
}

static int64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int64_t clock_frames(fault_t *fault) {
    return (now_ns() - fault->started_ns) * (int64_t)fault->io.rate / 1000000000 - fault->offset;
}

static int is_due(fault_t *fault) {
    if (fault->is_dead) return 1;
    if (fault->read < fault->after || *fault->left == 0) return 0;
    if (*fault->left > 0) --*fault->left;
    else fault->is_dead = 1;
    return 1;
}

static int fault_start(snd_pcm_ioplug_t *io) {
    fault_t *fault = io->private_data;
    fault->started_ns = now_ns();
    fault->offset = 0;
    fault->read = 0;
    fault->ready = 0;
    long interval = fault->restless ? 1000000 : 10000000;
    struct itimerspec tick = {{0, interval}, {0, interval}};
    timerfd_settime(fault->timer, 0, &tick, NULL);
    return 0;
}

static int fault_stop(snd_pcm_ioplug_t *io) {
    fault_t *fault = io->private_data;
    struct itimerspec off = {{0, 0}, {0, 0}};
    timerfd_settime(fault->timer, 0, &off, NULL);
    FILE *log = fault->log[0] && fault->started_ns ? fopen(fault->log, "a") : NULL;
    if (log) {
        fprintf(
            log, "%lld %lld %lu %lu\n", (long long)fault->started_ns, (long long)fault->read, io->period_size,
            io->buffer_size);
        fclose(log);
    }
    fault->started_ns = 0;
    return 0;
}

static snd_pcm_sframes_t fault_pointer(snd_pcm_ioplug_t *io) {
    fault_t *fault = io->private_data;
    if (io->state != SND_PCM_STATE_RUNNING) return 0;
    if (fault->error && fault->in_pointer && is_due(fault)) return -fault->error;
    int64_t ready = clock_frames(fault);
    if (ready < fault->ready) ready = fault->ready;
    fault->ready = ready;
    if (ready - fault->read > (int64_t)io->buffer_size) return -EPIPE;
    return ready % io->buffer_size;
}

static snd_pcm_sframes_t fault_transfer(
    snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset, snd_pcm_uframes_t size
) {
    fault_t *fault = io->private_data;
    // A read that had some frames already keeps the error to itself: then it comes again.
    if (!fault->in_pointer && (fault->is_pending || is_due(fault))) {
        if (fault->error) {
            fault->is_pending = 1;
            return -fault->error;
        }
        // A pause: the clock of the device stands still, nothing is lost and nothing comes.
        struct itimerspec later = {{0, 10000000}, {fault->pause_ms / 1000, fault->pause_ms % 1000 * 1000000 + 1}};
        timerfd_settime(fault->timer, 0, &later, NULL);
        fault->offset += fault->pause_ms * (int64_t)io->rate / 1000;
    }
    char *base = (char *)areas->addr + areas->first / 8 + areas->step / 8 * offset;
    int bytes = snd_pcm_format_physical_width(io->format) / 8;
    for (snd_pcm_uframes_t index = 0; index < size; index++) {
        int32_t sample = (int32_t)((fault->read + (int64_t)index) & 0x7FFF);
        float fraction = sample / 32768.0f;
        // Little-endian: the 16 bits are the highest ones.
        uint32_t word = (uint32_t)sample << (bytes - 2) * 8;
        for (unsigned int channel = 0; channel < io->channels; channel++) {
            char *place = base + areas->step / 8 * index + bytes * channel;
            memcpy(place, io->format == SND_PCM_FORMAT_FLOAT_LE ? (void *)&fraction : (void *)&word, bytes);
        }
    }
    fault->read += size;
    return size;
}

static int fault_poll_revents(snd_pcm_ioplug_t *io, struct pollfd *descriptors, unsigned int count, unsigned short *events) {
    fault_t *fault = io->private_data;
    uint64_t ticks;
    if (read(fault->timer, &ticks, sizeof ticks) < 0) ticks = 0;
    int64_t ready = clock_frames(fault) - fault->read;
    *events = ticks > 0 && (!fault->restless || ready >= (int64_t)io->period_size) ? POLLIN : 0;
    return 0;
}

static int fault_recovered(snd_pcm_ioplug_t *io) {
    ((fault_t *)io->private_data)->is_pending = 0;
    return 0;
}

static int fault_close(snd_pcm_ioplug_t *io) {
    fault_t *fault = io->private_data;
    close(fault->timer);
    free(fault);
    return 0;
}

static const snd_pcm_ioplug_callback_t callbacks = {
    .start = fault_start,
    .stop = fault_stop,
    .pointer = fault_pointer,
    .transfer = fault_transfer,
    .prepare = fault_recovered,
    .resume = fault_recovered,
    .close = fault_close,
    .poll_revents = fault_poll_revents,
};

static int number(const char *text) {
    if (!strcmp(text, "epipe")) return EPIPE;
    if (!strcmp(text, "estrpipe")) return ESTRPIPE;
    if (!strcmp(text, "enodev")) return ENODEV;
    if (!strcmp(text, "eio")) return EIO;
    return 0;
}

SND_PCM_PLUGIN_DEFINE_FUNC(fault) {
    const char *error = "", *where = "transfer", *which = "", *gone = "", *log = "", *format = "S16_LE";
    long after = 0, times = 0, pause_ms = 0, denied = 0, restless = 0, rate = 16000, channels = 1;
    snd_config_iterator_t i, next;
    snd_config_for_each(i, next, conf) {
        snd_config_t *entry = snd_config_iterator_entry(i);
        const char *id;
        if (snd_config_get_id(entry, &id) < 0) continue;
        if (!strcmp(id, "fault")) snd_config_get_string(entry, &error);
        if (!strcmp(id, "where")) snd_config_get_string(entry, &where);
        if (!strcmp(id, "after")) snd_config_get_integer(entry, &after);
        if (!strcmp(id, "times")) snd_config_get_integer(entry, &times);
        if (!strcmp(id, "pause")) snd_config_get_integer(entry, &pause_ms);
        if (!strcmp(id, "denied")) snd_config_get_integer(entry, &denied);
        if (!strcmp(id, "restless")) snd_config_get_integer(entry, &restless);
        if (!strcmp(id, "rate")) snd_config_get_integer(entry, &rate);
        if (!strcmp(id, "channels")) snd_config_get_integer(entry, &channels);
        if (!strcmp(id, "format")) snd_config_get_string(entry, &format);
        if (!strcmp(id, "id")) snd_config_get_string(entry, &which);
        if (!strcmp(id, "gone")) snd_config_get_string(entry, &gone);
        if (!strcmp(id, "log")) snd_config_get_string(entry, &log);
    }
    if (access(gone, F_OK) == 0) return -ENODEV;
    if (denied) return -EACCES;

    fault_t *fault = calloc(1, sizeof *fault);
    if (!fault) return -ENOMEM;
    fault->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    fault->error = number(error);
    fault->in_pointer = !strcmp(where, "pointer");
    fault->after = after;
    fault->left = count_of(which, times);
    snprintf(fault->log, sizeof fault->log, "%s", log);
    fault->pause_ms = pause_ms;
    fault->restless = restless;
    fault->io.version = SND_PCM_IOPLUG_VERSION;
    fault->io.name = "fault injecting test device";
    fault->io.callback = &callbacks;
    fault->io.private_data = fault;
    fault->io.poll_fd = fault->timer;
    fault->io.poll_events = POLLIN;
    int code = snd_pcm_ioplug_create(&fault->io, name, stream, mode);
    if (code < 0) {
        close(fault->timer);
        free(fault);
        return code;
    }
    static const unsigned int access[] = {SND_PCM_ACCESS_RW_INTERLEAVED};
    snd_pcm_format_t sample = snd_pcm_format_value(format);
    const unsigned int formats[] = {sample};
    unsigned int frame = (unsigned int)(snd_pcm_format_physical_width(sample) / 8 * channels);
    snd_pcm_ioplug_set_param_list(&fault->io, SND_PCM_IOPLUG_HW_ACCESS, 1, access);
    snd_pcm_ioplug_set_param_list(&fault->io, SND_PCM_IOPLUG_HW_FORMAT, 1, formats);
    snd_pcm_ioplug_set_param_minmax(&fault->io, SND_PCM_IOPLUG_HW_CHANNELS, channels, channels);
    snd_pcm_ioplug_set_param_minmax(&fault->io, SND_PCM_IOPLUG_HW_RATE, rate, rate);
    // From 5 ms to 100 ms, and from 50 ms to 2 s.
    snd_pcm_ioplug_set_param_minmax(&fault->io, SND_PCM_IOPLUG_HW_PERIOD_BYTES, rate / 200 * frame, rate / 10 * frame);
    snd_pcm_ioplug_set_param_minmax(&fault->io, SND_PCM_IOPLUG_HW_BUFFER_BYTES, rate / 20 * frame, rate * 2 * frame);
    *pcmp = fault->io.pcm;
    return 0;
}
SND_PCM_PLUGIN_SYMBOL(fault);
