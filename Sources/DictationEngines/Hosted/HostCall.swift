import DictationCore

/// A request to a helper.
enum HostCall: Codable, Sendable {
    /// The version of all messages. A helper refuses any other version.
    static let currentVersion = 1

    /// Create the engine. Always the first call.
    case load(version: Int, EngineDescription, library: String?)
    case format(RecognitionOptions)
    case prepare(RecognitionOptions)
    case open(HostSessionRequest)
}

/// A request for a session.
struct HostSessionRequest: Codable, Sendable {
    var session: UInt32
    /// The session's part of the shared memory.
    var slot: Int
    var options: RecognitionOptions
    /// The number of workers that transcribe a recording; `nil` for a session that is not a recording's.
    var workers: Int?
}

/// An answer of a helper.
enum HostAnswer: Codable, Sendable {
    case done
    case format(AudioFormat)
    case failed(DictationError)
}
