import Foundation
import Testing

@testable import DictationCore

/// Speech stands out from its background, whatever lies below the frequencies of speech.
@Suite struct SpeechContrastTests {
    /// Bursts of a tone, half a second of each second, on a constant offset and the hum of the mains.
    private func ratios(offset: Float, hum: Float, frequency: Double = 50) -> (sound: Float, pause: Float) {
        var contrast = SpeechContrast(sampleRate: 16_000)
        var (sound, pause) = (Float.infinity, Float(0))
        for index in 0..<64_000 {
            let time = Double(index) / 16_000
            let isSound = time.truncatingRemainder(dividingBy: 1) < 0.5
            let tone = isSound ? 0.02 * sin(2 * .pi * 600 * time) : 0
            let noise = 0.0002 * sin(2 * .pi * 1_733 * time)
            let low = Double(offset) + Double(hum) * sin(2 * .pi * frequency * time)
            guard contrast.endsFrame(with: Float(tone + noise + low)), time > 1 else { continue }
            // The frames at the edges have a part of both.
            let phase = time.truncatingRemainder(dividingBy: 0.5)
            guard phase > 0.02, phase < 0.48 else { continue }
            if isSound { sound = min(sound, contrast.ratio) } else { pause = max(pause, contrast.ratio) }
        }
        return (sound, pause)
    }

    @Test(arguments: [(Float(0), Float(0)), (0.08, 0), (-0.3, 0), (0, 0.03), (0.05, 0.03)])
    func lowFrequenciesHideNoSpeech(offset: Float, hum: Float) {
        let (sound, pause) = ratios(offset: offset, hum: hum)
        #expect(sound > 6 && pause < 3, "\(sound), \(pause)")
    }

    /// A sample that is no number, or far too large, disturbs its own frame and no later one.
    @Test(arguments: [Float.nan, .infinity, -.infinity, 1e30])
    func aWrongSampleIsForgotten(_ wrong: Float) {
        var contrast = SpeechContrast(sampleRate: 16_000)
        _ = contrast.endsFrame(with: wrong)
        var last = Float.nan
        for index in 0..<32_000 where contrast.endsFrame(with: 0.1 * sin(Float(index))) { last = contrast.power }
        #expect(last.isFinite && last > 0.001 && last < 0.02)
    }
}
