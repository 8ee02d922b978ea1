import DictationCore
public import DictationModels
import DictationSystem

extension SherpaOnnxOfflineEngine {
    /// Two small networks that hear where speech is and where a turn ends, for the engine.
    ///
    /// `dictate setup` installs them as the asset `speech-detectors`; an ``EngineFinder`` uses them where they are installed.
    /// Without them, loudness decides what is speech, and a pause of a fixed length ends a turn.
    public struct Detectors: Sendable, Hashable, Codable {
        /// The folder with `silero_vad.onnx` and `smart-turn.onnx`.
        public var folder: String
        /// Whether the network decides after a short pause that a turn ended. Otherwise only
        /// `RecognitionOptions.Endpointing.silenceAfterText` does.
        public var hearsTurns = true
        /// The silence that ends a turn whose last sentence is not finished.
        public var longestPause = Duration.seconds(1.5)

        /// Creates detectors.
        ///
        /// - Parameter folder: The folder with the networks.
        public init(folder: String) { self.folder = folder }

        static let (voiceFile, turnFile) = ("silero_vad.onnx", "smart-turn.onnx")

        /// The networks' files.
        var files: [String] { [Self.voiceFile, Self.turnFile].map { folder + "/" + $0 } }

        /// Loads the networks, and tries each once with silence.
        ///
        /// - Throws: `modelInvalid` for a damaged file, `libraryInvalid` without ONNX Runtime.
        func load() throws(DictationError) -> Hearing {
            for file in files {
                // The library's own message would not say what to do.
                guard FileListing.hasFile(file) else {
                    throw DictationError(
                        .modelInvalid, "The speech detectors lack the file \(file).",
                        recovery: "Install the asset “speech-detectors” again.")
                }
            }
            let voice = VoiceDetector(try OnnxNetwork(path: files[0]))
            try voice.check()
            guard hearsTurns else { return Hearing(voice: voice) }
            let turn = TurnDetector(try OnnxNetwork(path: files[1]))
            _ = try turn.probability(after: [])
            return Hearing(voice: voice, longestPause: longestPause) {
                (try? turn.probability(after: $0)).map { $0 >= Self.finished } ?? false
            }
        }

        /// The probability from which a turn is finished. What follows a pause that was taken for an end begins a new sentence, and
        /// that is worse than text that becomes final later.
        private static let finished: Float = 0.97
    }
}

extension SherpaOnnxOfflineEngine.Detectors: TriedNetworks {
    var allFiles: [String] { files }
    var trial: HelperTrial.Work { .detectors(folder: folder) }
}

extension SherpaOnnxOfflineEngine.Detectors {
    /// Returns the detectors that are installed in a store; `nil` if there are none.
    public static func installed(in store: ModelStore = .standard) -> SherpaOnnxOfflineEngine.Detectors? {
        store.detectors(engine: .sherpaOnnxOffline).map { SherpaOnnxOfflineEngine.Detectors(folder: $0.folder) }
    }
}

extension VoiceDetector {
    /// Creates a detector that asks Silero's network.
    fileprivate init(_ network: OnnxNetwork) {
        self.init { samples, memory throws(DictationError) in
            var outputs = [
                OnnxNetwork.Tensor(name: "output", shape: [1, 1], numbers: [0]),
                OnnxNetwork.Tensor(name: "stateN", shape: [2, 1, 128], numbers: memory.state),
            ]
            let audio = memory.context + samples
            let inputs = [
                OnnxNetwork.Tensor(name: "input", shape: [1, Int64(audio.count)], numbers: audio),
                OnnxNetwork.Tensor(name: "state", shape: [2, 1, 128], numbers: memory.state),
            ]
            try network.run(inputs, integer: ("sr", 16_000), into: &outputs)
            memory.state = outputs[1].numbers
            return outputs[0].numbers[0]
        }
    }
}
