#if PocketSphinx
import CPocketSphinx
import DictationCore

/// PocketSphinx's signal processing, which turns samples into cepstra and leaves silence out.
///
/// It runs apart from the decoder, so that the time of each frame is known exactly. The decoder counts only the frames
/// that it gets, so its own clock stands still in pauses.
struct SphinxFrontEnd: ~Copyable {
    private let handle: OpaquePointer
    /// The number of samples from the start of one frame to the start of the next.
    let shift: Int
    /// The number of samples in a frame.
    let size: Int
    /// The number of values in a frame.
    let width: Int
    private var room: [Float]
    private static let framesAtOnce = 64

    init(_ model: PocketSphinxModel) throws(DictationError) {
        var words = ["-hmm", model.acousticModel]
        for setting in model.parameters.settings { words += [setting.name, setting.value] }
        let configuration = try SphinxConfiguration.makeHandle(words)
        defer { cmd_ln_free_r(configuration) }
        guard let handle = fe_init_auto_r(configuration) else {
            throw DictationError(
                .modelInvalid, "PocketSphinx rejects the signal processing settings of the model “\(model.name)”.",
                recovery: "Install the model again.")
        }
        var shift: Int32 = 0
        var size: Int32 = 0
        fe_get_input_size(handle, &shift, &size)
        self.handle = handle
        self.shift = max(1, Int(shift))
        self.size = Int(size)
        width = Int(fe_get_output_size(handle))
        room = Array(repeating: 0, count: Self.framesAtOnce * width)
        fe_start_stream(handle)
        fe_start_utt(handle)
    }

    deinit { fe_free(handle) }

    /// Whether the audio is speech, or was speech within the last half second.
    var isInSpeech: Bool { fe_get_vad_state(handle) != 0 }

    /// Processes `shift` samples and appends the resulting frames.
    ///
    /// In speech this appends the newest frame. Where speech begins, it appends the frames just before it too.
    ///
    /// - Returns: The number of appended frames.
    mutating func process(_ samples: UnsafeBufferPointer<Int16>, into frames: inout [Float]) throws(DictationError)
        -> Int
    {
        let made = sphinx_cepstra(
            handle, samples.baseAddress, samples.count, &room, Int32(Self.framesAtOnce), Int32(width))
        try made.checked("fe_process_frames", while: "processing audio")
        frames.append(contentsOf: room[..<(Int(made) * width)])
        return Int(made)
    }
}
#endif
