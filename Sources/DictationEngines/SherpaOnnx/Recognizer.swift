import CSherpaOnnx
import DictationCore
import DictationSystem

/// The recognizer's search methods.
enum SearchMethod: String, Sendable, CaseIterable {
    case greedy = "greedy_search"
    case beam = "modified_beam_search"
}

/// The C library's recognizer, a loaded model that any number of streams share.
final class Recognizer: Sendable {
    private let library: SherpaOnnxLibrary
    private let handle: LibraryHandle
    let method: SearchMethod
    private let timeScale: Double

    init(
        _ model: any CheckedModel, pieces: PieceEncoder? = nil, timeScale: Double = 1, _ method: SearchMethod,
        _ setup: SherpaOnnxEngine.Configuration
    ) throws(DictationError) {
        guard model.files.count == model.layout.fileCount else { throw Self.refused(model.folder) }
        let library = try SherpaOnnxLibrary.load()
        let vocabulary = try TemporaryFile(pieces?.vocabulary ?? "")
        let strings: [String?] =
            model.files + ["cpu", method.rawValue, pieces.map { _ in vocabulary.path }, pieces.map { _ in "bpe" }]
        let count = model.layout.fileCount
        let handle = withCStrings(strings) { strings in
            var config = SherpaRecognizerConfig()
            config.features = .speech
            config.model = SherpaStreamingModel(model.layout, strings, setup)
            config.search = strings[count + 1]
            config.beamWidth = Int32(setup.beamWidth)
            config.hotwordStrength = setup.contextualStrength
            config.model.pieces = strings[count + 2]
            config.model.pieceKind = strings[count + 3]
            if let rules = setup.endpointing {
                config.findsEndpoints = 1
                // The library counts silence in frames of the network.
                config.silenceWithoutText = Float(rules.silenceWithoutText / .seconds(1) / timeScale)
                config.silenceAfterText = Float(rules.silenceAfterText / .seconds(1) / timeScale)
                config.maximumLength = rules.maximumLength.map { Float($0 / .seconds(1)) } ?? 1e9
            }
            return library.functions.createRecognizer(&config)
        }
        guard let handle else { throw Self.refused(model.folder) }
        self.library = library
        self.handle = LibraryHandle(pointer: handle)
        self.method = method
        self.timeScale = timeScale
    }

    deinit { library.functions.destroyRecognizer(handle.pointer) }

    static func refused(_ folder: String) -> DictationError {
        DictationError(
            .modelInvalid, "sherpa-onnx can't load the model in \(folder).",
            recovery: "Install the model again, with all files from one source.")
    }

    func makeStream(hotwords: String?) throws(DictationError) -> OnlineStream {
        let stream =
            if let hotwords {
                hotwords.withCString { library.functions.createStreamWithHotwords(handle.pointer, $0) }
            } else {
                library.functions.createStream(handle.pointer)
            }
        guard let stream else { throw DictationError(.engineFailed, "sherpa-onnx could not make a stream.") }
        return OnlineStream(handle: stream, of: library)
    }

    func isReady(_ stream: OnlineStream) -> Bool {
        library.functions.isReady(handle.pointer, stream.handle) != 0
    }

    func isEndpoint(_ stream: OnlineStream) -> Bool {
        library.functions.isEndpoint(handle.pointer, stream.handle) != 0
    }

    func reset(_ stream: OnlineStream) { library.functions.reset(handle.pointer, stream.handle) }

    /// Decodes a chunk of each stream. Two calls at the same time must not share a stream.
    func decode(_ streams: [LibraryHandle]) {
        if streams.count == 1 {
            library.functions.decode(handle.pointer, streams[0].pointer)
        } else {
            var pointers: [OpaquePointer?] = streams.map(\.pointer)
            library.functions.decodeTogether(handle.pointer, &pointers, Int32(pointers.count))
        }
    }

    /// Returns the tokens since the stream's start or last reset.
    func tokens(of stream: OnlineStream, withConfidence: Bool) -> [Token] {
        guard let result = library.functions.result(handle.pointer, stream.handle) else { return [] }
        defer { library.functions.destroyResult(result) }
        let logProbabilities =
            withConfidence ? result.pointee.json.map { numbers(named: "ys_probs", inJSON: $0) } ?? [] : []
        return Token.list(
            result.pointee.tokens, result.pointee.times, count: Int(result.pointee.count), timeScale: timeScale,
            logProbabilities)
    }
}

/// A stream of audio through a recognizer. Only the decoder that created it owns it.
final class OnlineStream {
    fileprivate let handle: OpaquePointer
    private let library: SherpaOnnxLibrary

    init(handle: OpaquePointer, of library: SherpaOnnxLibrary) {
        self.handle = handle
        self.library = library
    }

    deinit { library.functions.destroyStream(handle) }

    /// The handle, for a decoding step. The step must end before the stream's owner continues.
    var loan: LibraryHandle { LibraryHandle(pointer: handle) }

    func accept(_ samples: UnsafeBufferPointer<Float>) {
        var rest = samples[...]
        while !rest.isEmpty {
            let part = UnsafeBufferPointer(rebasing: rest.prefix(1 << 20))
            library.functions.accept(handle, 16_000, part.baseAddress, Int32(part.count))
            rest = rest.dropFirst(part.count)
        }
    }

    func inputFinished() { library.functions.finish(handle) }
}

/// An object of the C library that several threads use: a model, or a stream that is lent to a decoding step.
struct LibraryHandle: @unchecked Sendable {  // Models are only read; the owner of a stream waits for the step.
    let pointer: OpaquePointer
}

extension SherpaFeatures {
    /// The audio of all models: 16 kHz.
    static var speech: SherpaFeatures { SherpaFeatures(sampleRate: 16_000, bands: 80) }
}

extension SherpaStreamingModel {
    /// Creates the configuration of a model. The strings begin with its files and the processor.
    init(_ layout: ModelLayout, _ strings: [UnsafePointer<CChar>?], _ setup: SherpaOnnxEngine.Configuration) {
        self.init()
        if layout == .streamingNemoCTC {
            nemoCTC = strings[0]
        } else {
            encoder = strings[0]
            decoder = strings[1]
            joiner = strings[2]
        }
        tokens = strings[layout.roles.count]
        processor = strings[layout.fileCount]
        threads = Int32(setup.threadsPerStep)
    }
}
