import Glibc

/// The features that Whisper and smart-turn hear: the logarithm of the power in bands on the mel scale, for each 10 ms of
/// eight seconds.
struct LogMelFeatures: Sendable {
    static let bandCount = 80
    static let frameCount = 800
    static let sampleCount = frameCount * step

    private static let step = 160
    private static let length = 400
    private static let sampleRate = 16_000.0

    private let window: [Double]
    private let bands: [Band]
    private let transform = FourierTransform(length: length)

    /// A triangle of weights for some frequencies in a row.
    private struct Band: Sendable {
        var first: Int
        var weights: [Double]
    }

    init() {
        window = (0..<Self.length).map { 0.5 - 0.5 * cos(2 * Double.pi * Double($0) / Double(Self.length)) }
        let top = Self.mel(Self.sampleRate / 2)
        let edges = (0..<Self.bandCount + 2).map { Self.frequency(top * Double($0) / Double(Self.bandCount + 1)) }
        bands = (0..<Self.bandCount).map { band in
            let (low, middle, high) = (edges[band], edges[band + 1], edges[band + 2])
            let weights = (0...Self.length / 2).map { bin in
                let frequency = Double(bin) * Self.sampleRate / Double(Self.length)
                return max(0, min((frequency - low) / (middle - low), (high - frequency) / (high - middle))) * 2
                    / (high - low)
            }
            let first = weights.firstIndex { $0 > 0 } ?? 0
            let last = weights.lastIndex { $0 > 0 } ?? 0
            return Band(first: first, weights: Array(weights[first...last]))
        }
    }

    /// Returns the features of eight seconds at 16 kHz, all frames of the first band before those of the second.
    func features(of samples: [Float]) -> [Float] {
        let audio = Self.reflected(Self.normalized(samples))
        var features = [Double](repeating: 0, count: Self.bandCount * Self.frameCount)
        // The spectrum of two real frames comes from one complex transform.
        for frame in stride(from: 0, to: Self.frameCount, by: 2) {
            let powers = powers(of: audio, frame)
            for (offset, power) in [powers.0, powers.1].enumerated() {
                for (index, band) in bands.enumerated() {
                    var sum = 0.0
                    for (place, weight) in band.weights.enumerated() { sum += weight * power[band.first + place] }
                    features[index * Self.frameCount + frame + offset] = log10(max(1e-10, sum))
                }
            }
        }
        let least = (features.max() ?? 0) - 8
        return features.map { Float((max($0, least) + 4) / 4) }
    }

    private func powers(of audio: [Double], _ frame: Int) -> ([Double], [Double]) {
        let (first, second) = (frame * Self.step, (frame + 1) * Self.step)
        var real = (0..<Self.length).map { audio[first + $0] * window[$0] }
        var imaginary = (0..<Self.length).map { audio[second + $0] * window[$0] }
        transform.transform(&real, &imaginary)
        var powers = ([Double](), [Double]())
        for bin in 0...Self.length / 2 {
            let mirror = (Self.length - bin) % Self.length
            let (sumReal, differenceReal) = (real[bin] + real[mirror], real[bin] - real[mirror])
            let (sumImaginary, differenceImaginary) =
                (imaginary[bin] + imaginary[mirror], imaginary[bin] - imaginary[mirror])
            powers.0.append((sumReal * sumReal + differenceImaginary * differenceImaginary) / 4)
            powers.1.append((sumImaginary * sumImaginary + differenceReal * differenceReal) / 4)
        }
        return powers
    }

    /// The samples with the mean 0 and the variance 1.
    private static func normalized(_ samples: [Float]) -> [Double] {
        let values = samples.prefix(sampleCount).map { $0.isFinite ? Double($0) : 0 }
        let audio = values + Array(repeating: 0, count: sampleCount - values.count)
        let mean = audio.reduce(0, +) / Double(sampleCount)
        let variance = audio.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(sampleCount)
        let scale = 1 / (variance + 1e-7).squareRoot()
        return audio.map { ($0 - mean) * scale }
    }

    /// The samples, with half a frame before and after them that mirrors them.
    private static func reflected(_ audio: [Double]) -> [Double] {
        let half = length / 2
        return audio[1...half].reversed() + audio + audio[(audio.count - 1 - half)..<(audio.count - 1)].reversed()
    }

    // MARK: The mel scale

    // It is linear up to 1 kHz, which is 15 mel, and logarithmic above.
    private static let factor = log(6.4) / 27

    private static func mel(_ frequency: Double) -> Double {
        frequency < 1_000 ? 3 * frequency / 200 : 15 + log(frequency / 1_000) / factor
    }

    private static func frequency(_ mel: Double) -> Double {
        mel < 15 ? 200 * mel / 3 : 1_000 * exp(factor * (mel - 15))
    }
}
