#if ModelCatalog
import DictationCore
import DictationWeb

/// Downloads over HTTP.
struct WebTransport: ModelTransport {
    /// Runs each transfer on its own thread, so that no transfer waits for another.
    let runtime = DictationRuntime.current

    func fetch(_ request: TransferRequest, into receiver: any TransferReceiver) async -> TransferFailure? {
        let work = Task(executorPreference: runtime.blockingExecutor("model download")) {
            Download(receiver).run(request.options)
        }
        return await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
    }
}

/// One transfer. Only one thread uses it.
private final class Download {
    private let receiver: any TransferReceiver
    private var hasBegun = false
    private var failure: TransferFailure?

    init(_ receiver: any TransferReceiver) { self.receiver = receiver }

    func run(_ options: WebOptions) -> TransferFailure? {
        do throws(WebError) {
            let head = try WebTransfer().run(options) { self.take($1, after: $0) }
            return begin(head)
        } catch {
            if let failure { return failure }
            switch error.kind {
            case .cancelled: return .cancelled
            case .forbidden: return .unusable("it redirects to an address that is not allowed")
            case .tooManyRedirects, .malformed, .untrusted: return .unusable(error.text)
            case .unreachable, .interrupted: return .interrupted(error.text)
            }
        }
    }

    private func begin(_ head: WebHead) -> TransferFailure? {
        guard !hasBegun else { return nil }
        hasBegun = true
        failure = receiver.begin(head)
        return failure
    }

    /// Returns `false` to end the transfer.
    private func take(_ bytes: UnsafeRawBufferPointer, after head: WebHead) -> Bool {
        if begin(head) != nil { return false }
        failure = Task.isCancelled ? .cancelled : receiver.take(bytes)
        return failure == nil
    }
}

extension TransferRequest {
    fileprivate var options: WebOptions {
        var options = WebOptions(address, connectTimeout: connectTimeout)
        options.redirects = 5
        if let resume {
            options.offset = resume.offset
            options.headers = ["If-Range: \(resume.validator)"]
        }
        return options
    }
}
#endif
