#if SherpaOnnx
    import DictationCore

    /// Cuts a recording into pieces at its pauses, frame by frame, so that its buffers make no difference.
    ///
    /// A piece ends in the first pause after its least length, or where it was the quietest when there is none.
    struct PauseCutter {
        /// A stretch of the recording; one with a gap before it does not follow on the last.
        struct Piece: Sendable {
            var samples: [Float]
            var start: Duration
            var end: Duration { start + AudioFormat.speech.duration(ofFrames: Int64(samples.count)) }
        }

        private static let frame = 160
        private static let least = 15 * 16_000
        private static let most = 30 * 16_000
        /// The pause that ends a piece, in frames.
        private static let pause = 50
        /// What stands out by less than this is no speech.
        private static let speechRatio: Float = 6

        private var samples: [Float] = []
        private var powers: [Float] = []
        private var quietFrames = 0
        private var start: Duration = .zero
        private var contrast = SpeechContrast(sampleRate: 16_000)

        /// Takes a buffer in and gives the pieces that it completed.
        mutating func add(_ buffer: AudioBuffer) -> [Piece] {
            var pieces: [Piece] = []
            let end = start + AudioFormat.speech.duration(ofFrames: Int64(samples.count))
            if samples.isEmpty {
                start = buffer.start
            } else if buffer.start - end > .milliseconds(1) {
                pieces += flush()
                start = buffer.start
            }
            buffer.forEachSample { sample in
                samples.append(sample)
                guard contrast.endsFrame(with: sample) else { return }
                powers.append(contrast.power)
                quietFrames = contrast.ratio < Self.speechRatio ? quietFrames + 1 : 0
                if samples.count >= Self.least, quietFrames >= Self.pause {
                    pieces.append(cut(atFrame: powers.count - quietFrames / 2))
                } else if samples.count >= Self.most {
                    pieces.append(cut(atFrame: quietest))
                }
            }
            return pieces
        }

        /// Gives what is left.
        mutating func flush() -> [Piece] {
            guard !samples.isEmpty else { return [] }
            defer {
                samples = []
                powers = []
                quietFrames = 0
            }
            return [Piece(samples: samples, start: start)]
        }

        /// The frame in the second half where a tenth of a second is the quietest.
        private var quietest: Int {
            let candidates = (powers.count / 2)..<max(powers.count / 2 + 1, powers.count - 10)
            func power(_ frame: Int) -> Float { powers[frame..<min(powers.count, frame + 10)].reduce(0, +) }
            return (candidates.min { power($0) < power($1) } ?? powers.count) + 5
        }

        private mutating func cut(atFrame frame: Int) -> Piece {
            let count = min(samples.count, max(1, frame) * Self.frame)
            let piece = Piece(samples: Array(samples[..<count]), start: start)
            samples.removeFirst(count)
            powers.removeFirst(min(powers.count, max(1, frame)))
            quietFrames = min(quietFrames, powers.count)
            start = piece.end
            return piece
        }
    }
#endif
