import DictationCore

/// An intent that was carried out, and whose answer may still be to come.
enum IssuedIntent: Sendable {
    /// The take is recorded once its microphone is open.
    case opening(IssuedCommand)
    case text(TextHandler.Promise)
    case answered(DictationAnswer)
    case last
    case insertLast
    case status
    case failed(DictationError)
}

/// The meaning of each intent.
///
/// Issuing an intent takes one step and never waits, so intents take effect in the order in which they were issued.
/// Waiting for the answer comes second, and a caller that stops waiting changes nothing but who gets the text.
extension DictationService {
    func issue(_ intent: DictationIntent) -> IssuedIntent {
        switch intent {
        case .start(let profile):
            return issued { () throws(DictationError) in opening(try begin(profile) { _ in .start }) }
        case .toggle(let profile):
            return issued { () throws(DictationError) in
                let command: IssuedCommand
                do throws(DictationError) { command = try begin(profile) { $0.state.isActive ? .stop : .start } } catch
                {
                    // A profile that is gone must not keep the microphone on.
                    command = session.issue { $0.state.isActive ? .stop : nil }
                    guard command.before.isActive else { throw error }
                }
                return command.before.isActive ? stopping(command) : opening(command)
            }
        case .stop: return stopping(session.issue { self.isRetrying($0) ? nil : .stop })
        case .cancel:
            // A take that is cancelled is soon forgotten, so this looks at it before.
            var cancelled: TakeID?
            session.issue { machine in
                let hadTake = machine.state.isActive || machine.state == .finalizing
                guard hadTake, texts.isIntended(machine.take) else { return isRetrying(machine) ? nil : .cancel }
                cancelled = machine.take
                return .cancel
            }
            return .answered(cancelled.map { .cancelled($0) } ?? .nothing)
        case .pause:
            let issued = session.issue { _ in .pause }
            return .answered(issued.before.isActive ? issued.take.map { .paused($0) } ?? .nothing : .nothing)
        case .resume:
            let issued = session.issue { _ in .resume }
            return issued.before.isActive ? .opening(issued) : .answered(.nothing)
        case .last: return .last
        case .insertLast: return .insertLast
        case .status: return .status
        }
    }

    func answer(to issued: IssuedIntent) async throws(DictationError) -> DictationAnswer {
        switch issued {
        case .opening(let command):
            try await command.microphoneOpened()
            // Whoever asks for the status after this answer sees the take recorded.
            await events.dealtWith()
            return command.take.map { .recording($0) } ?? .nothing
        case .text(let promise): return try await texts.answer(to: promise)
        case .answered(let answer): return answer
        case .last: return try await newestText()
        case .insertLast: return try await insertNewestText()
        case .status:
            await events.dealtWith()
            return .status(publisher.status)
        case .failed(let error): throw error
        }
    }

    private func opening(_ issued: IssuedCommand) -> IssuedIntent {
        if issued.isNew, let take = issued.take { texts.begin(take) }
        return .opening(issued)
    }

    private func stopping(_ issued: IssuedCommand) -> IssuedIntent {
        guard let take = issued.take else { return .answered(.nothing) }
        if issued.before.isActive { return .text(texts.claim(take, because: .endedTake)) }
        if issued.before == .finalizing, texts.isIntended(take) { return .text(texts.claim(take, because: .asked)) }
        return .answered(texts.claimEnded() ?? .nothing)
    }

    /// Whether the session only recognizes kept audio again. No intent began that, so none ends it.
    private func isRetrying(_ machine: SessionMachine) -> Bool {
        machine.state == .finalizing && !texts.isIntended(machine.take)
    }

    private func issued(_ issue: () throws(DictationError) -> IssuedIntent) -> IssuedIntent {
        do throws(DictationError) { return try issue() } catch { return .failed(error) }
    }

    /// Issues a command that may begin a take, with the profile of its caller.
    private func begin(
        _ profile: String?, _ command: (SessionMachine) -> SessionMachine.Command?
    ) throws(DictationError) -> IssuedCommand {
        var chosen = try profiles.choose(profile)
        // Without a name it is the session's own setup, which an app may change.
        if profile == nil { chosen.profile.configuration = session.configuration }
        return session.issue(with: profile.map { _ in chosen.profile.setup }) { [chosen, runtime] take in
            var chosen = chosen
            let destinations = chosen.profile.destinations
            if !destinations.isEmpty { chosen.focus = runtime.task { await destinations.focus() } }
            profiles.note(chosen, for: take)
        } _: {
            command($0)
        }
    }

    // MARK: Hold

    /// Begins a take for a holder; throws if a take is under way.
    func beginHold(profile: String?) throws(DictationError) -> IssuedCommand {
        let issued = try begin(profile) { $0.state.isActive ? nil : .start }
        guard issued.isNew, let take = issued.take else {
            throw DictationError(
                .alreadyRunning, "Another caller's take is under way, so it can't be held.",
                recovery: "Stop that take, or wait for its end.")
        }
        texts.begin(take, isHeld: true)
        return issued
    }

    func hold(_ issued: IssuedCommand) async throws(DictationError) -> DictationHold {
        guard let take = issued.take else { throw .unknownAnswer }
        do throws(DictationError) { try await issued.microphoneOpened() } catch {
            dropHold(of: take)
            throw error
        }
        return DictationHold(take: take) { () throws(DictationError) in
            try await self.texts.answer(to: self.endHold(of: take))
        } drop: { [weak self] in
            self?.dropHold(of: take)
        }
    }

    /// Stops a held take and asks for its text.
    func endHold(of take: TakeID) -> TextHandler.Promise {
        session.issue { $0.take == take ? .stop : nil }
        return texts.claim(take, because: .held)
    }

    /// Stops a held take whose holder is gone.
    func dropHold(of take: TakeID) {
        session.issue { $0.take == take ? .stop : nil }
        texts.drop(take)
    }
}
