import DictationCore

/// A request to a helper.
enum HelperCall: Codable, Sendable {
    /// The version of all messages. A helper refuses any other version.
    static let currentVersion = 7

    /// Create the engine. Always the first call.
    case load(HelperLoadRequest)
    /// Try a library or a model, then end. Always the first call.
    case attempt(HelperAttempt)
    case format(RecognitionOptions)
    case prepare(RecognitionOptions)
    case open(HelperSessionRequest)
}

/// A request for an engine.
struct HelperLoadRequest: Codable, Sendable {
    /// The version of all messages.
    var version = HelperCall.currentVersion
    /// The description of the engine, as JSON.
    var engine: String
    /// The file or folder of sherpa-onnx that the program named.
    var library: String?
    /// The limit of the helper's memory; `nil` for the memory of the machine.
    var memory: Int64?
}

/// A request to try what may end the process.
struct HelperAttempt: Codable, Sendable {
    /// The version of all messages.
    var version = HelperCall.currentVersion
    /// A random text that the answer must repeat, so that nothing that is tried can forge an answer.
    var nonce = (0..<4).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }.joined(separator: "-")
    /// The work to try, as JSON.
    var work: String
}

/// A request for a session.
struct HelperSessionRequest: Codable, Sendable {
    var session: UInt32
    /// The session's part of the shared memory.
    var slot: Int
    var options: RecognitionOptions
    /// The number of workers that transcribe a recording; `nil` for a session that is not a recording's.
    var workers: Int?
    /// Whether the helper tells about each piece that the engine takes. Then the program knows which audio ends helpers.
    var isInStep = false
    /// The time through which the program has the text already; `nil` if it has none. The engine only remembers that audio.
    var known: Duration?
}

/// An answer of a helper.
enum HelperAnswer: Codable, Sendable {
    case done
    /// The engine is created, in a process with these restrictions.
    case loaded(Set<EngineCapabilities.Restriction>)
    case format(AudioFormat)
    /// The nonce of an attempt, and its outcome as JSON.
    case attempted(String, String)
    case failed(DictationError)
}
