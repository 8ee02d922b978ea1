import DictationCore
import DictationTesting
import Synchronization

/// A sound microphone, or one that breaks the promise it is told to break. Each take has a short gap in it.
final class SpecimenCapturer: AudioCapturer {
    enum Course { case plain, troubled, failing, denied }

    private struct State {
        var take: Take?
        var starts = 0
    }

    private struct Take {
        let feed: CaptureFeed
        let work: Task<Void, Never>
        let hasAudio: Watched<Bool>
    }

    let pacing: CaptureStream.Pacing
    private let course: Course
    private let fault: CapturerConformance.Clause?
    private let runtime = DictationRuntime.current
    private let state = Mutex(State())

    init(_ fault: CapturerConformance.Clause? = nil, course: Course = .plain) {
        self.fault = fault
        self.course = course
        pacing = fault == .onDemandLosesNothing ? .onDemand : .live
    }

    var authorization: AudioDevice.Authorization {
        get async { course == .denied ? .denied("Ask for it.") : .authorized }
    }

    func devices() async throws(DictationError) -> [AudioDevice] {
        let one = AudioDevice(id: "one", name: "One", isDefault: fault != .defaultDeviceIsFirst)
        let two = AudioDevice(
            id: fault == .devicesAreUnique ? "one" : "two", name: "Two", isDefault: fault == .defaultDeviceIsFirst)
        return [one, two]
    }

    func start(_ options: CaptureOptions) async throws(DictationError) -> CaptureStream {
        if course == .denied, fault != .deniedThrows {
            throw DictationError(.permissionDenied, "Recording is not permitted.")
        }
        if let device = options.device, !["one", "two"].contains(device), fault != .unknownDeviceThrows {
            throw DictationError(.deviceNotFound, "There is no device “\(device)”.")
        }
        let take = try state.withLock { state throws(DictationError) in
            state.starts += 1
            if state.take != nil, fault != .secondStartThrows {
                throw DictationError(.alreadyRunning, "It records already.")
            }
            if state.starts > 1, fault == .startsAgainAfterStop {
                throw DictationError(.deviceUnavailable, "It started once.")
            }
            let take = begin()
            state.take = take
            return take
        }
        return faulty(take.feed)
    }

    func stop(_ mode: CaptureOptions.StopMode) async {
        let take = state.withLock { state -> Take? in
            if fault == .stopDuringStartEnds, state.take?.hasAudio.value == false { return nil }
            defer { state.take = nil }
            return state.take
        }
        guard let take else {
            if fault == .stopIsSafeAtAnyTime { try? await runtime.sleep(.seconds(1_000_000)) }
            return
        }
        take.work.cancel()
        await take.work.value
        if fault != .stopEndsTheStream { take.feed.finish() }
    }

    // MARK: The take

    private func begin() -> Take {
        let feed = CaptureFeed(capacity: .seconds(2))
        let hasAudio = Watched(false)
        let work = runtime.task { [runtime, course] in
            let began = runtime.now()
            for number in 0... {
                let due = began + .milliseconds(20 * (number + 1))
                // What was due before the stop was captured, however late this task comes to it.
                do { try await runtime.sleep(due - runtime.now()) } catch { if due > runtime.now() { return } }
                switch (number, course) {
                case (3, _): feed.lose(frames: 100, format: .speech, cause: .overrun)
                case (5, .troubled):
                    feed.send(.interrupted(.deviceLost))
                    feed.lose(frames: 5_000, format: .speech, cause: .unplugged)
                    feed.send(.resumed(nil))
                case (10, .failing):
                    feed.finish(throwing: DictationError(.deviceLost, "It is gone."))
                    return
                default: break
                }
                feed.write(AudioBuffer(silence: 320, format: .speech))
                hasAudio.change { $0 = true }
            }
        }
        return Take(feed: feed, work: work, hasAudio: hasAudio)
    }

    /// The feed's stream, with the fault in it.
    private func faulty(_ feed: CaptureFeed) -> CaptureStream {
        let stream = feed.stream
        let began = runtime.now()
        return CaptureStream { [self] in
            var iterator = stream.makeAsyncIterator()
            var count = 0
            return { () async throws(DictationError) in
                while true {
                    let event: CaptureEvent?
                    do throws(DictationError) { event = try await iterator.next() } catch {
                        if self.fault == .failureEndsTheStream { return nil }
                        throw error
                    }
                    guard let event else { return nil }
                    count += 1
                    if let changed = self.changed(event, count, began) { return changed }
                }
            }
        }
    }

    /// The event with the fault in it; `nil` is none.
    private func changed(_ event: CaptureEvent, _ count: Int, _ began: Duration) -> CaptureEvent? {
        switch (fault, event) {
        case (.audioComes, .buffer): return nil
        case (.timesBeginAtZero, .buffer(let buffer)): return .buffer(buffer.moved(to: buffer.start + .seconds(5)))
        case (.timelineIsContiguous, .buffer) where count == 7: return nil
        case (.timesAreCountedInFrames, .buffer(let buffer)):
            return .buffer(buffer.moved(to: buffer.start + .microseconds(count % 3 * 5)))
        case (.gapsAreCounted, .gap(var gap)):
            gap.frameCount *= 2
            return .gap(gap)
        case (.buffersAreWhole, .buffer(let buffer)) where count == 5: return .buffer(buffer.slice(0..<0))
        case (.slowReadersAreTold, .gap): return nil
        case (.stopDeliversWhatWasCaptured, _): return runtime.now() - began > .milliseconds(700) ? nil : event
        case (.onDemandLosesNothing, .buffer(let buffer)):
            return .buffer(buffer.slice(0..<max(1, 320 - Int((runtime.now() - began) / .milliseconds(10)))))
        case (.troubleIsNotTheEnd, .resumed): return nil
        default: return event
        }
    }
}
