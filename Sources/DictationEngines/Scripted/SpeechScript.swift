public import DictationCore

/// What a `ScriptedEngine` understands, and when: steps keyed to the time of the audio that it is fed.
///
///     let script: SpeechScript = [
///         .volatile("go", at: .seconds(1)),
///         .volatile("go for", at: .seconds(1.5)),
///         .final("go forward", at: .seconds(2)),
///         .error(DictationError(.engineFailed, "The engine broke."), at: .seconds(5)),
///     ]
///
/// A step at a time happens once the audio through that time was fed, however it was cut into buffers. A step without
/// a time happens when the engine is asked to make everything final, as at the end of the audio.
///
/// The same can be written in one line, see `init(marbles:tick:)`, or kept in a file, see `init(json:)`.
public struct SpeechScript: Sendable, Hashable, ExpressibleByArrayLiteral {
    /// The steps. Those at the same time happen in the order in which they are written.
    public var steps: [Step]

    /// Makes a script from steps.
    public init(_ steps: [Step] = []) { self.steps = steps }

    /// Makes a script from steps.
    public init(arrayLiteral elements: Step...) { self.init(elements) }

    /// One to four, over and over, a word every half second and a final result every two seconds.
    public static let counting: SpeechScript = [
        .volatile("one", at: .milliseconds(500)),
        .volatile("one two", at: .milliseconds(1_000)),
        .volatile("one two three", at: .milliseconds(1_500)),
        .final("one two three four", at: .milliseconds(2_000)),
        .repeats(every: .milliseconds(2_000)),
    ]

    /// The longest time that a script may speak of.
    public static let longestTime: Duration = .seconds(1_000_000_000)

    /// The script itself, or an error that names the first step which makes no sense.
    public func validated() throws(DictationError) -> SpeechScript {
        for (index, step) in steps.enumerated() {
            guard let problem = step.problem ?? (step.isRepeat ? problemOfRepeating(every: step.time) : nil) else {
                continue
            }
            throw DictationError(
                .invalidInput, "Step \(index + 1) of the script, \(step), \(problem).",
                recovery: "Correct the step.")
        }
        return self
    }

    /// After how long the steps begin again.
    var period: Duration? { steps.first { $0.isRepeat }?.time }

    private func problemOfRepeating(every period: Duration?) -> String? {
        guard let period, period >= .milliseconds(1) else { return "repeats in less than a millisecond" }
        guard steps.count(where: \.isRepeat) == 1 else { return "is not the only one that repeats" }
        let latest = steps.compactMap { $0.isRepeat ? nil : $0.time }.max() ?? .zero
        return latest > period ? "repeats before the last step at \(latest)" : nil
    }
}
