public import DictationCore

/// Controls a dictation service that runs in another process of the same user.
///
///     let client = try DictationClient()
///     try await client.start()
///     try await Task.sleep(for: .seconds(5))
///     print(try await client.stop()?.text ?? "nothing was said")
///
/// Each call has a connection of its own. The calls throw `notRunning` if no service listens, or if it ends meanwhile.
/// If a caller of ``DictationControl/stop()`` is cancelled or its process ends, its text is kept for
/// ``DictationIntent/last``. A ``DictationHold`` lasts only as long as this process.
public struct DictationClient: DictationControl {
    /// The socket's path.
    public var path: String { place.path }
    /// How long the service may take to answer.
    public var answerTimeout: Duration
    private let place: SocketPlace
    private let runtime = DictationRuntime.current

    /// Creates a client. It connects with each call.
    ///
    /// - Parameters:
    ///   - path: The socket's path; `nil` is ``ServiceListener/standardPath``.
    ///   - answerTimeout: How long the service may take to answer. The limits of the service's session are shorter,
    ///     unless they were changed.
    /// - Throws: `invalidInput` if the path can't be a socket's.
    public init(path: String? = nil, answerTimeout: Duration = .seconds(60)) throws(DictationError) {
        guard let path = path ?? ServiceListener.standardPath else {
            throw DictationError(
                .invalidInput, "This user has no folder for the dictation service's socket.",
                recovery: "Set XDG_RUNTIME_DIR, or give the socket's path.")
        }
        place = try SocketPlace(path)
        self.answerTimeout = answerTimeout
    }

    /// Carries out an intent and returns the answer. See ``DictationControl/perform(_:)``.
    public func perform(_ intent: DictationIntent) async throws(DictationError) -> DictationAnswer {
        try await answer(to: .intent(intent))
    }

    /// Makes the service read its settings again. They apply from the next take on.
    ///
    /// - Throws: The error of the settings, which then stay as they were.
    public func reloadSettings() async throws(DictationError) { _ = try await answer(to: .reload) }

    private func answer(to kind: WireRequest.Kind) async throws(DictationError) -> DictationAnswer {
        let (connection, content) = try await connected { connection throws(DictationError) in
            try connection.send(WireRequest(id: 1, kind: kind))
            return try connection.answer(to: 1, within: answerTimeout)
        }
        connection.end()
        return try content.answer
    }

    /// Starts a take that is recorded until the hold is released. See ``DictationControl/hold(profile:)``.
    public func hold(profile: String? = nil) async throws(DictationError) -> DictationHold {
        let limit = answerTimeout
        let (connection, content) = try await connected { connection throws(DictationError) in
            try connection.send(WireRequest(id: 1, kind: .hold(profile: profile, answersPings: true)))
            return try connection.answer(to: 1, within: limit)
        }
        guard case .holding(let take) = content else { throw .unknownAnswer }
        // The answer to the release is awaited from the beginning, which also answers the service's pings.
        let reading = BlockingWork("dictation-hold", runtime: runtime)
        let answer = runtime.task {
            await Result.of { () async throws(DictationError) in
                try await reading.run { () throws(DictationError) in try connection.answer(to: 2, within: nil).answer }
            }
        }
        let (runtime, writing) = (runtime, BlockingWork("dictation-release", runtime: runtime))
        return DictationHold(take: take) { () throws(DictationError) in
            try await cancellable(ending: connection) { () async throws(DictationError) in
                // If the connection has ended, the answer is the reason.
                try? await writing.run { () throws(DictationError) in
                    try connection.send(WireRequest(id: 2, kind: .release))
                }
                guard let answer = await runtime.within(limit, { await answer.value }) else {
                    connection.end()
                    throw .noAnswer
                }
                return try answer.get()
            }
        } drop: {
            connection.end()
        }
    }

    /// Returns the present status, and then its changes. See ``DictationControl/statusUpdates()``.
    public func statusUpdates() async throws(DictationError) -> ServiceStatus.Updates {
        let (connection, first) = try await connected { connection throws(DictationError) in
            try connection.send(WireRequest(id: 1, kind: .follow))
            return try connection.answer(to: 1, within: answerTimeout)
        }
        let unread = Watched<WireReply.Content?>(first)
        let work = BlockingWork("dictation-status", runtime: runtime)
        return ServiceStatus.Updates {
            { () throws(DictationError) in
                let content =
                    if let first = unread.change({ unread in
                        defer { unread = nil }
                        return unread
                    }) {
                        first
                    } else {
                        try await work.run(ending: connection) { () throws(DictationError) in
                            try connection.newestAnswer(to: 1)
                        }
                    }
                guard case .status(let status) = try content.answer else { throw .unknownAnswer }
                return status
            }
        }
    }

    /// Throws if no keyboard is connected to the service.
    func checkKeyboard() async throws(DictationError) { _ = try await answer(to: .keyboard) }

    /// Connects, and runs a closure that blocks.
    private func connected<Answer: Sendable>(
        _ body: @escaping @Sendable (ClientConnection) throws(DictationError) -> Answer
    ) async throws(DictationError) -> (ClientConnection, Answer) {
        let (place, limit) = (place, answerTimeout)
        let work = BlockingWork("dictation-client", runtime: runtime)
        let connection = try await work.run { () throws(DictationError) in
            try ClientConnection(to: place, within: limit)
        }
        return (
            connection, try await work.run(ending: connection) { () throws(DictationError) in try body(connection) }
        )
    }
}

extension BlockingWork {
    /// Runs work on a connection, which ends when the caller is cancelled.
    fileprivate func run<Answer: Sendable>(
        ending connection: ClientConnection, _ body: @escaping @Sendable () throws(DictationError) -> Answer
    ) async throws(DictationError) -> Answer {
        try await cancellable(ending: connection) { () async throws(DictationError) in try await run(body) }
    }
}

/// Runs work on a connection, which ends when the caller is cancelled.
private func cancellable<Answer: Sendable>(
    ending connection: ClientConnection, _ body: () async throws(DictationError) -> Answer
) async throws(DictationError) -> Answer {
    let result = await withTaskCancellationHandler {
        await Result.of { () async throws(DictationError) in try await body() }
    } onCancel: {
        connection.end()
    }
    if case .failure = result, Task.isCancelled {
        throw DictationError(
            .cancelled, "The call was cancelled while the dictation service worked on it.",
            recovery: "Ask for the last text: it is kept.")
    }
    return try result.get()
}

extension WireReply.Content {
    /// The answer to an intent.
    fileprivate var answer: DictationAnswer {
        get throws(DictationError) {
            guard case .answer(let answer) = self else { throw .unknownAnswer }
            return answer
        }
    }
}

extension DictationClient: FieldWriting {
    package func offerFields() async throws(DictationError) -> FieldOffer {
        let limit = answerTimeout
        let (connection, _) = try await connected { connection throws(DictationError) in
            try connection.send(WireRequest(id: 1, kind: .offerFields))
            return try connection.answer(to: 1, within: limit)
        }
        let reading = BlockingWork("dictation-fields", runtime: runtime)
        let reports = Mailbox<FieldReport, Never>()
        let writing = BlockingWork("dictation-focus", runtime: runtime)
        runtime.task {
            while let report = await reports.next() {
                try? await writing.run { () throws(DictationError) in
                    try connection.send(WireRequest(id: 1, kind: .report(report)))
                }
            }
        }
        return FieldOffer { () throws(DictationError) in
            do throws(DictationError) {
                let content = try await reading.run(ending: connection) { () throws(DictationError) in
                    try connection.answer(to: 1, within: nil)
                }
                guard case .order(let order) = content else { throw .unknownAnswer }
                return order
            } catch {
                reports.finish()
                throw error
            }
        } tell: {
            reports.put($0)
        }
    }
}
