#if Remote
public import DictationCore

extension RemoteEngine {
    /// What a server showed when it was tried: what it offers, how far away it is, and how fast it is.
    public struct Probe: Sendable, Hashable {
        /// The models that the server offers, if it tells.
        public var models: [RemoteModel]
        /// How long making a connection took, until the server was ready for audio.
        public var connectTime: Duration
        /// How long the server took to recognize ``audioLength`` of sound.
        public var recognitionTime: Duration
        /// The length of the sound that the server was given.
        public var audioLength: Duration

        /// How many seconds of audio the server recognizes in a second.
        public var speed: Double { recognitionTime > .zero ? audioLength / recognitionTime : .infinity }
    }
}

extension RemoteEngine.Configuration {
    /// Tries the server: connects, asks for its models, and has two seconds of noise recognized.
    ///
    /// - Throws: `DictationError` for a server that can't be reached, that refuses, or that is of another kind.
    public func probe() async throws(DictationError) -> RemoteEngine.Probe {
        let runtime = DictationRuntime.current
        let engine = try RemoteEngine(self)
        let options = RecognitionOptions(locale: locales.first ?? "en-US")
        let began = runtime.now()
        try await engine.prepare(options)
        let connected = runtime.now()
        let models = try await engine.models()
        let audio = Self.noise(in: try await engine.audioFormat(for: options))
        let session = try await engine.makeSession(options)
        let given = runtime.now()
        try session.start(AudioInput([audio]))
        for try await _ in session.results {}
        guard try await session.finish() == .complete else {
            throw DictationError(
                .timedOut, "The server at “\(server.addresses.first ?? "")” recognized nothing in time.",
                recovery: "Check its load.")
        }
        return RemoteEngine.Probe(
            models: models, connectTime: connected - began, recognitionTime: runtime.now() - given,
            audioLength: audio.duration)
    }

    /// Half a second of silence and then noise, which engines take for speech.
    private static func noise(in format: AudioFormat) -> AudioBuffer {
        var state: UInt32 = 1
        let samples = (0..<2 * format.sampleRate).map { index -> Int16 in
            state = state &* 1_664_525 &+ 1_013_904_223
            return index < format.sampleRate / 2 ? 0 : Int16(truncatingIfNeeded: state >> 16) / 8
        }
        return AudioBuffer(samples, sampleRate: format.sampleRate)
    }
}
#endif
