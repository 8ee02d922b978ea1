import CSherpaOnnx
import DictationCore

/// The C library's keyword spotter, which looks only for certain phrases with the same model.
final class KeyphraseSpotter: Sendable {
    private let library: SherpaOnnxLibrary
    private let handle: LibraryHandle

    /// A spotted phrase: its index in the list of phrases, and its tokens.
    struct Hit {
        var index: Int
        var tokens: [Token]
    }

    init(_ model: SherpaOnnxEngine.Model, _ setup: SherpaOnnxEngine.Configuration) throws(DictationError) {
        // The library demands a phrase for the spotter itself. This phrase has a threshold that no probability reaches.
        guard let piece = model.table.pieces.filter({ !$0.hasPrefix("<") && $0 != " " }).max() else {
            throw Recognizer.refused(model.folder)
        }
        let never = Array(repeating: piece, count: 8).joined(separator: " ") + " #100 @never"
        let strings = model.files + ["cpu", never]
        let library = try SherpaOnnxLibrary.load()
        let handle = withCStrings(strings) { strings in
            var config = SherpaSpotterConfig()
            config.features = .speech
            config.model = SherpaStreamingModel(model.layout, strings, setup)
            config.beamWidth = Int32(setup.beamWidth)
            config.keywords = strings[5]
            config.keywordsLength = Int32(never.utf8.count)
            return library.functions.createSpotter(&config)
        }
        guard let handle else { throw Recognizer.refused(model.folder) }
        self.library = library
        self.handle = LibraryHandle(pointer: handle)
    }

    deinit { library.functions.destroySpotter(handle.pointer) }

    func makeStream(keywords: String) throws(DictationError) -> OnlineStream {
        guard let stream = keywords.withCString({ library.functions.createSpotterStream(handle.pointer, $0) }) else {
            throw DictationError(.engineFailed, "sherpa-onnx could not make a stream for the keyphrases.")
        }
        return OnlineStream(handle: stream, of: library)
    }

    func isReady(_ stream: OnlineStream) -> Bool {
        library.functions.isSpotterReady(handle.pointer, stream.loan.pointer) != 0
    }

    func reset(_ stream: OnlineStream) { library.functions.resetSpotter(handle.pointer, stream.loan.pointer) }

    /// Decodes a chunk of each stream. Two calls at the same time must not share a stream.
    func decode(_ streams: [LibraryHandle]) {
        var pointers: [OpaquePointer?] = streams.map(\.pointer)
        library.functions.spotTogether(handle.pointer, &pointers, Int32(pointers.count))
    }

    /// Returns the phrase that the newest chunk completed.
    func hit(in stream: OnlineStream) -> Hit? {
        guard let result = library.functions.hit(handle.pointer, stream.loan.pointer) else { return nil }
        defer { library.functions.destroyHit(result) }
        guard let keyword = result.pointee.keyword, let index = Int(String(cString: keyword)) else { return nil }
        let tokens = Token.list(
            result.pointee.tokens, result.pointee.times, count: Int(result.pointee.count))
        return Hit(index: index, tokens: tokens)
    }
}

/// A spotter and the lanes that decode its streams.
final class LoadedSpotter: Sendable {
    let spotter: KeyphraseSpotter
    let batchDecoder: BatchDecoder

    init(_ model: SherpaOnnxEngine.Model, _ setup: SherpaOnnxEngine.Configuration) throws(DictationError) {
        let spotter = try KeyphraseSpotter(model, setup)
        self.spotter = spotter
        batchDecoder = BatchDecoder(
            count: setup.parallelStepCount, together: model.decodesTogether ? setup.sessionsPerStep : 1
        ) {
            spotter.decode($0)
        }
    }
}
