import DictationCore
import Synchronization

/// A listener that records all events and finds the promises that they break.
final class Witness: Sendable {
    private let log = Mutex<[DictationEvent]>([])
    private let hasEnded = Held(false)
    private let task: Held<Task<Void, Never>?> = Held(nil)

    init(_ session: DictationSession, resting rest: Duration = .zero) {
        let runtime = DictationRuntime.current
        task.value = runtime.task { [weak self, events = session.events()] in
            for await event in events {
                self?.note(event)
                if rest > .zero { await runtime.rest(rest) }
            }
            self?.hasEnded.value = true
        }
    }

    deinit { task.value?.cancel() }

    private func note(_ event: DictationEvent) { log.withLock { $0.append(event) } }

    var events: [DictationEvent] { log.withLock { $0 } }
    var isOver: Bool { hasEnded.value }
    func leave() { task.value?.cancel() }

    /// The transcript of each take that ended.
    var ended: [TakeID: Transcript] {
        events.reduce(into: [:]) { ended, event in
            if case .ended(let transcript) = event.kind { ended[event.take] = transcript }
        }
    }

    var cancelled: [TakeID] { events.filter { $0.kind == .cancelled }.map(\.take) }

    /// The snapshot that results from all events.
    var shown: DictationSession.Snapshot { events.reduce(into: DictationSession.Snapshot()) { $0.apply($1) } }

    /// The broken promises about events, once every take is over.
    var problems: [String] {
        let events = events
        guard let first = events.first, case .snapshot(let beginning) = first.kind else {
            return ["the first event is no snapshot: \(String(describing: events.first))"]
        }
        var problems: [String] = []
        var newest = beginning.take
        var ends: [TakeID: Int] = [:]
        var finals: [TakeID: [SpeechResult]] = [:]
        var through = Duration.zero
        var elapsed = Duration.zero
        for event in events {
            if event.take > newest { (newest, through, elapsed) = (event.take, .zero, .zero) }
            switch event.kind {
            case .ended(let transcript):
                ends[event.take, default: 0] += 1
                let told = finals[event.take, default: []]
                if !transcript.segments.starts(with: told) {
                    problems.append("\(event.take) ended with \(transcript.text), after \(told.map(\.text))")
                }
                continue
            case .cancelled: ends[event.take, default: 0] += 1
            case .snapshot(let snapshot): finals[event.take] = snapshot.transcript.segments
            case .text(let change):
                finals[event.take, default: []] += change.finalResults
                if change.finalizedThrough < through { problems.append("\(event.take): finalizedThrough goes back") }
                through = change.finalizedThrough
                if ends[event.take] != nil { problems.append("\(event.take): text after the end") }
            default: break
            }
            if event.take < newest { problems.append("\(event.take) says \(event.kind) after \(newest) began") }
            if event.elapsed < elapsed { problems.append("\(event.take): elapsed goes back at \(event.kind)") }
            elapsed = max(elapsed, event.elapsed)
        }
        let isOver = [.idle, .starting].contains(beginning.state) || beginning.state.isFailed
        let low = beginning.take.number + (isOver ? 1 : 0)
        for number in low..<max(low, newest.number + 1) where number > 0 {
            let count = ends[TakeID(number: number)] ?? 0
            if count != 1 { problems.append("take \(number) ended \(count) times") }
        }
        if shown.state != .idle, !shown.state.isFailed { problems.append("the last state is \(shown.state)") }
        return problems
    }
}

extension DictationSession.State {
    var isFailed: Bool { if case .failed = self { true } else { false } }
}

/// Returns how much of a take was neither fed to the engine nor in a gap, and how much was covered more than once.
func unaccounted(_ transcript: Transcript, fed: [Range<Duration>]) -> (missing: Duration, doubled: Duration) {
    var end = Duration.zero
    var (missing, doubled) = (Duration.zero, Duration.zero)
    for range in (fed + transcript.gaps.map(\.range)).sorted(by: { $0.lowerBound < $1.lowerBound }) {
        missing += max(.zero, range.lowerBound - end)
        doubled += max(.zero, min(end, range.upperBound) - range.lowerBound)
        end = max(end, range.upperBound)
    }
    missing += max(.zero, transcript.duration - end)
    doubled += max(.zero, end - transcript.duration)
    return (missing, doubled)
}
