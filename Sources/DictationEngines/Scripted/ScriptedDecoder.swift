import DictationCore

/// A decoder that plays a script.
struct ScriptedDecoder: SpeechDecoder {
    private var player: ScriptPlayer
    private let options: RecognitionOptions
    private let finishDelay: Duration??
    private let record: Watched<ScriptedEngine.SessionRecord>
    private let hold: StallHold
    private let runtime = DictationRuntime.current
    private var fed: Duration = .zero

    init(
        _ script: ScriptedEngine.Script, options: RecognitionOptions, record: Watched<ScriptedEngine.SessionRecord>,
        hold: StallHold
    ) {
        player = ScriptPlayer(script)
        finishDelay =
            script.steps.lazy.compactMap { step in
                if case .slowFinish(let duration) = step.action { .some(duration) } else { nil }
            }.first
        self.options = options
        self.record = record
        self.hold = hold
    }

    mutating func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError) {
        record.change { $0.count(buffer) }
        fed = max(fed, buffer.end)
        while let event = player.next(through: fed) { try await perform(event, into: results) }
    }

    mutating func finalize(into results: ResultSink) async throws(DictationError) {
        record.change { $0.finalizeCount += 1 }
        if let finishDelay { await hold.wait(finishDelay, runtime) }
        for event in player.finalize(through: fed) { try await perform(event, into: results) }
    }

    private func perform(_ event: ScriptPlayer.Event, into results: ResultSink) async throws(DictationError) {
        switch event {
        case .emit(let updates): for update in updates { results.emit(update.shaped(by: options)) }
        case .stall(let duration): await hold.wait(duration, runtime)
        case .fail(let error): throw error
        }
    }
}

/// Holds a stalled engine. Like C code that hangs, a stall ignores cancellation.
final class StallHold: Sendable {
    private let isReleased = Watched(false)

    func release() { isReleased.change { $0 = true } }

    func wait(_ duration: Duration?, _ runtime: DictationRuntime) async {
        let isReleased = isReleased
        let released = runtime.task { _ = await isReleased.first { $0 ? true : nil } }
        if let duration {
            // Both tasks end by themselves or by the release. They are not children, so cancellation does not reach
            // them.
            let timer = runtime.task {
                try? await runtime.sleep(duration)
                released.cancel()
            }
            await released.value
            timer.cancel()
        } else {
            await released.value
        }
    }
}

extension SpeechUpdate {
    /// Returns the update with exactly the parts that the options ask for.
    fileprivate func shaped(by options: RecognitionOptions) -> SpeechUpdate {
        switch self {
        case .volatile(let result): .volatile(result.shaped(by: options, maximumAlternatives: 0))
        case .final(let result):
            .final(result.shaped(by: options, maximumAlternatives: options.maximumAlternatives))
        case .revoked, .finalized, .interrupted, .voice, .turnEnded: self
        }
    }
}

extension SpeechResult {
    fileprivate func shaped(by options: RecognitionOptions, maximumAlternatives: Int) -> SpeechResult {
        var result = self
        result.alternatives = Array(alternatives.prefix(maximumAlternatives))
        let isAskedForWords = options.wordTimes || options.wordConfidence
        let scripted = words.isEmpty ? text.split(whereSeparator: \.isWhitespace).map { Word(String($0)) } : words
        result.words = isAskedForWords ? scripted : []
        for index in result.words.indices {
            let time = result.words[index].range ?? evenShare(index, of: result.words.count)
            result.words[index].range = options.wordTimes ? time.clamped(to: range) : nil
            let confidence = result.words[index].confidence ?? 1
            result.words[index].confidence = options.wordConfidence ? confidence : nil
        }
        return result
    }

    private func evenShare(_ index: Int, of count: Int) -> Range<Duration> {
        let length = range.upperBound - range.lowerBound
        return range.lowerBound + length * index / count..<range.lowerBound + length * (index + 1) / count
    }
}
