#if PocketSphinx
import CPocketSphinx
import DictationCore

/// PocketSphinx's signal processing: samples in, cepstra of what is not silence out.
///
/// It is run by itself, apart from the decoder, for then each frame's place in the audio is known exactly: the decoder
/// counts only what it is given and its clock stands still in pauses.
struct SphinxFrontEnd: ~Copyable {
    private let handle: OpaquePointer
    /// How many samples lie between two frames.
    let shift: Int
    /// How many samples a frame is made of.
    let size: Int
    /// How many numbers a frame has.
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
                .modelInvalid, "The model '\(model.name)' has signal processing settings that can't be used.",
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

    /// Whether speech is being heard, or was within the last half second.
    var isInSpeech: Bool { fe_get_vad_state(handle) != 0 }

    /// Takes as many samples as lie between two frames; appends the frames that come out and says how many.
    ///
    /// In speech that is the newest frame; where speech begins it is the newest and those just before it.
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
