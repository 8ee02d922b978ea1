import BenchSpeech
import CBench
import DictationCapture
import DictationCore
import FoundationEssentials
import Glibc

/// Compares the converter with a C loop around libsamplerate and with `sndfile-resample`, and measures its noise.
enum Converter {
    private static let seconds = 60
    private static let input = AudioFormat(sampleRate: 48_000, channelCount: 2)

    static func measure(runs: Int) async throws -> [Measurement] {
        var measurements: [Measurement] = []
        for (quality, code) in [(ResamplingQuality.best, 0), (.medium, 1), (.fast, 2)] {
            measurements.append(
                try await .inTurns(
                    "converter, \(quality.rawValue): a minute of 48 kHz stereo to 16 kHz mono", "s CPU", runs: runs,
                    against: "libsamplerate in a C loop", ours: { try spent { try convert(quality) } },
                    theirs: { try spent { try bare(Int32(code)) } }))
            if let peer = try await resampling(quality, code, runs: runs) { measurements.append(peer) }
            measurements.append(
                Measurement(
                    name: "converter, \(quality.rawValue): signal to noise, the worst of sines up to 5.5 kHz",
                    unit: "dB",
                    runs: [try worstSignalToNoise { try converted($0, quality) }],
                    peer: .init(
                        name: "libsamplerate in C",
                        runs: [try worstSignalToNoise { try convertedInC($0, Int32(code)) }])))
        }
        return measurements
    }

    private static let sound: [Int16] = (0..<(48_000 * seconds * 2)).map { index in
        let tone = 12_000 * sin(Double(index / 2) * 0.02)
        let rustle = index &* 7_919 % 4_001 - 2_000
        return Int16(tone) + Int16(rustle)
    }

    private static func spent(_ work: () throws -> Void) rethrows -> Double {
        let began = processorSeconds()
        try work()
        return processorSeconds() - began
    }

    private static func convert(_ quality: ResamplingQuality) throws {
        let converter = try SampleRateConverter(from: input, to: .speech, quality: quality)
        let all = AudioBuffer(sound, sampleRate: 48_000, channelCount: 2)
        var frames = 0
        for start in stride(from: 0, to: all.frameCount, by: 4_800) {
            frames += try converter.convert(all.slice(start..<min(all.frameCount, start + 4_800))).frameCount
        }
        frames += try converter.flush().frameCount
        guard frames == 16_000 * seconds else {
            throw DictationError(.engineFailed, "The converter returned \(frames) frames, not \(16_000 * seconds).")
        }
    }

    private static func bare(_ converter: Int32) throws {
        var mono = [Int16](repeating: 0, count: 16_000 * seconds + 4_096)
        let frames = bare_conversion(
            sound, sound.count / 2, 4_800, 1 / 3, converter, &mono, mono.count)
        guard frames > 16_000 * seconds - 100 else {
            throw DictationError(.engineFailed, "The loop in C returned \(frames) frames.")
        }
    }

    /// Compares a conversion from file to file with `sndfile-resample`. Ours reads with `AudioFileReader` and writes
    /// samples without a header. Returns `nil` when `sndfile-resample` is not installed.
    private static func resampling(
        _ quality: ResamplingQuality, _ code: Int, runs: Int
    ) async throws -> Measurement? {
        let tool = "/usr/bin/sndfile-resample"
        guard access(tool, X_OK) == 0 else { return nil }
        let folder = FileManager.default.temporaryDirectory.appending(path: "bench-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let wave = folder.appending(path: "in.wav")
        try [stride(from: 0, to: sound.count, by: 2).map { sound[$0] }].writeWave(sampleRate: 48_000, to: wave)
        return try await .inTurns(
            "converter, \(quality.rawValue): a minute of 48 kHz from file to 16 kHz in a file", "s CPU", runs: runs,
            against: "sndfile-resample",
            ours: {
                try spent {
                    var reader = try AudioFileReader(path: wave.path)
                    let converter = try SampleRateConverter(from: reader.format, to: .speech, quality: quality)
                    var output = Data()
                    while let buffer = try reader.read() {
                        try converter.convert(buffer).withUnsafeBytes { output.append(contentsOf: $0) }
                    }
                    try converter.flush().withUnsafeBytes { output.append(contentsOf: $0) }
                    try output.write(to: folder.appending(path: "out.raw"))
                }
            },
            theirs: {
                let output = folder.appending(path: "out.wav").path
                return try Child([tool, "-to", "16000", "-c", "\(code)", wave.path, output]).cpu
            })
    }

    private static func converted(_ sine: [Float], _ quality: ResamplingQuality) throws -> [Float] {
        let converter = try SampleRateConverter(
            from: AudioFormat(sampleRate: 44_100, sampleType: .float32),
            to: AudioFormat(sampleRate: 16_000, sampleType: .float32), quality: quality)
        return try converter.convert(AudioBuffer(sine, sampleRate: 44_100)).floatSamples
    }

    private static func convertedInC(_ sine: [Float], _ converter: Int32) throws -> [Float] {
        var output = [Float](repeating: 0, count: 16_100)
        let count = bare_mono_conversion(sine, sine.count, 16_000 / 44_100, converter, &output, output.count)
        guard count > 15_000 else {
            throw DictationError(.engineFailed, "libsamplerate in C returned \(count) frames.")
        }
        return Array(output.prefix(count))
    }

    /// Returns the worst ratio of signal to noise over several sines, converted from 44.1 kHz to 16 kHz. The noise of a
    /// sine is the rest after subtracting the sine that fits best.
    private static func worstSignalToNoise(_ convert: ([Float]) throws -> [Float]) rethrows -> Double {
        var worst = Double.infinity
        for frequency in stride(from: 250.0, through: 5_500, by: 250) {
            let sine = (0..<44_100).map { Float(0.5 * sin(2 * .pi * frequency * Double($0) / 44_100)) }
            let output = try convert(sine)
            // This length has whole periods of each of these sines, so the fit is exact.
            let middle = output[2_000..<(2_000 + 64 * 160)]
            var (across, along, power) = (0.0, 0.0, 0.0)
            for (index, sample) in zip(middle.indices, middle) {
                let angle = 2 * .pi * frequency * Double(index) / 16_000
                across += Double(sample) * sin(angle)
                along += Double(sample) * cos(angle)
            }
            let scale = 2 / Double(middle.count)
            var rest = 0.0
            for (index, sample) in zip(middle.indices, middle) {
                let angle = 2 * .pi * frequency * Double(index) / 16_000
                let fitted = scale * (across * sin(angle) + along * cos(angle))
                power += fitted * fitted
                rest += (Double(sample) - fitted) * (Double(sample) - fitted)
            }
            worst = min(worst, 10 * log10(power / rest))
        }
        return worst
    }
}
