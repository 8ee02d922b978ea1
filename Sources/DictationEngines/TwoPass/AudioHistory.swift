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
