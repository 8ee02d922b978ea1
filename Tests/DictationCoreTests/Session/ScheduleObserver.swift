import DictationCapture
import DictationCore
import DictationTesting
import Synchronization

/// Watches a random run and notes the promises that the session breaks.
final class ScheduleObserver: Sendable {
    private struct State {
        var problems: [String] = []
        var expected = DictationSession.State.idle
        var lastCall: RandomSchedule.Call?
        var state: DictationSession.State?
        var take: TakeID?
        var takeOfAttempt: [String: TakeID] = [:]
        var finals: [TakeID: [SpeechResult]] = [:]
        var transcripts: [TakeID: Transcript] = [:]
        var ends: [TakeID] = []
        var announced: [TakeID: [AudioGap]] = [:]
        var cancelled: Set<TakeID> = []
        var elapsed: Duration = .zero
    }

    private let state = Mutex(State())
    private let limits: DictationSession.Configuration
    /// The longest delay before a ready task runs.
    private let lateness: Duration

    init(limits: DictationSession.Configuration, lateness: Duration) {
        self.limits = limits
        self.lateness = lateness
    }

    var problems: [String] { state.withLock { $0.problems } }

    /// The takes that ended with a text, in order.
    var ends: [(take: TakeID, transcript: Transcript)] {
        state.withLock { state in state.ends.compactMap { take in state.transcripts[take].map { (take, $0) } } }
    }

    // MARK: Calls

    func make(
        _ call: RandomSchedule.TimedCall, on session: DictationSession, _ model: ModelObserver?, _ clock: ManualClock
    ) async {
        expect(call.call)
        let calling = DictationRuntime.current.task {
            let began = clock.now.offset
            if let model {
                await model.make(call.call, from: call.origin)
            } else {
                await call.call.make(on: session)
            }
            // The time of a model's call also depends on the main actor, so it has no limit.
            if model == nil || call.origin == nil { self.check(call.call, took: clock.now.offset - began) }
        }
        if let patience = call.patience {
            await clock.advance(by: patience)
            calling.cancel()
        }
        await calling.value
    }

    private func check(_ call: RandomSchedule.Call, took: Duration) {
        let limit =
            switch call {
            case .start, .toggle, .resume: limits.openTimeout + limits.warmUpTimeout + limits.stopTimeout
            case .stop: limits.stopTimeout
            case .cancel, .pause: Duration.zero
            }
        // A call has several steps, and each may be late.
        if took > limit + lateness * 10 { note("\(call) took \(took), more than \(limit)") }
    }

    /// Updates the state that the calls so far should lead to if nothing goes wrong.
    private func expect(_ call: RandomSchedule.Call) {
        state.withLock { state in
            if call != .pause, call != .resume { state.lastCall = call }
            switch (call, state.expected) {
            case (.start, _), (.toggle, .idle), (.resume, .paused): state.expected = .recording
            case (.stop, _), (.cancel, _), (.toggle, _): state.expected = .idle
            case (.pause, .recording): state.expected = .paused
            case (.pause, _), (.resume, _): break
            }
        }
    }

    func checkState(_ actual: DictationSession.State, exactly: Bool) {
        let (expected, lastCall) = state.withLock { ($0.expected, $0.lastCall) }
        if exactly {
            // A stopped take may still be finalizing before it is idle.
            let isOnItsWay = expected == .idle && actual == .finalizing
            if actual != expected, !isOnItsWay { note("the state is \(actual) and should be \(expected)") }
        } else if lastCall == .stop || lastCall == .cancel, actual.isActive {
            note("the state is \(actual) after a \(lastCall.map { "\($0)" } ?? "")")
        }
    }

    // MARK: Events

    func hear(_ event: DictationEvent) {
        state.withLock { state in
            switch event.kind {
            case .snapshot(let snapshot): state.state = snapshot.state
            case .state(let new): hear(new, of: event.take, &state)
            case .text(let change): hear(change, of: event.take, &state)
            case .gap(let gap): state.announced[event.take, default: []].append(gap)
            case .ended(let transcript):
                if state.transcripts[event.take] != nil { state.problems.append("\(event.take) ended twice") }
                state.transcripts[event.take] = transcript
                state.ends.append(event.take)
            case .cancelled: state.cancelled.insert(event.take)
            case .level, .input, .engineReady, .engineInterrupted, .interrupted, .resumed, .routeChanged, .spoolFailed,
                .turnEnded:
                break
            }
            switch event.kind {
            case .ended, .cancelled: return
            default: break
            }
            if let take = state.take, event.take < take {
                state.problems.append("an event of \(event.take) in \(take)")
            }
            if state.take == event.take, event.elapsed < state.elapsed {
                state.problems.append("\(event.take) was \(state.elapsed) long, then \(event.elapsed)")
            }
            (state.take, state.elapsed) = (event.take, event.elapsed)
        }
    }

    private func hear(_ new: DictationSession.State, of take: TakeID, _ state: inout State) {
        let old = state.state
        state.state = new
        let isLegal =
            switch (old, new) {
            case (.idle, .starting), (.failed, .starting), (.finalizing, .starting), (.paused, .starting): true
            case (.starting, .recording), (.starting, .paused), (.recording, .paused): true
            case (.starting, .finalizing), (.recording, .finalizing), (.paused, .finalizing): true
            case (_, .idle): true
            case (.finalizing, .failed): true
            default: false
            }
        if !isLegal { state.problems.append("\(take) went from \(old.map { "\($0)" } ?? "nothing") to \(new)") }
    }

    private func hear(_ change: DictationEvent.TextChange, of take: TakeID, _ state: inout State) {
        for result in change.finalResults + change.volatileTail {
            let attempt = String(result.text.prefix { $0 != " " })
            let owner = state.takeOfAttempt[attempt] ?? take
            state.takeOfAttempt[attempt] = owner
            if owner != take { state.problems.append("'\(result.text)' of \(owner) was seen in \(take)") }
        }
        state.finals[take, default: []] += change.finalResults
    }

    // MARK: The end

    func checkEnd(
        of session: DictationSession, capturer: ScriptedCapturer.Counts, pulled: Int64, isExact: Bool,
        mayLeaveStreams: Bool
    ) {
        if session.state.isActive || session.state == .finalizing { note("the session ends \(session.state)") }
        let state = state.withLock { $0 }
        for (take, transcript) in state.transcripts { check(transcript, of: take, state) }
        let engineGaps: Set<AudioGap.Cause> = [.engineBehind, .engineFailed]
        let missing = state.transcripts.values.flatMap(\.gaps).filter { engineGaps.contains($0.cause) }
        let reported = missing.reduce(0) { $0 + $1.frameCount }
        // A stream that its take left may have had more audio, but then the text is incomplete.
        let isExcused = mayLeaveStreams && !state.transcripts.values.allSatisfy(\.isComplete)
        if isExact, !isExcused, pulled + reported != capturer.delivered {
            note("\(capturer.delivered) frames came, \(pulled) were delivered and \(reported) reported as missing")
        }
        if capturer.delivered + capturer.lost > capturer.captured { note("the microphone gave more than it had") }
        if isExact, !isExcused, capturer.delivered + capturer.lost != capturer.captured {
            note(
                "of \(capturer.captured) captured frames \(capturer.delivered) came and \(capturer.lost) were reported")
        }
    }

    /// Checks that all of the audio, at any rate, reached the engine or is in a gap.
    func checkTimes(pulled: Int64) {
        let transcripts = state.withLock { Array($0.transcripts.values) }
        let length = transcripts.reduce(Duration.zero) { $0 + $1.duration }
        let gaps = transcripts.flatMap(\.gaps).reduce(Duration.zero) {
            $0 + ($1.range.upperBound - $1.range.lowerBound)
        }
        let difference = length - gaps - AudioFormat.speech.duration(ofFrames: pulled)
        if abs(difference / .milliseconds(1)) > 5 {
            note("the takes last \(length), of which \(gaps) are gaps; \(difference) was neither given nor reported")
        }
    }

    /// Checks that a slow listener receives the same ends as a fast one.
    func checkEnds(are other: ScheduleObserver) {
        let (ours, theirs) = (state.withLock { $0 }, other.state.withLock { $0 })
        if ours.transcripts != theirs.transcripts || ours.cancelled != theirs.cancelled {
            note("\(ours.transcripts.keys.sorted()) ended for a slow listener, and \(theirs.transcripts.keys.sorted())")
        }
    }

    private func check(_ transcript: Transcript, of take: TakeID, _ state: State) {
        var end = Duration.zero
        for segment in transcript.segments {
            if segment.range.lowerBound < end { note("\(take) has finals that overlap at \(end)") }
            end = max(end, segment.range.upperBound)
            if end > transcript.duration, !AudioFormat.speech.isSame(end, transcript.duration) {
                note("\(take) has text after its end")
            }
        }
        let isLatest = state.take == take
        if isLatest, transcript.segments != state.finals[take] ?? [] {
            note("\(take) announced other text than it has")
        }
        var last = Duration.zero
        for gap in transcript.gaps {
            if gap.range.lowerBound < last { note("\(take) has gaps that overlap at \(last)") }
            last = gap.range.upperBound
        }
    }

    func note(_ problem: String) { state.withLock { $0.problems.append(problem) } }
}
