extension DictationSession {
    /// The state of a dictation session.
    public enum State: Sendable, Hashable {
        /// No take is under way.
        case idle
        /// The microphone is opening.
        case starting
        /// The microphone is open and audio is recorded, whether or not the engine is ready yet.
        case recording
        /// The take is paused and its microphone is closed.
        case paused
        /// Recording has ended, and the engine makes the text final.
        case finalizing
        /// The last take ended with an error. Its text up to the error is kept.
        case failed(DictationError)

        /// Whether a take is starting, recording or paused. While its text becomes final it is not active any more: wait for
        /// the text, not for this.
        public var isActive: Bool { self == .starting || self == .recording || self == .paused }
    }
}

/// The identifier of a take. Later takes have greater numbers.
public struct TakeID: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    /// The take's number; a session's first take has number 1.
    public let number: Int
    /// Creates an identifier, for instance for a test.
    public init(number: Int) { self.number = number }

    /// Decodes an identifier from its number.
    public init(from decoder: any Decoder) throws {
        self.init(number: try decoder.singleValueContainer().decode(Int.self))
    }

    /// Encodes the identifier as its number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }

    /// The word "take" and the number, such as `take 3`.
    public var description: String { "take \(number)" }
    /// Whether `a` began before `b`.
    public static func < (a: TakeID, b: TakeID) -> Bool { a.number < b.number }
}
