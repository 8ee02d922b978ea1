import Testing

@testable import DictationCore

/// Speech and silence, by loudness and by a voice detector.
struct InputMonitorTests {
    private func level(_ decibels: Double) -> AudioLevel {
        AudioLevel(rms: Decibels(decibels), peak: Decibels(decibels + 6))
    }

    @Test func loudnessCountsUntilADetectorSpeaks() {
        var monitor = InputMonitor(thresholds: .init())
        #expect(monitor.hear(level(-20), through: .seconds(1)) == .speech)
        // A fan is loud, and nobody speaks.
        let nobody = SpeechUpdate.Voice(through: .seconds(3), speech: nil)
        #expect(monitor.hear(nobody) == .noSpeech)
        #expect(monitor.hear(level(-20), through: .seconds(4)) == nil)
        #expect(monitor.silence == .zero && !monitor.hasHeardSpeech)
    }

    /// Somebody whispers.
    @Test func quietSpeechIsSpeechIfTheDetectorSaysSo() {
        var monitor = InputMonitor(thresholds: .init())
        #expect(monitor.hear(level(-60), through: .seconds(3)) == .noSpeech)
        let voice = SpeechUpdate.Voice(through: .seconds(3), speech: .seconds(2)..<Duration.seconds(3))
        #expect(monitor.hear(voice) == .speech)
        #expect(monitor.hear(level(-60), through: .seconds(4)) == nil)
    }

    /// An engine may be behind the audio. What it has not heard yet is no silence.
    @Test func silenceIsWhatTheDetectorHeard() {
        var monitor = InputMonitor(thresholds: .init())
        _ = monitor.hear(level(-20), through: .seconds(20))
        let speech = Duration.seconds(1)..<Duration.seconds(9)
        _ = monitor.hear(SpeechUpdate.Voice(through: .seconds(9), speech: speech))
        #expect(monitor.silence == .zero)
        #expect(monitor.hear(SpeechUpdate.Voice(through: .seconds(10), speech: speech)) == nil)
        #expect(monitor.silence == .seconds(1))
        #expect(monitor.hear(SpeechUpdate.Voice(through: .seconds(11), speech: speech)) == .noSpeech)
    }

    @Test func noSoundAtAllIsSaidAlsoWithADetector() {
        var monitor = InputMonitor(thresholds: .init())
        _ = monitor.hear(SpeechUpdate.Voice(through: .seconds(1), speech: nil))
        _ = monitor.hear(level(-20), through: .seconds(1))
        #expect(monitor.hear(.silence, through: .seconds(4)) == .digitalSilence)
        #expect(monitor.hear(SpeechUpdate.Voice(through: .seconds(4), speech: nil)) == nil)
    }
}
