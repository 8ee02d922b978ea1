#if Captions
public import DictationCore
import DictationHTTP
public import DictationService
import Synchronization

/// Shows what is dictated on a page in a browser, in large text: captions for an audience, or for a stream.
///
///     let client = try DictationClient()
///     let server = try CaptionsServer(client)
///     print("Open \(server.address)")
///     await server.close()
///
/// Only programs on this machine can reach the page, and only those that know its address, which has a random token.
/// Text that may still change looks different from stable text. Append `?transparent` to the address for a page without
/// a background, and `?size=8` for a text of another height, in hundredths of the window's width.
public final class CaptionsServer: Sendable {
    /// The address of the page.
    public let address: String
    private let daemon: HTTPDaemon
    private let following: Task<Void, Never>

    /// Starts a server. While no service is running it waits for one.
    ///
    /// - Parameters:
    ///   - control: The service.
    ///   - port: The port; 0 is any free one.
    /// - Throws: `alreadyRunning` if another program uses the port.
    public convenience init(_ control: any DictationControl, port: UInt16 = 0) throws(DictationError) {
        try self.init(control, port: port, clients: 16)
    }

    init(_ control: any DictationControl, port: UInt16, clients: UInt32) throws(DictationError) {
        var random = SystemRandomNumberGenerator()
        let token = (0..<2).map { _ in String(random.next() as UInt64, radix: 36) }.joined()
        let stream = CaptionsStream(CaptionsEvent().bytes)
        var configuration = HTTPDaemon.Configuration()
        (configuration.port, configuration.connections) = (port, clients)
        let daemon = try HTTPDaemon(configuration, site: CaptionsSite(token: token, stream: stream))
        self.daemon = daemon
        address = "http://127.0.0.1:\(daemon.port)/\(token)/"
        let runtime = DictationRuntime.current
        let news = Watched(CaptionsEvent())
        let reading = runtime.task {
            while !Task.isCancelled {
                do {
                    for try await status in try await control.statusUpdates() {
                        let event = CaptionsEvent(status)
                        if event != news.value { news.change { $0 = event } }
                    }
                } catch {}
                news.change { $0 = CaptionsEvent() }
                // Nothing tells of a service that starts.
                try? await runtime.sleep(.seconds(1))
            }
        }
        following = runtime.task {
            await withTaskCancellationHandler {
                var shown = CaptionsEvent()
                while !Task.isCancelled {
                    let last = shown
                    // Browsers that are gone are noticed by writing to them.
                    let next = await runtime.within(.seconds(15)) { await news.first { $0 == last ? nil : $0 } }
                    if let next = next.flatMap(\.self) { shown = next }
                    stream.publish(shown.bytes)
                    // No eye sees more than 20 changes a second.
                    try? await runtime.sleep(.milliseconds(50))
                }
            } onCancel: {
                reading.cancel()
            }
        }
    }

    deinit {
        following.cancel()
        daemon.close()
    }

    /// Ends the server, and the connections of all browsers.
    public func close() async {
        following.cancel()
        let daemon = daemon
        let work = BlockingWork("captions")
        try? await work.run { () throws(DictationError) in daemon.close() }
    }
}
#else
public import DictationCore
public import DictationService

/// Shows what is dictated on a page in a browser.
@available(*, unavailable, message: "Enable the “Captions” trait of swift-dictation.")
public final class CaptionsServer: Sendable {
    /// Unavailable in this build.
    public let address = ""
    /// Unavailable in this build.
    public init(_ control: any DictationControl, port: UInt16 = 0) throws(DictationError) {}
    /// Unavailable in this build.
    public func close() async {}
}
#endif
