/// Where a dictation session is.
public enum DictationState: Sendable, Hashable {
    /// Nothing is recorded and nothing is awaited.
    case idle
    /// The microphone is being opened.
    case starting
    /// The microphone is open and audio is kept, whether or not the engine is ready yet.
    case recording
    /// The take goes on later; the microphone is let go.
    case paused
    /// No more audio is taken; the engine makes the text final.
    case finalizing
    /// The last take ended with an error; its text up to then is kept.
    case failed(DictationError)

    /// Whether a take is under way and takes audio, or would if it weren't paused.
    public var isActive: Bool { self == .starting || self == .recording || self == .paused }
}

/// Tells one take from another. Later takes have greater numbers.
public struct TakeID: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    /// The take's number, beginning at 1.
    public let number: Int
    /// Makes an identifier, such as a test needs.
    public init(number: Int) { self.number = number }

    /// Reads the number alone.
    public init(from decoder: any Decoder) throws {
        self.init(number: try decoder.singleValueContainer().decode(Int.self))
    }

    /// Writes the number alone.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }

    /// `take 3`
    public var description: String { "take \(number)" }
    /// Whether a take began before another.
    public static func < (a: TakeID, b: TakeID) -> Bool { a.number < b.number }
}
