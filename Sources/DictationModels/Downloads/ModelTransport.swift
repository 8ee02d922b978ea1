#if ModelCatalog
import DictationCore

/// Fetches from an address; the real one is `CurlTransport`, tests have others.
protocol ModelTransport: Sendable {
    /// Fetches, handing what comes to the receiver; cancelling the task ends it soon.
    func fetch(_ request: TransferRequest, into receiver: any TransferReceiver) async -> TransferFailure?
}

struct TransferRequest: Sendable, Hashable {
    var address: String
    /// How many bytes are here already; the rest is asked for, if it is still the same thing.
    var resume: Resume?
    var connectTimeout: Duration

    struct Resume: Sendable, Hashable {
        var offset: Int64
        /// What `ETag` or `Last-Modified` said when the first bytes came.
        var validator: String
    }
}

/// The head of an answer.
struct TransferHead: Sendable, Hashable {
    var status: Int
    /// The headers by name in small letters.
    var headers: [String: String] = [:]
}

/// Takes what a transfer gives; called on the transfer's thread, the head first. A failure ends the transfer.
protocol TransferReceiver: Sendable {
    func begin(_ head: TransferHead) -> TransferFailure?
    func take(_ bytes: UnsafeRawBufferPointer) -> TransferFailure?
}

/// Why a transfer ended before its end.
enum TransferFailure: Error, Sendable, Hashable {
    /// The connection failed, or the server can't answer now.
    case interrupted(String)
    /// What is here can't be gone on with.
    case outdated
    /// This address will never do.
    case unusable(String)
    /// It came whole, and is not what the catalogue says.
    case wrongContent(String)
    /// It can't be stored here.
    case storage(DictationError)
    case cancelled
}
#endif
