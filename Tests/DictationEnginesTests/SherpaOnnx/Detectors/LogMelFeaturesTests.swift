import Foundation
import Testing

@testable import DictationEngines

/// The features that a network hears, against numpy's.
struct LogMelFeaturesTests {
    /// `Fixtures/log-mel.py` makes the same sound.
    private var sound: [Float] {
        var state: UInt32 = 1
        return (0..<LogMelFeatures.sampleCount).map { index in
            state = state &* 1_664_525 &+ 1_013_904_223
            let (place, noise) = (Double(index), Double(state) / 4_294_967_296 - 0.5)
            guard index >= 48_000 else { return 0 }
            return Float(0.3 * sin(2 * Double.pi * (100 + place / 64) * place / 16_000) + 0.02 * noise)
        }
    }

    @Test func theFeaturesAreThoseOfNumpy() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/log-mel.txt")
        let wanted = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
            line.split(separator: " ").compactMap { Float($0) }
        }
        try #require(wanted.count == 25 && wanted.allSatisfy { $0.count == LogMelFeatures.bandCount })
        let features = LogMelFeatures().features(of: sound)
        try #require(features.count == LogMelFeatures.bandCount * LogMelFeatures.frameCount)
        for (row, values) in wanted.enumerated() {
            for (band, value) in values.enumerated() {
                let found = features[band * LogMelFeatures.frameCount + row * 33]
                #expect(abs(found - value) < 0.001, "frame \(row * 33), band \(band)")
            }
        }
    }

    /// Audio of any length, and with samples that are no numbers, gives numbers.
    @Test(arguments: [0, 1, 127_999, 128_001]) func anyAudioHasFeatures(count: Int) {
        var samples = [Float](repeating: 0.1, count: count)
        if count > 5 { (samples[3], samples[5]) = (.nan, -.infinity) }
        let features = LogMelFeatures().features(of: samples)
        #expect(features.count == 64_000 && features.allSatisfy(\.isFinite))
    }

    @Test(arguments: [1, 2, 7, 12, 60, 400]) func aTransformIsTheSumThatDefinesIt(length: Int) {
        let input = (0..<length).map { (sin(Double($0 * $0)), cos(3 * Double($0))) }
        var (real, imaginary) = (input.map(\.0), input.map(\.1))
        FourierTransform(length: length).transform(&real, &imaginary)
        for bin in 0..<length {
            var (wantedReal, wantedImaginary) = (0.0, 0.0)
            for (place, value) in input.enumerated() {
                let angle = -2 * Double.pi * Double(bin * place % length) / Double(length)
                wantedReal += value.0 * cos(angle) - value.1 * sin(angle)
                wantedImaginary += value.0 * sin(angle) + value.1 * cos(angle)
            }
            #expect(abs(real[bin] - wantedReal) < 1e-9 && abs(imaginary[bin] - wantedImaginary) < 1e-9, "\(bin)")
        }
    }
}
