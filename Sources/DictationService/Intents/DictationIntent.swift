/// What a caller asks a dictation service to do.
///
/// The service decides what an intent means in its present state. Each intent can be repeated safely, and is answered
/// within a limit.
public enum DictationIntent: Sendable, Hashable {
    /// Starts a take. Resumes a paused take; does nothing while a take is recorded.
    ///
    /// - Parameter profile: The name of the profile for a new take; `nil` is the usual one.
    case start(profile: String? = nil)
    /// Stops the take and asks for its text.
    case stop
    /// Stops the take if there is one; starts one otherwise.
    case toggle(profile: String? = nil)
    /// Cancels the take and deletes its text and audio.
    case cancel
    /// Pauses the take and closes the microphone.
    case pause
    /// Resumes a paused take.
    case resume
    /// Asks for the newest text again.
    case last
    /// Delivers the newest text again, to what has the focus now.
    case insertLast
    /// Asks for the present status.
    case status
}
