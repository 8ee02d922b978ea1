#!/usr/bin/env python3
"""Names the tones in raw audio of 16 kHz from standard input, in their order: high or low."""
import array
import sys

data = sys.stdin.buffer.read()
samples = array.array("h", data[: len(data) // 2 * 2])
tones, current, quiet = [], [], 0
for sample in samples + array.array("h", [0] * 1600):
    if sample:
        current += [0] * quiet + [sample] if current else [sample]
        quiet = 0
    else:
        quiet += 1
        if quiet == 800 and len(current) > 800:
            rises = sum(1 for a, b in zip(current, current[1:]) if a < 0 <= b)
            tones.append("high" if rises * 16000 / len(current) > 730 else "low")
        if quiet >= 800:
            current = []
print(" ".join(tones))
