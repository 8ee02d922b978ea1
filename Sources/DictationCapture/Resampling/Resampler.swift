#if SampleRate
import CSampleRate
import DictationCore

/// A libsamplerate stream with a fixed ratio. Takes and returns interleaved floating-point samples.
final class Resampler {
    private let state: OpaquePointer
    private let channelCount: Int
    private let ratio: Double

    init(_ quality: ResamplingQuality, channelCount: Int, from input: Int, to output: Int) throws(DictationError) {
        ratio = Double(output) / Double(input)
        self.channelCount = channelCount
        guard src_is_valid_ratio(ratio) != 0 else {
            throw DictationError(
                .unsupportedFormat, "Audio at \(input) Hz can't become \(output) Hz.",
                recovery: "Use rates that are at most 256 times apart.")
        }
        var code: Int32 = 0
        guard let state = src_new(quality.converterType, Int32(channelCount), &code) else {
            throw Self.error(code)
        }
        self.state = state
    }

    deinit { src_delete(state) }

    /// Returns the output that is ready after these samples.
    func process(_ buffer: AudioBuffer) throws(DictationError) -> [Float] {
        try buffer.withUnsafeBytes { bytes throws(DictationError) in
            try bytes.withMemoryRebound(to: Float.self) { samples throws(DictationError) in
                // A NaN or infinite sample would spoil all output until the filter has passed it.
                if samples.allSatisfy(\.isFinite) { return try process(samples) }
                return try samples.map { $0.isFinite ? $0 : 0 }.withUnsafeBufferPointer {
                    samples throws(DictationError) in try process(samples)
                }
            }
        }
    }

    private func process(_ samples: UnsafeBufferPointer<Float>) throws(DictationError) -> [Float] {
        var output: [Float] = []
        var rest = samples
        while !rest.isEmpty {
            let frames = rest.count / channelCount
            let (taken, made) = try step(rest, isLast: false, room: Int(Double(frames) * ratio) + 64)
            output = output.isEmpty ? made : output + made
            guard taken > 0 || !made.isEmpty else { break }
            rest = UnsafeBufferPointer(rebasing: rest[(taken * channelCount)...])
        }
        return output
    }

    /// Ends the stream and returns exactly `frames` more frames, padded with silence if the filter has fewer.
    func drain(exactly frames: Int) throws(DictationError) -> [Float] {
        // libsamplerate wants an address even for no samples.
        let noSamples: [Float] = [0]
        var output: [Float] = []
        while output.count < frames * channelCount {
            let room = frames - output.count / channelCount
            let made = try noSamples.withUnsafeBufferPointer { nothing throws(DictationError) in
                try step(UnsafeBufferPointer(rebasing: nothing[..<0]), isLast: true, room: room).made
            }
            guard !made.isEmpty else { break }
            output += made
        }
        output += [Float](repeating: 0, count: max(0, frames * channelCount - output.count))
        let code = src_reset(state)
        guard code == 0 else { throw Self.error(code) }
        return output
    }

    private func step(_ samples: UnsafeBufferPointer<Float>, isLast: Bool, room: Int) throws(DictationError)
        -> (taken: Int, made: [Float])
    {
        var data = SRC_DATA()
        data.src_ratio = ratio
        data.input_frames = samples.count / channelCount
        data.output_frames = room
        data.end_of_input = isLast ? 1 : 0
        var code: Int32 = 0
        let made = [Float](unsafeUninitializedCapacity: room * channelCount) { output, count in
            data.data_in = samples.baseAddress
            data.data_out = output.baseAddress
            code = src_process(state, &data)
            count = code == 0 ? data.output_frames_gen * channelCount : 0
        }
        guard code == 0 else { throw Self.error(code) }
        return (data.input_frames_used, made)
    }

    private static func error(_ code: Int32) -> DictationError {
        let words = src_strerror(code).map { String(cString: $0) }
        return DictationError(
            .unsupportedFormat, "The audio can't be resampled: \(words ?? "code \(code)").",
            recovery: "Use another rate or fewer channels.",
            underlying: .init(domain: "libsamplerate", code: Int(code), message: words))
    }
}

extension ResamplingQuality {
    fileprivate var converterType: Int32 {
        switch self {
        case .best: Int32(SRC_SINC_BEST_QUALITY)
        case .medium: Int32(SRC_SINC_MEDIUM_QUALITY)
        case .fast: Int32(SRC_SINC_FASTEST)
        }
    }
}
#endif
