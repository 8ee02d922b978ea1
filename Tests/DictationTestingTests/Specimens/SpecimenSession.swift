import DictationCore
import DictationTesting
import Synchronization

/// A session that breaks one promise and keeps the others as well as it can.
final class SpecimenSession: RecognitionSession {
    private let inner: DecoderSession
    private let fault: EngineConformance.Clause?
    private let options: RecognitionOptions
    private let runtime = DictationRuntime.current
    private let relayed: RecognitionResults?
    private let calls = Mutex(Calls())

    private struct Calls {
        var starts = 0
        var finishes = 0
        var buffers = 0
    }

    init(_ inner: DecoderSession, fault: EngineConformance.Clause?, options: RecognitionOptions) {
        self.inner = inner
        self.fault = fault
        self.options = options
        relayed = fault.flatMap { Self.relay(inner.results, $0) }
    }

    var results: RecognitionResults { relayed ?? inner.results }

    var audioFormat: AudioFormat {
        fault == .formatIsTruthful ? AudioFormat(sampleRate: 8_000) : inner.audioFormat
    }

    // MARK: Input

    func start(_ input: AudioInput) throws(DictationError) {
        let starts = calls.withLock { calls in
            calls.starts += 1
            return calls.starts
        }
        if fault == .startsOnce, starts > 1 { return }
        do {
            try inner.start(changed(input))
        } catch {
            if fault == .startAfterEndThrows, error.code == .inputAfterEnd { return }
            throw error
        }
        if fault == .letGoCancels {
            runtime.task { [self] in
                try? await self.runtime.sleep(.seconds(1_000_000))
                _ = self.inner
            }
        }
    }

    private func changed(_ input: AudioInput) -> AudioInput {
        switch fault {
        case .inputIsLetGo: return pumped(input)
        case .wrongFormatThrows, .disorderedAudioThrows, .gapsAreTaken, .emptyInputIsNoError,
            .inputErrorReachesEveryone:
            break
        default: return input
        }
        return AudioInput { [fault] in
            var iterator = input.makeAsyncIterator()
            var end: Duration = .zero
            var isEmpty = true
            return { () throws(DictationError) in
                let next: AudioBuffer?
                do throws(DictationError) {
                    next = try await iterator.next()
                } catch {
                    if fault == .inputErrorReachesEveryone { return nil }
                    throw error
                }
                guard var buffer = next else {
                    if fault == .emptyInputIsNoError, isEmpty { throw DictationError(.engineFailed, "no audio") }
                    return nil
                }
                isEmpty = isEmpty && buffer.isEmpty
                if fault == .wrongFormatThrows, buffer.format != .speech {
                    buffer = AudioBuffer(silence: 160, format: .speech, start: end)
                }
                if fault == .disorderedAudioThrows { buffer.start = max(end, buffer.start) }
                if fault == .gapsAreTaken, buffer.start > end + .seconds(1) {
                    throw DictationError(.disorderedAudio, "a hole")
                }
                end = buffer.end
                return buffer
            }
        }
    }

    /// Takes from the input on a task that nothing cancels before time ends.
    private func pumped(_ input: AudioInput) -> AudioInput {
        let waiting = Mailbox<AudioBuffer, DictationError>()
        let pump = runtime.task {
            do throws(DictationError) {
                for try await buffer in input { waiting.put(buffer) }
                waiting.finish()
            } catch {
                waiting.finish(throwing: error)
            }
        }
        runtime.task { [runtime] in
            try? await runtime.sleep(.seconds(1_000_000))
            pump.cancel()
        }
        return AudioInput { { () throws(DictationError) in try await waiting.next() } }
    }

    // MARK: Ends

    func finalize(through time: Duration?) async throws(DictationError) -> FinalizationOutcome {
        switch fault {
        case .finalizeIsTrue: return .complete
        case .finalizeWaitsForAudio:
            if let time, time < .seconds(60) { return try await inner.finalize(through: nil) }
        case .finalizeLeavesSessionOpen:
            let completion = try await inner.finalize(through: time)
            await inner.cancel()
            return completion
        case .finalizeIsBounded: if let time, time > .seconds(60) { try? await runtime.sleep(.seconds(1_000_000)) }
        case .cancelReachesWaiters: do { return try await inner.finalize(through: time) } catch { return .complete }
        default: break
        }
        return try await inner.finalize(through: time)
    }

    func finish() async throws(DictationError) -> FinalizationOutcome {
        let (starts, finishes) = calls.withLock { calls in
            calls.finishes += 1
            return (calls.starts, calls.finishes)
        }
        switch fault {
        case .finishMakesAllFinal:
            await inner.cancel()
            return .complete
        case .finishIsRepeatable where finishes > 1: throw DictationError(.inputAfterEnd, "The session has ended.")
        case .finishBeforeStart where starts == 0: throw DictationError(.notRunning, "There is no input.")
        case .deadlineKeepsText:
            let inner = inner
            let answer = await runtime.within(options.finalizationTimeout / 2) {
                do throws(DictationError) {
                    return Result<FinalizationOutcome, DictationError>.success(try await inner.finish())
                } catch {
                    return .failure(error)
                }
            }
            if let answer { return try answer.get() }
            await inner.cancel()
            return .incomplete
        case .cancelReachesWaiters: do { return try await inner.finish() } catch { return .complete }
        default: return try await inner.finish()
        }
    }

    func cancel() async {
        if fault == .cancelEndsAtOnce { _ = try? await inner.finish() } else { await inner.cancel() }
    }

    // MARK: Results

    /// Another set of results that breaks the promise; `nil` where the fault lies elsewhere.
    private static func relay(_ results: RecognitionResults, _ fault: EngineConformance.Clause) -> RecognitionResults? {
        let change: (@Sendable (SpeechUpdate) -> [SpeechUpdate])?
        switch fault {
        case .finalsNeverOverlap:
            change = { update in
                guard case .final(var result) = update else { return [update] }
                result.range = max(.zero, result.range.lowerBound - .milliseconds(300))..<result.range.upperBound
                return [.final(result)]
            }
        case .watermarkOnlyGrows:
            change = { update in
                guard case .volatile = update else { return [update] }
                return [.finalized(through: .zero), update]
            }
        case .volatilesFollowWatermark:
            change = { update in
                guard case .volatile(var result) = update else { return [update] }
                result.range = .zero..<result.range.upperBound
                return [.volatile(result)]
            }
        case .timesAreTheAudios: change = { [$0.later(by: .seconds(10))] }
        case .volatilesSettle, .engineErrorReachesEveryone: change = { [$0] }
        default: change = nil
        }
        guard let change else { return nil }
        let (changed, continuation) = RecognitionResults.makeStream()
        DictationRuntime.current.task {
            var watermark: Duration = .zero
            do throws(DictationError) {
                for try await update in results {
                    watermark = max(watermark, update.finalizedThrough ?? .zero)
                    for changed in change(update) { continuation.yield(changed) }
                }
                if fault == .volatilesSettle {
                    let range = watermark..<(watermark + .milliseconds(1))
                    continuation.yield(.volatile(SpeechResult(range: range, text: "left")))
                }
                continuation.finish()
            } catch {
                if fault == .engineErrorReachesEveryone {
                    continuation.finish()
                } else {
                    continuation.finish(throwing: error)
                }
            }
        }
        return changed
    }
}

extension SpeechUpdate {
    fileprivate func later(by delay: Duration) -> SpeechUpdate {
        func later(_ range: Range<Duration>) -> Range<Duration> { range.lowerBound + delay..<range.upperBound + delay }
        switch self {
        case .volatile(var result):
            result.range = later(result.range)
            return .volatile(result)
        case .final(var result):
            result.range = later(result.range)
            return .final(result)
        case .revoked(let range): return .revoked(later(range))
        case .finalized(let time): return .finalized(through: time + delay)
        case .voice(let voice):
            return .voice(SpeechUpdate.Voice(through: voice.through + delay, speech: voice.speech.map(later)))
        case .turnEnded(let time): return .turnEnded(at: time + delay)
        case .interrupted(var interruption):
            interruption.lost = interruption.lost.map(later)
            return .interrupted(interruption)
        }
    }
}
