import DictationCore

/// The newest audio of a session, from which stretches are decoded again.
struct AudioHistory: Sendable {
    private var buffers: [AudioBuffer] = []
    /// The end of the audio that was discarded.
    private var removedThrough: Duration = .zero

    /// Adds a buffer after all others.
    mutating func append(_ buffer: AudioBuffer) {
        if !buffer.isEmpty { buffers.append(buffer) }
    }

    /// Discards audio that no stretch needs which begins at `time` or later.
    mutating func removeAudio(before time: Duration) {
        let count = buffers.prefix { $0.end <= time }.count
        guard count > 0 else { return }
        removedThrough = buffers[count - 1].end
        buffers.removeFirst(count)
    }

    /// Returns the middle of the quietest tenth of a second in a range, where a cut is the least likely to split a word.
    func quietest(in range: Range<Duration>) -> Duration {
        guard let first = stretch(range)?.buffers.first else { return range.lowerBound }
        var contrast = SpeechContrast(sampleRate: first.format.sampleRate)
        var powers: [Float] = []
        for buffer in stretch(range)?.buffers ?? [] {
            buffer.forEachSample { if contrast.endsFrame(with: $0) { powers.append(contrast.power) } }
        }
        func power(_ frame: Int) -> Float { powers[frame..<min(powers.count, frame + 10)].reduce(0, +) }
        let quietest = (0...max(0, powers.count - 10)).min { power($0) < power($1) } ?? 0
        return min(range.upperBound, first.start + .milliseconds(10) * (quietest + 5))
    }

    /// Returns the audio of a range, with its gaps; `nil` if its beginning was discarded or it has no audio.
    func stretch(_ range: Range<Duration>) -> AudioStretch? {
        guard removedThrough <= range.lowerBound else { return nil }
        let stretch = AudioStretch(
            range: range,
            buffers: buffers.compactMap { buffer in
                guard buffer.start < range.upperBound, buffer.end > range.lowerBound else { return nil }
                let format = buffer.format
                let first = format.frames(in: max(.zero, range.lowerBound - buffer.start))
                let last = format.frames(in: min(buffer.duration, range.upperBound - buffer.start))
                let slice = buffer.slice(Int(clamping: first)..<Int(clamping: max(first, last)))
                return slice.isEmpty ? nil : slice
            })
        return stretch.buffers.isEmpty ? nil : stretch
    }
}

/// Some audio that an engine decodes by itself.
struct AudioStretch: Sendable {
    /// The time of the audio.
    var range: Range<Duration>
    /// The audio in order, with its times.
    var buffers: [AudioBuffer]

    var duration: Duration { range.upperBound - range.lowerBound }
}
