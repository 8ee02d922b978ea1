public import DictationCore

/// Controls a dictation service, in this process or in another one.
///
/// - **Choose** ``DictationService`` to dictate in this process, and ``DictationClient`` to ask a service that runs.
/// - **Use** the methods named after the intents, such as ``stop()``. Use ``perform(_:)`` to tell all answers apart.
/// - **Implement** it for another way to reach a service.
/// - **Test** your code with a `DictationService` around a scripted engine, in virtual time.
public protocol DictationControl: Sendable {
    /// Carries out an intent and returns the answer.
    ///
    /// If the calling task is cancelled, the intent is still carried out. The text of a take that this call stopped is
    /// then kept for ``DictationIntent/last``.
    ///
    /// - Throws: The error that kept the intent from being carried out; `cancelled` when the calling task is cancelled.
    func perform(_ intent: DictationIntent) async throws(DictationError) -> DictationAnswer

    /// Starts a take that is recorded until the hold is released, as for a key that is held down.
    ///
    /// - Parameter profile: The name of the profile; `nil` is the usual one.
    /// - Throws: `alreadyRunning` when a take is under way; otherwise the error that kept the take from starting.
    func hold(profile: String?) async throws(DictationError) -> DictationHold

    /// Returns the present status, and then its changes.
    func statusUpdates() async throws(DictationError) -> ServiceStatus.Updates
}

extension DictationControl {
    /// Starts a take, or resumes a paused one. Returns when the microphone is open.
    ///
    /// - Parameter profile: The name of the profile for a new take; `nil` is the usual one.
    /// - Returns: The take. If a take is already under way, it is that one.
    @discardableResult
    public func start(profile: String? = nil) async throws(DictationError) -> TakeID {
        guard case .recording(let take) = try await perform(.start(profile: profile)) else { throw .unknownAnswer }
        return take
    }

    /// Stops the take and returns its text.
    ///
    /// - Returns: The text; `nil` if there is no take, if another caller stopped it and gets the text, or if the take was
    ///   cancelled. ``perform(_:)`` tells these apart.
    @discardableResult
    public func stop() async throws(DictationError) -> DictatedText? { try await perform(.stop).text }

    /// Stops the take if there is one; starts one otherwise.
    ///
    /// - Parameter profile: The name of the profile for a new take; `nil` is the usual one.
    /// - Returns: The text of the stopped take; `nil` if this call started a take.
    @discardableResult
    public func toggle(profile: String? = nil) async throws(DictationError) -> DictatedText? {
        try await perform(.toggle(profile: profile)).text
    }

    /// Cancels the take and deletes its text and audio. Does nothing if there is no take.
    public func cancel() async throws(DictationError) { _ = try await perform(.cancel) }

    /// Pauses the take. Does nothing if there is no take.
    public func pause() async throws(DictationError) { _ = try await perform(.pause) }

    /// Resumes a paused take. Does nothing if there is no take.
    public func resume() async throws(DictationError) { _ = try await perform(.resume) }

    /// Starts a take with the usual profile that is recorded until the hold is released.
    public func hold() async throws(DictationError) -> DictationHold { try await hold(profile: nil) }

    /// Returns the newest text that is not empty, also if it was already given to somebody; `nil` if there is none.
    public func last() async throws(DictationError) -> DictatedText? { try await perform(.last).text }

    /// Delivers the newest text that is not empty to the destinations of its profile, and to what has the focus now.
    ///
    /// - Returns: The text, with what became of it; `nil` if there is none.
    /// - Throws: `unsupportedOption` if the profile has no destinations.
    @discardableResult
    public func insertLast() async throws(DictationError) -> DictatedText? { try await perform(.insertLast).text }

    /// Returns the present status.
    public func status() async throws(DictationError) -> ServiceStatus {
        guard case .status(let status) = try await perform(.status) else { throw .unknownAnswer }
        return status
    }
}

extension DictationError {
    /// An answer that does not belong to the intent.
    static let unknownAnswer = DictationError(
        .invalidInput, "The dictation service gave an answer that this program does not know.",
        recovery: "Use the same version of both.")
}
