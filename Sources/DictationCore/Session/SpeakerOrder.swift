/// One speaker's updates, as far as they were read.
struct SpeakerRun {
    let name: String?
    let run: TranscriptionRun
    /// The time through which the speaker's text is known, or `nil` at the end.
    var time: Duration? = .zero
    var failure: DictationError?

    /// Reads one update. After an error, the other speakers go on.
    mutating func advance(into order: inout SpeakerOrder) async {
        do throws(DictationError) {
            guard let update = try await run.next() else {
                time = nil
                return
            }
            switch update {
            case .final(var result):
                result.speaker = name
                order.add(result)
                time = max(time ?? .zero, result.range.upperBound)
            case .finalized(let through): time = max(time ?? .zero, through)
            case .interrupted(let interruption):
                if let lost = interruption.lost { time = max(time ?? .zero, lost.upperBound) }
            case .volatile, .revoked, .voice, .turnEnded: break
            }
        } catch {
            failure = error
            time = nil
        }
    }
}

/// Puts the final results of several speakers in the order in which they were said.
struct SpeakerOrder {
    /// The results that were released, in order.
    private(set) var released: [SpeechResult] = []
    private var waiting: [SpeechResult] = []
    private var finalizedThrough: Duration = .zero

    /// Adds a speaker's next result.
    mutating func add(_ result: SpeechResult) {
        let before = waiting.lastIndex { $0.range.lowerBound <= result.range.lowerBound }
        waiting.insert(result, at: before.map { $0 + 1 } ?? 0)
    }

    /// Returns the next update, or `nil` if it depends on a speaker who is behind.
    ///
    /// - Parameter time: The time before which no speaker has any more results, or `nil` if all have ended.
    mutating func next(through time: Duration?) -> SpeechUpdate? {
        if let first = waiting.first, time.map({ first.range.lowerBound < $0 }) ?? true {
            released.append(waiting.removeFirst())
            return .final(first)
        }
        guard let time, time > finalizedThrough else { return nil }
        finalizedThrough = time
        return .finalized(through: time)
    }
}
