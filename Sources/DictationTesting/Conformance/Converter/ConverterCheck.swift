import DictationCore
import Glibc

/// The checks of one conversion.
struct ConverterCheck {
    let suite: ConverterConformance
    let conversion: ConverterConformance.Conversion
    let findings: Findings<ConverterConformance.Clause>
    /// A short piece of noise, below full scale.
    private let speech: AudioCutting

    init(
        suite: ConverterConformance, conversion: ConverterConformance.Conversion,
        findings: Findings<ConverterConformance.Clause>
    ) {
        self.suite = suite
        self.conversion = conversion
        self.findings = findings
        let format = conversion.input
        let noise = Self.noise(frames: format.sampleRate / 20, of: format, start: .seconds(3), seed: suite.seed)
        speech = AudioCutting([noise], format: format)
    }

    private var input: AudioFormat { conversion.input }
    private var output: AudioFormat { conversion.output }

    func run() {
        trySenselessFormats()
        guard let alone = convert(speech.stretches, .conversionsAreMade) else { return }
        judgeFrames(alone, of: speech.frameCount)
        for frames in [1, 2, 3, 159, 160, 441, 1_000] {
            guard let log = convert([buffer(frames: frames)], .framesAreAccountedFor) else { continue }
            judgeFrames(log, of: frames)
        }
        tryCuttings(expecting: alone)
        tryTimes()
        tryWrongFormats(expecting: alone)
        tryFlushing(expecting: alone)
        tryEmptyBuffers()
        tryTone()
        if input.channelCount != output.channelCount { tryChannels() }
        if input.sampleType.isFloatingPoint { tryHostileSamples() }
        trySideBySide(expecting: alone)
    }

    // MARK: Making and converting

    /// The output of a converter.
    struct Log {
        var buffers: [AudioBuffer] = []
        var samples: [Double] { buffers.flatMap(\.doubleSamples) }
        var frameCount: Int { buffers.reduce(0) { $0 + $1.frameCount } }
    }

    private func make(_ clause: ConverterConformance.Clause) -> (any FormatConverter)? {
        do throws(DictationError) {
            let converter = try suite.provider.makeConverter(from: input, to: output)
            findings.expect(.conversionsAreMade, true, "", saw: "")
            findings.expect(
                .formatsAreTruthful, converter.inputFormat == input && converter.outputFormat == output,
                "a converter from \(conversion)", saw: "one from \(converter.inputFormat) to \(converter.outputFormat)")
            return converter
        } catch {
            findings.broken(.conversionsAreMade, "a converter from \(conversion)", saw: "\(error)")
            return nil
        }
    }

    /// Converts buffers in order, and flushes. An error breaks the promise and returns `nil`.
    private func convert(_ buffers: [AudioBuffer], _ clause: ConverterConformance.Clause) -> Log? {
        guard var converter = make(clause) else { return nil }
        return convert(buffers, with: &converter, clause)
    }

    private func convert(
        _ buffers: [AudioBuffer], with converter: inout any FormatConverter, _ clause: ConverterConformance.Clause
    ) -> Log? {
        var log = Log()
        do throws(DictationError) {
            for buffer in buffers { log.buffers.append(try converter.convert(buffer)) }
            log.buffers.append(try converter.flush())
        } catch {
            findings.broken(clause, "\(conversion) not to throw", saw: "\(error)")
            return nil
        }
        let others = log.buffers.filter { $0.format != output }
        findings.expect(
            .formatsAreTruthful, others.isEmpty, "output of \(output)", saw: "\(others.first?.format ?? output)")
        return others.isEmpty ? log : nil
    }

    // MARK: Audio

    private func buffer(frames: Int, start: Duration = .zero) -> AudioBuffer {
        Self.noise(frames: frames, of: input, start: start, seed: suite.seed)
    }

    private static func noise(frames: Int, of format: AudioFormat, start: Duration, seed: UInt64) -> AudioBuffer {
        var random = SplitMix64(seed: seed)
        let samples = (0..<(frames * format.channelCount)).map { _ in Double.random(in: -0.5...0.5, using: &random) }
        return AudioBuffer(rounding: samples, to: format, start: start)
    }

    /// Makes a tone on the channels that a closure chooses. It is so low that any resampler keeps it.
    private func tone(
        frames: Int, at rate: Int, channels: Int, of format: AudioFormat? = nil,
        on isHeard: (Int) -> Bool = { _ in true }
    ) -> [Double] {
        (0..<frames).flatMap { frame in
            let value = 0.5 * sin(2 * .pi * 100 * Double(frame) / Double(rate))
            return (0..<channels).map { isHeard($0) ? value : 0 }
        }
    }

    // MARK: The checks

    private func trySenselessFormats() {
        for (rate, channels) in [(0, 1), (-1, 1), (16_000, 0), (16_000, -1), (Int.max, 1), (16_000, Int.max)] {
            let senseless = AudioFormat(sampleRate: rate, channelCount: channels, sampleType: input.sampleType)
            for (from, to) in [(senseless, output), (input, senseless), (senseless, senseless)] {
                do throws(DictationError) {
                    _ = try suite.provider.makeConverter(from: from, to: to)
                    findings.broken(.senselessFormatThrows, "unsupportedFormat for \(senseless)", saw: "a converter")
                } catch {
                    findings.expect(
                        .senselessFormatThrows, error.code == .unsupportedFormat,
                        "unsupportedFormat for \(senseless)", saw: error.code.rawValue)
                }
            }
        }
    }

    private func judgeFrames(_ log: Log, of frames: Int) {
        let exact = Double(frames) * Double(output.sampleRate) / Double(input.sampleRate)
        findings.expect(
            .framesAreAccountedFor, abs(Double(log.frameCount) - exact) <= 0.5,
            "\(exact) frames, to the nearest, for \(frames) frames from \(conversion)", saw: "\(log.frameCount)")
    }

    private func tryCuttings(expecting alone: Log) {
        var random = SplitMix64(seed: suite.seed)
        let expected = alone.samples
        let cuttings: [(String, [AudioBuffer])] = [
            ("one frame at a time", speech.pieces { 1 }),
            ("in buffers of 37 frames", speech.pieces { 37 }),
            (
                "in random buffers with empty ones between, from seed \(suite.seed)",
                speech.pieces { Int.random(in: 1...900, using: &random) }
                    .flatMap { [$0, $0.slice(0..<0).moved(to: $0.end)] }
            ),
        ]
        for (name, buffers) in cuttings {
            guard let log = convert(buffers, .chunkingChangesNothing) else { continue }
            let samples = log.samples
            let difference = zip(samples, expected).enumerated().first { $1.0 != $1.1 }?.offset
            findings.expect(
                .chunkingChangesNothing, samples == expected, "the same samples as from one buffer, by \(conversion)",
                saw: difference.map { "that sample \($0) differs \(name)" } ?? "\(samples.count) samples \(name)")
            judgeTimes(log, from: speech.stretches[0].start, "\(name)")
        }
    }

    private func tryTimes() {
        let start = Duration.milliseconds(1_234_567)
        let cutting = AudioCutting([buffer(frames: input.sampleRate / 10, start: start)], format: input)
        guard let log = convert(cutting.pieces(of: .milliseconds(10)), .timesFollowFrames) else { return }
        judgeTimes(log, from: start, "for audio that begins at \(start)")
    }

    private func judgeTimes(_ log: Log, from start: Duration, _ when: String) {
        var frames: Int64 = 0
        let slack = output.duration(ofFrames: 1) / 2
        for buffer in log.buffers where !buffer.isEmpty {
            let expected = start + output.duration(ofFrames: frames)
            findings.expect(
                .timesFollowFrames, buffer.start >= expected - slack && buffer.start <= expected + slack,
                "a buffer at \(expected), after \(frames) frames from \(conversion) \(when)", saw: "\(buffer.start)")
            frames += Int64(buffer.frameCount)
        }
    }

    private func tryWrongFormats(expecting alone: Log) {
        guard var converter = make(.wrongFormatThrows) else { return }
        var formats = [input, input, input]
        formats[0].sampleRate = input.sampleRate == 44_100 ? 48_000 : 44_100
        formats[1].channelCount = input.channelCount == 2 ? 1 : 2
        formats[2].sampleType = input.sampleType == .int16 ? .float32 : .int16
        var log = Log()
        let pieces = speech.pieces(of: .milliseconds(10))
        for (index, piece) in pieces.enumerated() {
            let wrong = formats[index % formats.count]
            do throws(DictationError) {
                _ = try converter.convert(AudioBuffer(silence: 160, format: wrong, start: piece.start))
                findings.broken(.wrongFormatThrows, "\(conversion) to refuse \(wrong)", saw: "no error")
            } catch {
                findings.expect(
                    .wrongFormatThrows, error.code == .unsupportedFormat,
                    "unsupportedFormat for \(wrong) from \(conversion)", saw: error.code.rawValue)
            }
            guard let good = try? converter.convert(piece) else {
                return findings.broken(.wrongFormatThrows, "no error for later good audio", saw: "an error")
            }
            log.buffers.append(good)
        }
        if let rest = try? converter.flush() { log.buffers.append(rest) }
        findings.expect(
            .wrongFormatThrows, log.samples == alone.samples, "the same samples as without the wrong buffers",
            saw: "others from \(conversion)")
    }

    private func tryFlushing(expecting alone: Log) {
        guard var converter = make(.flushLeavesAsNew) else { return }
        let first = [buffer(frames: 1_001)]
        guard convert(first, with: &converter, .flushLeavesAsNew) != nil,
            let again = convert(speech.stretches, with: &converter, .flushLeavesAsNew)
        else { return }
        findings.expect(
            .flushLeavesAsNew, again.samples == alone.samples, "after flush() the same samples as from a new converter",
            saw: "others from \(conversion)")
        let start = again.buffers.first { !$0.isEmpty }?.start
        findings.expect(
            .flushLeavesAsNew, start == speech.stretches[0].start,
            "output after flush() at the time of the next buffer, \(speech.stretches[0].start)",
            saw: start.map { "\($0)" } ?? "no output")
    }

    private func tryEmptyBuffers() {
        let empty = AudioBuffer(silence: 0, format: input, start: .seconds(1))
        for buffers in [[], [empty], [empty, empty]] {
            guard let log = convert(buffers, .emptyBuffersChangeNothing) else { continue }
            findings.expect(
                .emptyBuffersChangeNothing, log.frameCount == 0,
                "no frames from \(buffers.count) empty buffers and flush()", saw: "\(log.frameCount)")
        }
        let some = buffer(frames: 500)
        guard let plain = convert([some], .emptyBuffersChangeNothing),
            let mixed = convert([empty.moved(to: .zero), some, empty.moved(to: some.end)], .emptyBuffersChangeNothing)
        else { return }
        findings.expect(
            .emptyBuffersChangeNothing, plain.samples == mixed.samples, "the same samples as without empty buffers",
            saw: "others from \(conversion)")
    }

    private func tryTone() {
        let frames = input.sampleRate / 4
        let samples = tone(frames: frames, at: input.sampleRate, channels: input.channelCount)
        guard let log = convert([AudioBuffer(rounding: samples, to: input)], .soundIsKept) else { return }
        let expected = tone(frames: log.frameCount, at: output.sampleRate, channels: output.channelCount)
        let edge = output.sampleRate / 50 * output.channelCount
        let errors = zip(log.samples, expected).dropFirst(edge).dropLast(edge).map { ($0 - $1) * ($0 - $1) }
        let error = Decibels(amplitude: (errors.reduce(0, +) / Double(max(1, errors.count))).squareRoot())
        findings.expect(
            .soundIsKept, !errors.isEmpty && error <= suite.tolerance,
            "a tone of 100 Hz from \(conversion), within \(suite.tolerance)",
            saw: errors.isEmpty ? "too little output" : "a difference of \(error)")
    }

    private func tryChannels() {
        let frames = input.sampleRate / 8
        for channel in 0..<input.channelCount {
            let samples = tone(frames: frames, at: input.sampleRate, channels: input.channelCount) { $0 == channel }
            guard let log = convert([AudioBuffer(rounding: samples, to: input)], .channelsAreKept) else { continue }
            let heard = log.samples
            let loudest = (0..<output.channelCount).map { output in
                stride(from: output, to: heard.count, by: self.output.channelCount).map { abs(heard[$0]) }.max() ?? 0
            }
            // A split must reach every output channel. Joined channels may go to only some of them.
            let reached = loudest.count { $0 > 0.01 }
            let isKept =
                output.channelCount > input.channelCount && input.channelCount == 1
                ? reached == output.channelCount : reached > 0
            findings.expect(
                .channelsAreKept, isKept, "sound from channel \(channel) after \(conversion)",
                saw: "peaks of \(loudest)")
        }
    }

    private func tryHostileSamples() {
        let hostile: [Double] = [.nan, .infinity, -.infinity, 1e300, -1e300, 1e30, 2, -2, .leastNonzeroMagnitude]
        let samples = (0..<(input.sampleRate / 10 * input.channelCount)).map { hostile[$0 % hostile.count] }
        guard var converter = make(.hostileSamplesAreHarmless),
            convert([AudioBuffer(rounding: samples, to: input)], with: &converter, .hostileSamplesAreHarmless) != nil,
            let later = convert(speech.stretches, with: &converter, .hostileSamplesAreHarmless),
            let plain = convert(speech.stretches, .hostileSamplesAreHarmless)
        else { return }
        findings.expect(
            .hostileSamplesAreHarmless, later.samples == plain.samples,
            "the same sound after flush() as without the invalid samples", saw: "another from \(conversion)")
    }

    private func trySideBySide(expecting alone: Log) {
        guard var one = make(.convertersAreIndependent), var other = make(.convertersAreIndependent) else { return }
        var log = Log()
        do throws(DictationError) {
            for piece in speech.pieces(of: .milliseconds(7)) {
                log.buffers.append(try one.convert(piece))
                _ = try other.convert(buffer(frames: 333, start: piece.start))
            }
            log.buffers.append(try one.flush())
        } catch {
            return findings.broken(.convertersAreIndependent, "no error from \(conversion)", saw: "\(error)")
        }
        findings.expect(
            .convertersAreIndependent, log.samples == alone.samples,
            "the same samples from \(conversion) as without another converter", saw: "others beside another converter")
    }
}

extension AudioBuffer {
    /// The exact samples, interleaved.
    var doubleSamples: [Double] {
        let count = frameCount * max(0, format.channelCount)
        return withUnsafeBytes { bytes in (0..<count).map { format.sampleType.load(from: bytes, at: $0) } }
    }
}
