/// The microphone's part of a take.
extension Take {
    func open(_ attempt: Int) async {
        let result: Result<CaptureStream, DictationError>
        do throws(DictationError) {
            result = .success(try await parts.capturer.start(configuration.capture))
        } catch {
            result = .failure(error)
        }
        let isKnown = send(.opened(attempt, result))
        if !isKnown, case .success = result { await closeLate() }
    }

    /// Closes a microphone that opened after the take had given it up, unless a take has it open. Then the stop that
    /// gave it up has already ended the late start.
    func closeLate() async {
        if !hub.isMicrophoneOpen { await parts.capturer.stop(.full) }
    }

    /// Reads a stream to its end.
    func read(_ stream: CaptureStream, _ number: Int) async {
        var end: Result<Void, DictationError> = .success(())
        do throws(DictationError) {
            var events = stream.makeAsyncIterator()
            // A stream may ignore the cancellation of its reader, so the loop checks for it.
            while let event = try await events.next(), await receive(event, from: number), !Task.isCancelled {}
        } catch {
            end = .failure(error)
        }
        send(.streamEnded(number, end))
    }

    /// Handles an event; `false` when the take has left the stream.
    private func receive(_ event: CaptureEvent, from number: Int) async -> Bool {
        switch event {
        case .buffer(let buffer): return await receive(buffer, from: number)
        case .gap(let gap):
            let placed = hub.update(id, from: number) { live in
                // Audio that the engine lost before this gap is a separate gap.
                let settled = live.settleLoss()
                let placed = live.place(gap)
                return (placed, settled + live.report(placed))
            }
            if let placed { parts.spool?.append(.gap(placed)) }
            return placed != nil
        case .interrupted, .resumed, .routeChanged:
            return hub.update(id, from: number) { ((), $0.note(event)) } != nil
        }
    }

    private func receive(_ buffer: AudioBuffer, from number: Int) async -> Bool {
        let level = AudioLevel(of: buffer)
        let now = runtime.now()
        let waits = parts.capturer.pacing == .onDemand
        let placed = hub.update(id, from: number) { [input] live in
            let placed = live.place(buffer)
            if waits || buffer.isEmpty { return (placed, []) }
            return (placed, live.note(placed, level, isTaken: input.offer(placed), at: now))
        }
        guard let placed else { return false }
        if buffer.isEmpty { return true }
        parts.spool?.append(.buffer(placed))
        if waits {
            await input.room(for: placed)
            hub.update(id) { [input] live in ((), live.note(placed, level, isTaken: input.offer(placed), at: now)) }
        }
        if isLongEnough { send(.longEnough) }
        return true
    }

    private var isLongEnough: Bool {
        guard configuration.maximumLength != nil || configuration.endingSilence != nil else { return false }
        return hub.update(id) { [configuration] live in
            if let maximum = configuration.maximumLength, live.position >= maximum { return (true, []) }
            guard let limit = configuration.endingSilence else { return (false, []) }
            return (live.input.hasHeardSpeech && live.input.silence >= limit, [])
        } ?? false
    }

    /// Reports when no audio arrives for a while.
    func watch(_ number: Int) async {
        let timeout = configuration.input.silenceTimeout
        var since = runtime.now()
        while (try? await runtime.sleep(since + timeout - runtime.now())) != nil {
            let now = runtime.now()
            let isSilent = hub.update(id, from: number) { [since] live in
                let last = max(since, live.lastArrival ?? since)
                return now - last >= timeout ? ((last, true), live.noteNothing()) : ((last, false), [])
            }
            guard let (last, isNothing) = isSilent else { return }
            since = isNothing ? now : last
        }
    }
}
