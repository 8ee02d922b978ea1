import DictationCore
import Synchronization
import Testing

@testable import DictationEngines

/// The rules of hearing a voice, with made-up probabilities.
struct VoiceDetectorTests {
    /// Counts how often the network began to remember.
    private final class Beginnings: Sendable {
        let count = Mutex(0)
    }

    /// Returns what a detector hears in windows with these probabilities.
    private func heard(_ probabilities: [Float], _ beginnings: Beginnings = Beginnings()) -> [Bool] {
        let rest = Mutex(probabilities[...])
        var detector = VoiceDetector { samples, memory in
            if memory.isNew { beginnings.count.withLock { $0 += 1 } }
            #expect(samples.count == VoiceDetector.window)
            return rest.withLock { $0.popFirst() } ?? 0
        }
        var heard: [Bool] = []
        for _ in 0..<probabilities.count * 2 {
            if let isSpeech = detector.add([Float](repeating: 0.5, count: 256)[...]) { heard.append(isSpeech) }
        }
        return heard
    }

    @Test func speechBeginsAtAHalfAndGoesOnWithLess() {
        #expect(heard([0.4, 0.5, 0.4, 0.35, 0.3, 0.4, 0.6]) == [false, true, true, true, false, false, true])
    }

    /// Music and noise would make the network deaf to the speech after them.
    @Test func theNetworkForgetsInAClearPause() {
        let beginnings = Beginnings()
        let pause = [Float](repeating: 0.05, count: 5)
        _ = heard([Float](repeating: 0.3, count: 62) + pause + [0.9], beginnings)
        #expect(beginnings.count.withLock { $0 } == 2)
    }

    @Test func theNetworkDoesNotForgetInAWordOrSoon() {
        let beginnings = Beginnings()
        let dip: [Float] = [0.05, 0.05, 0.05, 0.05, 0.2]
        _ = heard([Float](repeating: 0.05, count: 40) + (0..<20).flatMap { _ in dip } + [0.9], beginnings)
        #expect(beginnings.count.withLock { $0 } == 1)
    }

    @Test func aNetworkThatFailsHearsNothing() {
        var detector = VoiceDetector { _, _ throws(DictationError) in throw DictationError(.engineFailed, "test") }
        let heard = (0..<20).compactMap { _ in detector.add([Float](repeating: 1, count: 256)[...]) }
        #expect(heard == [Bool](repeating: false, count: 10))
        #expect(throws: DictationError.self) { try detector.check() }
    }
}

extension VoiceDetector.Memory {
    /// Whether the network heard nothing yet. The windows of these tests are not zero.
    fileprivate var isNew: Bool { context.allSatisfy { $0 == 0 } }
}
