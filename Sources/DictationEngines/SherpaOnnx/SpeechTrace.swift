import DictationCore

/// A record of how far the audio of a stream stood out from its background, in blocks of 40 ms.
///
/// The model sometimes makes a word out of silence or steady noise. The record shows that there was no speech.
struct SpeechTrace: Sendable {
    private static let blockLength = 640
    /// The least ratio of a word's power to the background's: 6 dB.
    private static let leastRatio: Float = 4
    /// The seconds by which the model may misjudge a word's time.
    private static let slack = 0.4

    private var contrast = SpeechContrast(sampleRate: 16_000)
    private var blocks: [Float] = []
    private var firstBlock = 0
    private var fill = 0
    private var highest: Float = 0

    mutating func add(_ samples: UnsafeMutableBufferPointer<Float>) {
        for sample in samples {
            if contrast.endsFrame(with: sample) { highest = max(highest, contrast.ratio) }
            count()
        }
    }

    /// Counts silence that was put into a gap.
    mutating func skip(_ frames: Int) {
        for _ in 0..<max(0, frames) { count() }
    }

    private mutating func count() {
        fill += 1
        guard fill == Self.blockLength else { return }
        blocks.append(highest)
        highest = 0
        fill = 0
    }

    /// Discards the blocks well before a sample.
    mutating func discard(before sample: Int64) {
        let keep = Int(sample) / Self.blockLength - Int(Self.slack * 25) - 1
        guard keep > firstBlock else { return }
        let gone = min(keep - firstBlock, blocks.count)
        blocks.removeFirst(gone)
        firstBlock += gone
    }

    /// Whether any audio stood out between two samples.
    func standsOut(from start: Int64, to end: Int64) -> Bool {
        let slack = Int64(Self.slack * 16_000)
        let first = max(0, Int((start - slack) / Int64(Self.blockLength)) - firstBlock)
        let last = min(blocks.count, Int((end + slack) / Int64(Self.blockLength)) + 1 - firstBlock)
        guard first < last else { return fill > 0 && highest >= Self.leastRatio }
        return blocks[first..<last].contains { $0 >= Self.leastRatio }
    }
}
