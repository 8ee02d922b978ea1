public import DictationCore
import Synchronization

/// A take that is recorded for as long as this object exists.
///
///     let hold = try await control.hold()
///     // The key is down.
///     let text = try await hold.release().text
///
/// Releasing the last reference without calling ``release()`` stops the take. Its text is kept for
/// ``DictationIntent/last``. So a lost key release, or a caller that crashed, can't leave the microphone on.
public final class DictationHold: Sendable {
    /// The take.
    public let take: TakeID
    private let ending: @Sendable () async throws(DictationError) -> DictationAnswer
    private let drop: @Sendable () -> Void
    private let isOver = Mutex(false)

    /// Creates a hold, for your own ``DictationControl``.
    ///
    /// - Parameters:
    ///   - take: The take.
    ///   - ending: Stops the take and returns its text. It is called at most once.
    ///   - drop: Stops the take without waiting for its text. It is called if `ending` was not.
    public init(
        take: TakeID, ending: @escaping @Sendable () async throws(DictationError) -> DictationAnswer,
        drop: @escaping @Sendable () -> Void
    ) {
        self.take = take
        self.ending = ending
        self.drop = drop
    }

    deinit { if !isOver.withLock({ $0 }) { drop() } }

    /// Stops the take.
    ///
    /// - Returns: The text, or why there is none: the take was cancelled, or another caller stopped it and has its text. Only
    ///   the first call returns a text.
    @discardableResult
    public func release() async throws(DictationError) -> DictationAnswer {
        let isFirst = isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
        return isFirst ? try await ending() : .nothing
    }
}
