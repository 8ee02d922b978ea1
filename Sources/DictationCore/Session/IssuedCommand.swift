/// A command that a session has carried out.
///
/// The public calls of a session wait for the result. A service has to know at once which take a command was about, and
/// waits later or not at all.
package struct IssuedCommand: Sendable {
    /// The session's take after the command; `nil` before the first take.
    package let take: TakeID?
    /// Whether the command began the take.
    package let isNew: Bool
    /// The state before the command.
    package let before: DictationSession.State
    private let progress: Watched<TakeProgress>?

    fileprivate init(_ answer: EventHub.Answer) {
        take = answer.take?.id
        isNew = answer.isNew
        before = answer.before
        progress = answer.take?.progress
    }

    /// Waits until the take's microphone is open, or until the take is asked to pause or stop.
    ///
    /// - Throws: The error that kept the microphone from opening; `cancelled` when the task or the take is cancelled.
    package func microphoneOpened() async throws(DictationError) {
        guard let progress else { throw DictationError(.notRunning, "There is no take.") }
        guard let opening = await progress.first({ $0.opening }) else { throw .callCancelled }
        try opening.get()
    }
}

extension DictationSession {
    /// Carries out a command in one step, and does not wait for its result.
    ///
    /// - Parameters:
    ///   - setup: What a new take is made with; `nil` is the session's own.
    ///   - beginning: Is told of a new take, before any event of it. It must be quick, and not call the session.
    ///   - command: Returns the command for the present state and take, or `nil` to do nothing.
    @discardableResult
    package func issue(
        with setup: TakeSetup? = nil, beginning: (TakeID) -> Void = { _ in },
        _ command: (SessionMachine) -> SessionMachine.Command?
    ) -> IssuedCommand {
        IssuedCommand(perform(with: setup, beginning: beginning, command))
    }
}
