import DictationCore

/// Audio that can be cut into buffers of other lengths.
struct AudioCutting {
    /// The audio in as few buffers as possible: one for each stretch without a gap.
    let stretches: [AudioBuffer]
    let format: AudioFormat

    init(_ buffers: [AudioBuffer], format: AudioFormat) {
        self.format = format
        var runs: [[AudioBuffer]] = []
        for buffer in buffers where !buffer.isEmpty {
            if let last = runs.last?.last, buffer.start <= last.end + format.duration(ofFrames: 1) {
                runs[runs.count - 1].append(buffer)
            } else {
                runs.append([buffer])
            }
        }
        stretches = runs.map { Self.joined($0, format: format) }
    }

    var end: Duration { stretches.last?.end ?? .zero }
    var frameCount: Int { stretches.reduce(0) { $0 + $1.frameCount } }

    /// Cuts the audio into pieces whose lengths a closure returns.
    func pieces(_ length: () -> Int) -> [AudioBuffer] {
        stretches.flatMap { stretch in
            var pieces: [AudioBuffer] = []
            var from = 0
            while from < stretch.frameCount {
                let to = min(stretch.frameCount, from + max(1, length()))
                pieces.append(stretch.slice(from..<to))
                from = to
            }
            return pieces
        }
    }

    func pieces(of duration: Duration) -> [AudioBuffer] {
        let frames = Int(clamping: format.frames(in: duration))
        return pieces { frames }
    }

    private static func joined(_ run: [AudioBuffer], format: AudioFormat) -> AudioBuffer {
        let frames = run.reduce(0) { $0 + $1.frameCount }
        return AudioBuffer(format: format, start: run.first?.start ?? .zero, frameCount: frames) { bytes in
            var offset = 0
            for buffer in run {
                buffer.withUnsafeBytes { source in
                    UnsafeMutableRawBufferPointer(rebasing: bytes[offset..<(offset + source.count)])
                        .copyMemory(from: source)
                    offset += source.count
                }
            }
        }
    }
}
