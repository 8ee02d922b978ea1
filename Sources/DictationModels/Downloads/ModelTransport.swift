#if ModelCatalog
import DictationCore
import DictationWeb

/// Downloads from an address. Apps use ``WebTransport``; tests use their own.
protocol ModelTransport: Sendable {
    /// Downloads, and passes the bytes to the receiver. Ends soon after the task is cancelled.
    ///
    /// - Returns: `nil` if the transfer is complete, or the reason why it ended early.
    func fetch(_ request: TransferRequest, into receiver: any TransferReceiver) async -> TransferFailure?
}

struct TransferRequest: Sendable, Hashable {
    var address: String
    /// The point to resume from. The server sends only the rest, unless the content has changed.
    var resume: Resume?
    var connectTimeout: Duration

    struct Resume: Sendable, Hashable {
        var offset: Int64
        /// The `ETag` or `Last-Modified` header that came with the first bytes.
        var validator: String
    }
}

/// Receives the data of a transfer, on the transfer's thread, the head first. A returned failure ends the transfer.
protocol TransferReceiver: Sendable {
    func begin(_ head: WebHead) -> TransferFailure?
    func take(_ bytes: UnsafeRawBufferPointer) -> TransferFailure?
}

/// The reason why a transfer ended early.
enum TransferFailure: Error, Sendable, Hashable {
    /// The connection failed, or the server can't answer now. Another try may succeed.
    case interrupted(String)
    /// The bytes received so far can't be continued, because the content has changed.
    case outdated
    /// The address will never work.
    case unusable(String)
    /// The content is not what the catalog says.
    case wrongContent(String)
    /// The content can't be stored on this machine.
    case storage(DictationError)
    case cancelled
}
#endif
