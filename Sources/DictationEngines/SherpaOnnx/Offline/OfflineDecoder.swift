import DictationCore

/// The decoder of a session with an offline model. It cuts the audio at pauses and recognizes each piece when the piece
/// ends. For volatile results, it also looks at the current piece from time to time.
struct OfflineDecoder: SpeechDecoder {
    private let loaded: LoadedModels<String?, OfflineRecognizer>.Lease
    private let wordTimes: Bool
    private let looks: LiveLooks?
    private var cutter: PauseCutter
    private var joiner: PieceJoiner
    /// What the results say of the voice.
    private var told: SpeechUpdate.Voice?

    init(
        _ loaded: LoadedModels<String?, OfflineRecognizer>.Lease, cutter: PauseCutter, _ options: RecognitionOptions
    ) {
        self.loaded = loaded
        self.cutter = cutter
        let wordTimes = options.wordTimes
        self.wordTimes = wordTimes
        joiner = PieceJoiner(isLive: options.volatileResults)
        looks =
            options.volatileResults
            ? LiveLooks(on: .current) { piece throws(DictationError) in
                try wordTimes ? loaded.model.timedLook(at: piece) : loaded.model.recognition.look(at: piece)
            } : nil
    }

    mutating func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError) {
        let pieces = cutter.add(buffer)
        tell(cutter.heardVoice, results)
        try await settle(pieces, results)
        looks?.look(at: cutter, after: joiner, into: results)
    }

    mutating func finalize(into results: ResultSink) async throws(DictationError) {
        try await settle(cutter.flush(), results)
        joiner.flush().forEach(results.emit)
    }

    /// Says when speech begins or ends, and from time to time what was heard so far.
    private mutating func tell(_ voice: SpeechUpdate.Voice?, _ results: ResultSink) {
        guard looks != nil, let voice else { return }
        if let told, told.isSpeech == voice.isSpeech, voice.through - told.through < .milliseconds(250) { return }
        told = voice
        results.emit(.voice(voice))
    }

    private mutating func settle(_ pieces: [PauseCutter.Piece], _ results: ResultSink) async throws(DictationError) {
        for piece in pieces {
            let look = await looks?.end(piece)
            if wordTimes {
                // Pieces whose words have times don't overlap. Each is a result of its own.
                try loaded.model.timedUpdates(of: piece, after: look).forEach(results.emit)
            } else {
                joiner.add(try loaded.model.recognition.text(of: piece, after: look), of: piece).forEach(results.emit)
                // It is final later, but a session that runs out of time keeps it.
                if let waiting = joiner.waiting { results.emit(.volatile(waiting)) }
            }
            if piece.ending == .pause, piece.speech != nil, looks != nil { results.emit(.turnEnded(at: piece.end)) }
        }
    }
}

extension SpeechUpdate.Voice {
    /// Whether someone speaks now.
    fileprivate var isSpeech: Bool { speech?.upperBound == through }
}
