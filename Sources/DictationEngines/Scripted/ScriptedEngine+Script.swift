public import DictationCore

extension ScriptedEngine {
    /// A script for a ``ScriptedEngine``, with steps at times of the audio.
    ///
    ///     let script: ScriptedEngine.Script = [
    ///         .volatile("go", at: .seconds(1)),
    ///         .volatile("go for", at: .seconds(1.5)),
    ///         .final("go forward", at: .seconds(2)),
    ///         .error(DictationError(.engineFailed, "The engine broke."), at: .seconds(5)),
    ///     ]
    ///
    /// A step with a time happens as soon as the engine has the audio through that time, whatever the sizes of the buffers.
    /// A step without a time happens when the engine must make everything final, for example at the end of the audio.
    ///
    /// You can also write a script in one line with ``init(marbles:tick:)``, or load it with ``init(contentsOfFile:)``.
    public struct Script: Sendable, Hashable, ExpressibleByArrayLiteral {
        /// The steps. Steps with the same time happen in the order of this array.
        public var steps: [Step]

        /// Creates a script from steps.
        public init(_ steps: [Step] = []) { self.steps = steps }

        /// Creates a script from an array literal.
        public init(arrayLiteral elements: Step...) { self.init(elements) }

        /// A script that counts from one to four again and again, with a word every half second and a final result every
        /// two seconds.
        public static let counting: ScriptedEngine.Script = [
            .volatile("one", at: .milliseconds(500)),
            .volatile("one two", at: .milliseconds(1_000)),
            .volatile("one two three", at: .milliseconds(1_500)),
            .final("one two three four", at: .milliseconds(2_000)),
            .repeats(every: .milliseconds(2_000)),
        ]

        /// The longest time in a script.
        public static let longestTime: Duration = .seconds(1_000_000_000)

        /// Returns the script.
        ///
        /// - Throws: `invalidInput` with the first invalid step.
        public func validated() throws(DictationError) -> ScriptedEngine.Script {
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

        /// The time after which the steps begin again.
        var period: Duration? { steps.first { $0.isRepeat }?.time }

        private func problemOfRepeating(every period: Duration?) -> String? {
            guard let period, period >= .milliseconds(1) else { return "repeats in less than a millisecond" }
            guard steps.count(where: \.isRepeat) == 1 else { return "is not the only step that repeats" }
            let latest = steps.compactMap { $0.isRepeat ? nil : $0.time }.max() ?? .zero
            return latest > period ? "repeats before the last step at \(latest)" : nil
        }
    }
}
