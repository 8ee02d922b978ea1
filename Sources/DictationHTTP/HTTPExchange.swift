#if Captions || Server
import CMicroHTTPD
import DictationCore
import DictationSystem
import Synchronization

/// One request and its answer. All functions are called on the server's thread.
final class HTTPExchange: Sendable {
    private struct State {
        /// Reads a form in pieces.
        var form: OpaquePointer?
        var isWhole = true
        /// How many more bytes of the form are forgotten, if its reader wants no more of it.
        var restLimit: Int?
        var answer: HTTPResponse?
        var work: Task<Void, Never>?
    }

    let request: HTTPRequest
    let connection: HTTPConnection
    private let reader: (any HTTPFormReader)?
    private let runtime: DictationRuntime
    private let state = Mutex(Unchecked(value: State()))
    private let whenUpgraded = Mutex<Takeover?>(nil)

    /// Takes over a connection that leaves HTTP: its socket, what libmicrohttpd calls it, and what was received after
    /// the request.
    typealias Takeover = @Sendable (Int32, OpaquePointer, [UInt8]) -> Void

    /// Takes over the connection when it leaves HTTP.
    var upgrade: Takeover? {
        get { whenUpgraded.withLock { $0 } }
        set { whenUpgraded.withLock { $0 = newValue } }
    }

    init(
        _ request: HTTPRequest, on connection: HTTPConnection, reader: (any HTTPFormReader)?, runtime: DictationRuntime
    ) {
        (self.request, self.connection, self.reader, self.runtime) = (request, connection, reader, runtime)
    }

    /// Gets ready for a form; `false` if the request has none.
    func begin(on pointer: OpaquePointer) -> Bool {
        let context = Unmanaged.passUnretained(self).toOpaque()
        let form = MHD_create_post_processor(
            pointer, 1 << 16,
            { context, _, name, fileName, _, _, bytes, offset, count in
                guard let context, let name, let bytes else { return .YES }
                let exchange = Unmanaged<HTTPExchange>.fromOpaque(context).takeUnretainedValue()
                let goesOn =
                    exchange.reader?.take(
                        UnsafeRawBufferPointer(start: bytes, count: count), of: String(cString: name),
                        fileName: fileName.map { String(cString: $0) }, isFirst: offset == 0) ?? true
                if !goesOn { exchange.refuseTheRest() }
                return goesOn ? .YES : .NO
            }, context)
        guard let form else { return false }
        state.withLock { [form = Unchecked(value: form)] in $0.value.form = form.value }
        return true
    }

    /// Takes a part of the body; `false` to end the connection.
    func take(_ bytes: UnsafePointer<CChar>, _ count: Int) -> Bool {
        // The form's reader is called from here, so no lock may be held.
        let (form, rest) = state.withLock { (Unchecked(value: $0.value.form), $0.value.restLimit) }
        if let rest {
            state.withLock { $0.value.restLimit = rest - count }
            return rest >= count
        }
        guard let form = form.value else { return true }
        if MHD_post_process(form, bytes, count) != .YES { state.withLock { $0.value.isWhole = false } }
        return true
    }

    private func refuseTheRest() {
        let limit = reader?.restLimit ?? 0
        state.withLock { $0.value.restLimit = limit }
    }

    /// Returns the answer; `nil` while it is not there. The first call begins the work.
    func answer() -> HTTPResponse? {
        connection.look()
        closeForm()
        return state.withLock { state in
            if let answer = state.value.answer { return answer }
            guard state.value.work == nil, let reader else { return nil }
            let isWhole = state.value.isWhole
            state.value.work = runtime.task { [self] in
                let answer = await runtime.whileClientWaits(on: connection) { await reader.answer(isWhole: isWhole) }
                self.state.withLock { $0.value.answer = answer }
                connection.wake()
            }
            return nil
        }
    }

    /// Says that the request is over.
    func end() {
        connection.forget()
        closeForm()
        let work = state.withLock { Unchecked(value: $0.value.work) }.value
        work?.cancel()
        reader?.end()
    }

    private func closeForm() {
        let form = state.withLock { state in
            defer { state.value.form = nil }
            return Unchecked(value: state.value.form)
        }
        guard let form = form.value else { return }
        if MHD_destroy_post_processor(form) != .YES { state.withLock { $0.value.isWhole = false } }
    }
}

extension DictationRuntime {
    /// Runs the work, and cancels it when the client leaves.
    fileprivate func whileClientWaits(
        on connection: HTTPConnection, _ work: sending @escaping () async -> HTTPResponse
    ) async -> HTTPResponse {
        let work = task(work)
        let watch = task {
            if await connection.end?.event() != false { work.cancel() }
        }
        defer { watch.cancel() }
        return await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
    }
}
#endif
