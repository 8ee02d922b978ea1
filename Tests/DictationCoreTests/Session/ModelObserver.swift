import DictationCore
import Synchronization

/// Checks a model during a random run, on a main actor that may be busy, and notes where it differs from its session.
@MainActor final class ModelObserver {
    /// A call that may begin a take: its origin, and the takes that began during the call.
    private struct Beginning: Sendable {
        var origin: String?
        var takes: ClosedRange<TakeID>
    }

    private(set) var problems: [String] = []
    private let session: DictationSession
    private let model: DictationModel
    private var given: [DictationModel.EndedTake] = []
    nonisolated private let beginnings = Mutex<[Beginning]>([])

    init(_ session: DictationSession) {
        self.session = session
        model = DictationModel(session)
        model.onTranscript = { [weak self] in self?.given.append($0) }
    }

    /// Calls the model if there is an origin, otherwise the session.
    nonisolated func make(_ call: RandomSchedule.Call, from origin: String?) async {
        let before = await session.currentTake
        if let origin {
            await makeOnModel(call, from: origin)
        } else {
            await call.make(on: session)
        }
        guard call == .start || call == .toggle else { return }
        let after = await session.currentTake
        beginnings.withLock { $0.append(Beginning(origin: origin, takes: before...after)) }
    }

    private func makeOnModel(_ call: RandomSchedule.Call, from origin: String) async {
        switch call {
        case .start: await model.start(from: origin)
        case .stop: await model.stop()
        case .cancel: await model.cancel()
        case .toggle: await model.toggle(from: origin)
        case .pause: await model.pause()
        case .resume: await model.resume()
        }
    }

    /// Compares the model with the snapshot of a new listener, once no buffer is on its way to either.
    func checkWhatIsShown() async {
        for _ in 0..<100 where await !isAtTheSameBuffer { await Task.yield() }
        guard let shown = await session.snapshot else { return note("there is no snapshot") }
        let pieces = shown.transcript.segments + shown.volatileTail
        compare("state", model.state, shown.state)
        compare("engine", model.isEngineReady, shown.isEngineReady)
        compare("final text", model.finalText, shown.transcript.text)
        compare("text", model.text, model.locale.join(pieces.map(\.text)))
        compare("length", model.elapsed, shown.elapsed)
        compare("input", model.input, shown.input)
        compare("interruption", model.interruption, shown.interruption)
        check(model.origin, of: shown.take)
    }

    private var isAtTheSameBuffer: Bool {
        get async {
            guard let shown = await session.snapshot else { return false }
            return model.elapsed == shown.elapsed && model.input == shown.input
        }
    }

    /// Compares the takes that the model passed to `onTranscript` with the takes that ended.
    func checkEnds(are ends: [(take: TakeID, transcript: Transcript)]) async {
        await checkWhatIsShown()
        compare("ended takes", given.map(\.id), ends.map(\.take))
        compare("texts", given.map(\.transcript), ends.map(\.transcript))
        for take in given { check(take.origin, of: take.id) }
        let origins = given.compactMap(\.origin)
        compare("number of origins", Set(origins).count, origins.count)
        if let last = given.last, await session.currentTake == last.id { compare("origin", model.origin, last.origin) }
        compare("last transcript", model.transcript, ends.last?.transcript)
    }

    /// Checks that a call with this origin began the take.
    private func check(_ origin: String?, of take: TakeID) {
        let isPossible = beginnings.withLock { beginnings in
            beginnings.contains { $0.origin == origin && $0.takes.lowerBound < take && take <= $0.takes.upperBound }
        }
        if !isPossible, take.number > 0 { note("\(take) was not begun from \(origin ?? "nowhere")") }
    }

    private func compare<Value: Equatable>(_ name: String, _ shown: Value, _ expected: Value) {
        if shown != expected { note("the model's \(name) is \(shown) and should be \(expected)") }
    }

    private func note(_ problem: String) { problems.append(problem) }
}

extension DictationSession {
    /// The snapshot that a new listener gets.
    fileprivate var snapshot: DictationSession.Snapshot? {
        get async {
            var events = events().makeAsyncIterator()
            guard case .snapshot(let snapshot)? = await events.next()?.kind else { return nil }
            return snapshot
        }
    }

    /// The take that a new listener is shown.
    fileprivate var currentTake: TakeID {
        get async { await snapshot?.take ?? TakeID(number: 0) }
    }
}

extension RandomSchedule.Call {
    /// Calls a session.
    func make(on session: DictationSession) async {
        switch self {
        case .start: _ = try? await session.start()
        case .stop: await session.stop()
        case .cancel: await session.cancel()
        case .toggle: _ = try? await session.toggle()
        case .pause: await session.pause()
        case .resume: try? await session.resume()
        }
    }
}
