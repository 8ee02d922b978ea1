import DictationCore
import DictationTesting

/// Converters that interpolate between samples: sound ones, or ones that break the promise they are told to break.
struct SpecimenConverters: FormatConverterProvider {
    let fault: ConverterConformance.Clause?
    fileprivate let shared = Watched(0.0)

    init(_ fault: ConverterConformance.Clause? = nil) { self.fault = fault }

    func makeConverter(from input: AudioFormat, to output: AudioFormat) throws(DictationError) -> any FormatConverter {
        if fault == .conversionsAreMade, input.channelCount == 2 {
            throw DictationError(.unsupportedFormat, "Stereo can't be converted.")
        }
        if fault != .senselessFormatThrows {
            _ = try input.validated()
            _ = try output.validated()
        }
        return SpecimenConverter(input, output, self)
    }
}

private struct SpecimenConverter: FormatConverter {
    let inputFormat: AudioFormat
    let outputFormat: AudioFormat
    private let realOutput: AudioFormat
    private let provider: SpecimenConverters
    private var state = State()

    private struct State {
        var start: Duration?
        var frames: [[Double]] = []
        var given = 0
        var isPoisoned = false
    }

    init(_ input: AudioFormat, _ output: AudioFormat, _ provider: SpecimenConverters) {
        inputFormat = input
        realOutput = output
        outputFormat = provider.fault == .formatsAreTruthful ? input : output
        self.provider = provider
    }

    private var fault: ConverterConformance.Clause? { provider.fault }

    mutating func convert(_ buffer: AudioBuffer) throws(DictationError) -> AudioBuffer {
        if fault != .wrongFormatThrows, buffer.format != inputFormat {
            throw DictationError(.unsupportedFormat, "The converter takes \(inputFormat).")
        }
        if fault == .convertingComesBack { _ = Monitor(0).first(within: .seconds(1)) { $0 > 0 ? true : nil } }
        if buffer.isEmpty {
            return AudioBuffer(silence: fault == .emptyBuffersChangeNothing ? 1 : 0, format: realOutput)
        }
        state.start = state.start ?? buffer.start
        for frame in 0..<buffer.frameCount { state.frames.append(mixed(buffer, frame)) }
        if fault == .chunkingChangesNothing, state.frames.count > 10 {
            state.frames[state.frames.count - 1] = state.frames[state.frames.count - 2]
        }
        // A frame can be made once the one after it is there.
        return give(upTo: (state.frames.count - 1) * realOutput.sampleRate / inputFormat.sampleRate)
    }

    mutating func flush() throws(DictationError) -> AudioBuffer {
        let exact = Double(state.frames.count) * Double(realOutput.sampleRate) / Double(max(1, inputFormat.sampleRate))
        let rest = give(upTo: Int(exact.rounded()) - (fault == .framesAreAccountedFor ? 1 : 0))
        let old = state
        state = State()
        if fault == .flushLeavesAsNew { state.start = old.start }
        state.isPoisoned = old.isPoisoned
        return rest
    }

    private mutating func mixed(_ buffer: AudioBuffer, _ frame: Int) -> [Double] {
        let channels = buffer.format.channelCount
        let samples = buffer.withUnsafeBytes { bytes in
            (0..<channels).map { buffer.format.sampleType.load(from: bytes, at: frame * channels + $0) }
        }
        if samples.contains(where: \.isNaN), fault == .hostileSamplesAreHarmless { state.isPoisoned = true }
        var mix = fault == .channelsAreKept ? samples[0] : samples.reduce(0, +) / Double(channels)
        if fault == .convertersAreIndependent {
            mix = (mix + provider.shared.value) / 2
            provider.shared.change { [mix] in $0 = mix }
        }
        if fault == .soundIsKept { mix /= 2 }
        if state.isPoisoned { mix = 0 }
        return channels == realOutput.channelCount
            ? samples.map { _ in mix } : Array(repeating: mix, count: realOutput.channelCount)
    }

    private mutating func give(upTo end: Int) -> AudioBuffer {
        let first = state.given
        let samples = (first..<max(first, end)).flatMap { index in
            let position = Double(index) * Double(inputFormat.sampleRate) / Double(realOutput.sampleRate)
            let left = min(Int(position), state.frames.count - 1)
            let right = min(left + 1, state.frames.count - 1)
            let share = position - Double(left)
            return zip(state.frames[left], state.frames[right]).map { $0 + ($1 - $0) * share }
        }
        state.given = max(first, end)
        let start = (state.start ?? .zero) + realOutput.duration(ofFrames: Int64(first))
        return AudioBuffer(rounding: samples, to: realOutput, start: fault == .timesFollowFrames ? .zero : start)
    }
}
