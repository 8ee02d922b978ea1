"""Prints the log-mel features of a made-up sound, as Whisper defines them, for LogMelFeaturesTests.

usage: log-mel.py >log-mel.txt    (needs numpy)
"""

import numpy

RATE, LENGTH, STEP, FRAMES, BANDS = 16_000, 400, 160, 800, 80


def sound():
    """Three seconds of nothing, then a tone that rises, with noise."""
    place = numpy.arange(FRAMES * STEP, dtype=numpy.float64)
    state, noise = 1, []
    for _ in range(FRAMES * STEP):
        state = (state * 1_664_525 + 1_013_904_223) % 2**32
        noise.append(state / 2**32 - 0.5)
    tone = 0.3 * numpy.sin(2 * numpy.pi * (100 + place / 64) * place / RATE)
    return numpy.where(place < 3 * RATE, 0, tone + 0.02 * numpy.array(noise)).astype(numpy.float32)


def bands():
    """Triangles of equal area, whose middles lie evenly on Slaney's mel scale."""
    def mel(hertz):
        return numpy.where(hertz < 1_000, 3 * hertz / 200, 15 + 27 * numpy.log(numpy.maximum(hertz, 1) / 1_000) / numpy.log(6.4))

    def hertz(mel):
        return numpy.where(mel < 15, 200 * mel / 3, 1_000 * numpy.exp(numpy.log(6.4) / 27 * (mel - 15)))

    edges = hertz(numpy.linspace(0, mel(numpy.array(RATE / 2)), BANDS + 2))
    bins = numpy.linspace(0, RATE / 2, LENGTH // 2 + 1)
    rising = (bins[None] - edges[:-2, None]) / numpy.diff(edges)[:-1, None]
    falling = (edges[2:, None] - bins[None]) / numpy.diff(edges)[1:, None]
    return numpy.maximum(0, numpy.minimum(rising, falling)) * (2 / (edges[2:] - edges[:-2]))[:, None]


samples = sound()
samples = (samples - samples.mean()) / numpy.sqrt(samples.var() + 1e-7)
padded = numpy.pad(samples.astype(numpy.float64), LENGTH // 2, mode="reflect")
window = numpy.hanning(LENGTH + 1)[:-1]
frames = numpy.lib.stride_tricks.sliding_window_view(padded, LENGTH)[::STEP][:FRAMES]
power = numpy.abs(numpy.fft.rfft(frames * window)) ** 2
logs = numpy.log10(numpy.maximum(1e-10, power @ bands().T))
features = (numpy.maximum(logs, logs.max() - 8) + 4) / 4
for frame in range(0, FRAMES, 33):
    print(" ".join(f"{value:.5f}" for value in features[frame]))
