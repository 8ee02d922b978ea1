import Synchronization

/// The microphone's side of a take: open with retries, pump, close; again after each pause.
extension Take {
    func runCapture() async {
        while await wantsAudio() {
            switch await open() {
            case .success(let stream): await record(stream)
            case .failure(let error): return endByItself(error)
            case nil: break
            }
        }
    }

    /// Waits while the take is paused; `false` when no more audio is wanted.
    private func wantsAudio() async -> Bool {
        await control.first { control in
            if control.isEnding { return false }
            return control.wish == .record ? true : nil
        } ?? false
    }

    /// Opens the microphone, trying again with growing delays; `nil` when it is not wanted any more.
    private func open() async -> Result<CaptureStream, DictationError>? {
        let began = runtime.now()
        var delay = configuration.retryDelay
        while true {
            let left = configuration.openLimit - (runtime.now() - began)
            let attempt = attemptToOpen()
            let result = await runtime.within(left) { [control] in
                await control.first { control -> Result<CaptureStream, DictationError>?? in
                    if control.isEnding || control.wish == .pause { return .some(nil) }
                    return control.opened.map { .some($0) }
                }
            }
            guard case .some(.some(let answer)) = result else {
                // Still under way, and nobody waits for it: when it succeeds after all it closes itself.
                control.change { if $0.stream == attempt, $0.opened == nil { $0.stream += 1 } }
                return .failure(.openTimedOut(configuration.openLimit))
            }
            guard let answer else {
                let late = control.change { control -> Result<CaptureStream, DictationError>? in
                    defer { control.stream += 1 }
                    return control.opened
                }
                if case .success = late { await close() }
                return nil
            }
            guard case .failure(let error) = answer, error.isTransient || error.code == .alreadyRunning,
                runtime.now() - began + delay < configuration.openLimit
            else { return answer }
            _ = await runtime.within(delay) { [control] in
                await control.first { $0.isEnding || $0.wish == .pause ? true : nil }
            }
            delay *= 2
            if control.value.isEnding || control.value.wish == .pause { return nil }
        }
    }

    private func attemptToOpen() -> Int {
        let number = control.change { control in
            control.stream += 1
            control.opened = nil
            control.streamEnd = nil
            return control.stream
        }
        runtime.task { [self] in
            let result: Result<CaptureStream, DictationError>
            do throws(DictationError) {
                result = .success(try await parts.capturer.start(configuration.capture))
            } catch {
                result = .failure(error)
            }
            let isLate = control.change { control in
                guard control.stream == number else { return true }
                control.opened = result
                return false
            }
            if isLate, case .success = result { await parts.capturer.stop(.full) }
        }
        return number
    }

    /// Reads a stream until it ends or the take wants no more of it; then lets go of the microphone.
    private func record(_ stream: CaptureStream) async {
        let number = beginCapturing()
        let pumping = runtime.task { [self] in await pump(stream, number) }
        let watchdog = runtime.task { [self] in await watch() }
        _ = await control.first { $0.streamEnd != nil || !$0.isCapturing || $0.isEnding ? true : nil }
        watchdog.cancel()
        let (wasPaused, endedByItself) = control.change { control in
            defer { control.isCapturing = false }
            return (!control.isCapturing, control.streamEnd)
        }
        if endedByItself == nil, !wasPaused, control.value.wish == .drain, control.value.engineEnd == nil {
            _ = await runtime.within(configuration.tail) { [control] in
                await control.first { $0.streamEnd != nil || $0.isOver ? true : nil }
            }
        }
        await close()
        _ = await runtime.within(Self.closeLimit) { [control] in
            await control.first { $0.streamEnd != nil ? true : nil }
        }
        control.change { $0.stream += 1 }
        pumping.cancel()
        if let endedByItself {
            var error: DictationError?
            if case .failure(let failure) = endedByItself { error = failure }
            endByItself(error)
        } else if wasPaused {
            finalizeSoFar()
        }
    }

    private func close() async {
        let mode = configuration.stopMode
        _ = await runtime.within(Self.closeLimit) { [capturer = parts.capturer] in await capturer.stop(mode) }
    }

    /// Before a pause goes on, what was said before it becomes final: a word doesn't span the two.
    private func finalizeSoFar() {
        let end = live.withLock { $0.position }
        guard let session = control.value.session else { return }
        runtime.task { _ = try? await session.finalize(through: end) }
    }

    private func pump(_ stream: CaptureStream, _ number: Int) async {
        var end: Result<Void, DictationError> = .success(())
        do throws(DictationError) {
            var events = stream.makeAsyncIterator()
            while let event = try await events.next(), control.value.stream == number { await receive(event) }
        } catch {
            end = .failure(error)
        }
        control.change { if $0.stream == number { $0.streamEnd = end } }
    }

    private func receive(_ event: CaptureEvent) async {
        switch event {
        case .buffer(let buffer): await receive(buffer)
        case .gap(let gap):
            let placed = live.withLock { $0.place(gap) }
            publish { $0.report(placed) }
            await keep(.gap(placed))
        case .interrupted(let cause): publish { _ in [.interrupted(cause)] }
        case .resumed(let device): publish { _ in [.resumed(device)] }
        case .routeChanged(let device): publish { _ in [.routeChanged(device)] }
        }
    }

    private func receive(_ buffer: AudioBuffer) async {
        guard !buffer.isEmpty else { return }
        let placed = live.withLock { $0.place(buffer) }
        if parts.capturer.pacing == .onDemand { await backlog.room(for: placed) }
        let isTaken = backlog.offer(placed)
        let level = AudioLevel(of: buffer)
        let now = runtime.now()
        publish { (isTaken ? $0.settleLoss() : $0.drop(placed, cause: .engineBehind)) + $0.hear(level, at: now) }
        await keep(.buffer(placed))
        if isLongEnough { endByItself() }
    }

    /// Puts audio into the spool; one that fails is reported, and the take goes on without.
    private func keep(_ event: CaptureEvent) async {
        guard let spool = parts.spool else { return }
        do throws(DictationError) { try await spool.append(event) } catch { publish { _ in [.spoolFailed(error)] } }
    }

    private var isLongEnough: Bool {
        live.withLock { live in
            if let maximum = configuration.maximumLength, live.position >= maximum { return true }
            guard let limit = configuration.stopAfterSilence else { return false }
            return live.input.hasHeardSpeech && live.input.silence >= limit
        }
    }

    /// Notices when nothing arrives.
    private func watch() async {
        let patience = configuration.input.patience
        var since = runtime.now()
        while (try? await runtime.sleep(since + patience - runtime.now())) != nil {
            since = max(since, live.withLock { $0.lastArrival } ?? since)
            if runtime.now() - since >= patience {
                publish { $0.hearNothing() }
                since = runtime.now()
            }
        }
    }
}

extension DictationError {
    fileprivate static func openTimedOut(_ limit: Duration) -> DictationError {
        DictationError(
            .timedOut, "The microphone did not open within \(limit).",
            recovery: "Check that no other program holds it, and that the sound server answers; or raise 'openLimit'.")
    }
}
