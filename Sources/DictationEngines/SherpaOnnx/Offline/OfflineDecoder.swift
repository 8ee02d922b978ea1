import DictationCore

/// The decoder of a session with an offline model. It cuts the audio at pauses and recognizes each stretch when the
/// stretch ends. For volatile results, it also recognizes the current stretch from time to time.
struct OfflineDecoder: SpeechDecoder {
    private let loaded: LoadedModels<String?, OfflineRecognizer>.Lease
    private let showsVolatile: Bool
    private var cutter: PauseCutter
    private var joiner: PieceJoiner
    private var schedule = LookSchedule()
    private let runtime = DictationRuntime.current

    init(_ loaded: LoadedModels<String?, OfflineRecognizer>.Lease, cutter: PauseCutter, showsVolatile: Bool) {
        self.loaded = loaded
        self.cutter = cutter
        joiner = PieceJoiner(isLive: showsVolatile)
        self.showsVolatile = showsVolatile
    }

    mutating func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError) {
        try settle(cutter.add(buffer), results)
        guard showsVolatile, schedule.isDue(at: cutter.count) else { return }
        let piece = cutter.current
        let start = runtime.now()
        let text = try loaded.model.recognition.firstText(of: piece)
        schedule.note(runtime.now() - start)
        guard let text else { return }
        if let result = joiner.preview(text, of: piece) { results.emit(.volatile(result)) }
    }

    mutating func finalize(into results: ResultSink) async throws(DictationError) {
        try settle(cutter.flush(), results)
        joiner.flush().forEach(results.emit)
    }

    private mutating func settle(_ pieces: [PauseCutter.Piece], _ results: ResultSink) throws(DictationError) {
        for piece in pieces {
            joiner.add(try loaded.model.recognition.text(of: piece), of: piece).forEach(results.emit)
            // It is final later, but a session that runs out of time keeps it.
            if let waiting = joiner.waiting { results.emit(.volatile(waiting)) }
        }
        if !pieces.isEmpty { schedule = LookSchedule() }
    }
}

extension OfflineRecognizer {
    /// The recognition of pieces with this model.
    var recognition: PieceRecognition {
        PieceRecognition { samples throws(DictationError) in try self.text(of: samples) }
    }
}
