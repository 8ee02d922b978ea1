import DictationCore

/// The newest speech whose text is final, for the next helper, whose engine may need it to understand what follows.
///
/// It is kept in stretches that an engine made final as a whole, because an engine begins again after each of them. Another
/// engine that begins with such a stretch does what the engine before it did.
struct RememberedSpeech: Sendable {
    /// What another engine must do to remember.
    enum Step: Sendable {
        case hear(AudioBuffer)
        /// Make everything final, as the program once asked for.
        case finalize
    }

    private struct Stretch: Sendable {
        var steps: [Step] = []
        var duration: Duration = .zero
    }

    /// How much speech an engine needs.
    private let length: Duration
    private var stretches: [Stretch] = []
    /// The stretch that is not final as a whole; `nil` if its beginning is forgotten.
    private var open: Stretch? = Stretch()

    init(length: Duration) { self.length = length }

    /// What another engine must do, in order.
    var steps: [Step] { (stretches + [open].compactMap(\.self)).flatMap(\.steps) }

    private var duration: Duration { stretches.reduce(open?.duration ?? .zero) { $0 + $1.duration } }

    /// Adds audio whose text is final.
    mutating func add(_ audio: AudioBuffer) {
        guard length > .zero, !audio.isEmpty else { return }
        open?.steps.append(.hear(audio))
        open?.duration += audio.duration
        // To hear so much again would take too long.
        if duration > length * 3 { forget() }
    }

    /// Notes that everything so far is final.
    mutating func endStretch() {
        if let open, !open.steps.isEmpty { stretches.append(open) }
        open = Stretch()
        while let first = stretches.first, duration - first.duration >= length { stretches.removeFirst() }
    }

    /// Notes that everything so far became final because the program asked for it.
    mutating func finalize() {
        endStretch()
        guard let last = stretches.indices.last else { return }
        if case .finalize? = stretches[last].steps.last { return }
        stretches[last].steps.append(.finalize)
    }

    /// Forgets everything, up to the end of the stretch that is not final as a whole.
    mutating func forget() { (stretches, open) = ([], nil) }
}
