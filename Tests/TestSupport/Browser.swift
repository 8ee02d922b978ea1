package import Foundation
import Synchronization
import Testing

/// A headless Chromium with one tab, driven by the DevTools protocol through two pipes.
package final class Browser: Sendable {
    package struct Failure: Error {
        package var message: String
        /// Whether the browser has ended.
        var isEnd = false
    }

    private struct State {
        var next = 0
        var waiting: [Int: CheckedContinuation<Data, any Error>] = [:]
        /// Errors and warnings of the console, exceptions, and addresses that the page asked for.
        var complaints: [String] = []
        var addresses: [String] = []
        var hasEnded = false
    }

    /// A browser that does not answer fails its test, even on a slow machine.
    private static let secondsToAnswer = 150.0

    private let state = Mutex(State())
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let folder: PageFolder
    private let session = Mutex("")
    /// The beginnings of addresses that the page may ask for.
    private let allowed: [String]

    /// Opens a page in a window of 800 × 600. Tries once more if the browser ends before it shows the page.
    package static func open(_ page: URL, in folder: PageFolder, scheme: String = "light") async throws -> Browser {
        do { return try await begin(page, in: folder, scheme: scheme) } catch let failure as Failure where failure.isEnd
        {
            return try await begin(page, in: folder, scheme: scheme)
        }
    }

    private static func begin(_ page: URL, in folder: PageFolder, scheme: String) async throws -> Browser {
        let own = page.scheme == "http" ? ["http://\(page.host ?? ""):\(page.port ?? 80)/"] : []
        let browser = try Browser(folder: folder, allowed: ["file:", "data:"] + own)
        let target = try await browser.send("Target.createTarget", ["url": "about:blank"])
        let session = try await browser.send(
            "Target.attachToTarget", ["targetId": target["targetId"] as? String ?? "", "flatten": true])
        browser.session.withLock { $0 = session["sessionId"] as? String ?? "" }
        for domain in ["Page", "Runtime", "Log", "Network", "Accessibility"] {
            try await browser.send("\(domain).enable")
        }
        try await browser.send(
            "Emulation.setDeviceMetricsOverride",
            ["width": 800, "height": 600, "deviceScaleFactor": 1, "mobile": false])
        try await browser.emulate(["prefers-color-scheme": scheme])
        try await browser.send("Page.navigate", ["url": page.absoluteString])
        try await browser.run(
            "new Promise(done => document.readyState == 'complete' ? done() : addEventListener('load', () => done()))")
        return browser
    }

    private init(folder: PageFolder, allowed: [String]) throws {
        self.folder = folder
        self.allowed = allowed
        let chromium = "/usr/bin/chromium"
        try #require(
            FileManager.default.isExecutableFile(atPath: chromium),
            "\(chromium) is missing; Scripts/install-dependencies installs what the tests need.")
        process.executableURL = URL(filePath: "/bin/bash")
        // The protocol uses the descriptors 3 and 4. A browser that hangs is ended, which fails the test.
        process.arguments = [
            "-c", #"exec /usr/bin/timeout --kill-after=5 1200 "$@" 3<&0 4>&1 >"$HOME/log" 2>&1"#, "bash", chromium,
            "--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--autoplay-policy=no-user-gesture-required", "--user-data-dir=\(folder.path)/profile", "--no-first-run",
            "--disable-extensions", "--disable-background-networking", "--force-color-profile=srgb", "about:blank",
        ]
        process.environment = [
            "PATH": "/usr/bin:/bin", "HOME": folder.path, "LANG": "C.UTF-8", "TMPDIR": folder.path,
        ]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        Thread { [weak self, output] in
            var buffer = Data()
            while true {
                let more = output.fileHandleForReading.availableData
                guard !more.isEmpty else { break }
                buffer += more
                while let end = buffer.firstIndex(of: 0) {
                    self?.receive(Data(buffer[buffer.startIndex..<end]))
                    buffer = Data(buffer[(end + 1)...])
                }
            }
            self?.end()
        }.start()
    }

    deinit {
        // Chromium ends with its pipe.
        try? input.fileHandleForWriting.close()
        process.terminate()
        process.waitUntilExit()
    }

    /// What the page should not have done: errors in the console, and requests for anything but its own files and server.
    package var complaints: [String] {
        state.withLock { state in
            state.complaints
                + state.addresses.filter { address in !allowed.contains { address.hasPrefix($0) } }
        }
    }

    // MARK: The page

    /// Runs an expression in the page, waits for its promise, and decodes the value.
    package func value<Value: Decodable>(_ expression: String, as type: Value.Type = Value.self) async throws -> Value {
        let json: String =
            try await evaluate("(async () => JSON.stringify([await (\(expression))]))()") as? String ?? ""
        guard let value = try JSONDecoder().decode([Value].self, from: Data(json.utf8)).first else {
            throw Failure(message: "no value of \(expression)")
        }
        return value
    }

    /// Runs an expression in the page and waits for its promise.
    package func run(_ expression: String) async throws { _ = try await evaluate(expression) }

    /// Waits until an expression is true. Looks by the clock, because a busy machine may draw no frame for long.
    package func wait(until condition: String) async throws {
        try await run(
            """
            new Promise((done, failed) => {
              const end = performance.now() + 60000;
              const look = () => (\(condition)) ? done()
                : performance.now() > end ? failed(new Error("never true")) : setTimeout(look, 20);
              look();
            })
            """)
    }

    private func evaluate(_ expression: String) async throws -> Any? {
        let answer = try await send(
            "Runtime.evaluate",
            ["expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true])
        if let problem = answer["exceptionDetails"] { throw Failure(message: "\(expression): \(problem)") }
        return (answer["result"] as? [String: Any])?["value"]
    }

    /// Clicks the middle of the first element of a selector.
    package func click(_ selector: String) async throws {
        let place: [Double] = try await value(
            """
            (() => {
              const element = document.querySelector(\(Self.quoted(selector)));
              element.scrollIntoView({ block: "center", behavior: "instant" });
              const box = element.getBoundingClientRect();
              return [box.x + box.width / 2, box.y + box.height / 2];
            })()
            """)
        for kind in ["mousePressed", "mouseReleased"] {
            try await send(
                "Input.dispatchMouseEvent",
                ["type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1])
        }
    }

    /// Presses a key, such as `Enter` or `a`.
    package func press(_ key: String, shift: Bool = false) async throws {
        let codes = ["Enter": 13, "Escape": 27, " ": 32, "ArrowLeft": 37, "ArrowRight": 39, "Tab": 9, "/": 191]
        var event: [String: any Sendable] = [
            "type": "keyDown", "key": key, "modifiers": shift ? 8 : 0,
            "windowsVirtualKeyCode": codes[key] ?? Int(key.uppercased().utf8.first ?? 0),
        ]
        if key.utf8.count == 1 { event["text"] = key }
        if key == "Enter" { event["text"] = "\r" }
        try await send("Input.dispatchKeyEvent", event)
        event["type"] = "keyUp"
        event["text"] = nil
        try await send("Input.dispatchKeyEvent", event)
    }

    package func type(_ text: String) async throws { for key in text { try await press(String(key)) } }

    package func emulate(_ features: [String: String], media: String = "") async throws {
        let list: [[String: String]] = features.map { ["name": $0, "value": $1] }
        try await send("Emulation.setEmulatedMedia", ["media": media, "features": list])
    }

    package static func quoted(_ text: String) -> String {
        String(decoding: (try? JSONEncoder().encode(text)) ?? Data(), as: UTF8.self)
    }

    // MARK: The protocol

    @discardableResult
    package func send(_ method: String, _ parameters: [String: any Sendable] = [:]) async throws -> [String: Any] {
        let session = session.withLock { $0 }
        let answer: Data = try await withCheckedThrowingContinuation { continuation in
            let id: Int? = state.withLock { state in
                guard !state.hasEnded else { return nil }
                state.next += 1
                state.waiting[state.next] = continuation
                return state.next
            }
            guard let id else { return continuation.resume(throwing: ended) }
            var message: [String: any Sendable] = ["id": id, "method": method, "params": parameters]
            if !session.isEmpty { message["sessionId"] = session }
            let line = ((try? JSONSerialization.data(withJSONObject: message)) ?? Data()) + [0]
            try? input.fileHandleForWriting.write(contentsOf: line)
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.secondsToAnswer) { [weak self] in
                self?.giveUp(on: id, method: method)
            }
        }
        let object = try JSONSerialization.jsonObject(with: answer) as? [String: Any] ?? [:]
        if let error = object["error"] { throw Failure(message: "\(method): \(error)") }
        return object["result"] as? [String: Any] ?? [:]
    }

    private func receive(_ message: Data) {
        guard let object = try? JSONSerialization.jsonObject(with: message) as? [String: Any] else { return }
        if let id = object["id"] as? Int {
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: message)
            return
        }
        let details = object["params"] as? [String: Any] ?? [:]
        state.withLock { state in
            switch object["method"] as? String {
            case "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded":
                state.complaints.append(String(decoding: message, as: UTF8.self))
            case "Network.requestWillBeSent":
                let address = (details["request"] as? [String: Any])?["url"] as? String ?? ""
                state.addresses.append(String(address.prefix(200)))
            default: break
            }
        }
    }

    /// Fails a request that has no answer after all this time.
    private func giveUp(on id: Int, method: String) {
        guard let late = state.withLock({ $0.waiting.removeValue(forKey: id) }) else { return }
        late.resume(throwing: Failure(message: "\(method) had no answer after \(Self.secondsToAnswer) s.\n\(log)"))
    }

    private var ended: Failure { Failure(message: "The browser has ended.\n\(log)", isEnd: true) }

    /// The end of what the browser said.
    private var log: Substring {
        ((try? String(contentsOfFile: folder.path + "/log", encoding: .utf8)) ?? "").suffix(1_000)
    }

    private func end() {
        let waiting = state.withLock { state in
            state.hasEnded = true
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume(throwing: ended) }
    }
}

/// A temporary folder for a page, its recording and its browser. Deleted with its last reference.
package final class PageFolder: Sendable {
    package let path: String

    package init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "dictation-page-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Saves a file and returns its address.
    package func save(_ data: Data, as name: String) throws -> URL {
        let file = URL(filePath: path).appending(path: name)
        try data.write(to: file)
        return file
    }

    /// A recording of a quiet tone, as WAV with 8,000 frames per second.
    package static func tone(seconds: Int) -> Data {
        let frames = seconds * 8_000
        func bytes(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
        let samples = (0..<frames).map { UInt8(128 + 20 * sin(Double($0) * 0.3)) }
        return Data(
            Array("RIFF".utf8) + bytes(36 + frames) + Array("WAVEfmt ".utf8) + bytes(16) + [1, 0, 1, 0] + bytes(8_000)
                + bytes(8_000) + [1, 0, 8, 0] + Array("data".utf8) + bytes(frames) + samples)
    }
}
