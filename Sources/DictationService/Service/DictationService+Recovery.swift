import DictationCore

extension DictationService {
    /// How long the last text waits for a recovery.
    static let recoveryTimeout = Duration.seconds(10)

    /// Makes ``DictationIntent/last`` wait for ``recover()``, which you call later. Call this before you open a listener.
    public func expectRecovery() { isRecovering.change { $0 = true } }

    /// Returns the newest text.
    ///
    /// - Throws: `timedOut` if the newest take of an earlier service is still being recognized.
    func newestText() async throws(DictationError) -> DictationAnswer {
        await events.dealtWith()
        await texts.waitUntilSettled()
        if !texts.hasOwnText {
            let isDone = await runtime.within(Self.recoveryTimeout) { [isRecovering] in
                await isRecovering.first { $0 ? nil : true }
            }
            guard isDone == .some(true) else {
                throw DictationError(
                    .timedOut,
                    "The last take is still being recognized, because the service ended before it had a text.",
                    recovery: "Ask again in a moment.")
            }
            // Its text may still be on its way.
            await events.dealtWith()
            await texts.waitUntilSettled()
        }
        return try await texts.last().map { .text($0) } ?? .nothing
    }

    /// Delivers the newest text to what has the focus now.
    ///
    /// - Throws: `unsupportedOption` if its profile has no destinations.
    func insertNewestText() async throws(DictationError) -> DictationAnswer {
        guard case .text(let text) = try await newestText() else { return .nothing }
        let profile = text.profile.flatMap { try? profiles.all.profile(named: $0) } ?? profiles.all.usual
        guard !profile.destinations.isEmpty else {
            throw DictationError(
                .unsupportedOption, "The profile has no destinations for its texts.",
                recovery: "Set “deliver.to”, for instance to [\"xdotool\", \"clipboard\"].")
        }
        return .text(await texts.deliverAgain(text, to: profile.destinations))
    }

    /// Recognizes audio that was kept because its text was missing, for instance by a process that was killed.
    ///
    /// The texts go into the journal. Only then is the audio deleted. A take that the user starts meanwhile has precedence. Audio whose text is still
    /// incomplete is kept, but not recognized once more while the journal has its text. Of more takes than the journal holds
    /// texts, the oldest audio is deleted.
    ///
    /// - Returns: The texts, the oldest of each profile first. It is empty if no profile has a spool.
    @discardableResult
    public func recover() async -> [DictatedText] {
        expectRecovery()
        defer { isRecovering.change { $0 = false } }
        let all = profiles.all
        var chosen = [TakeProfiles.Chosen(profile: all.usual)]
        for (name, profile) in all.named.sorted(by: { $0.key < $1.key }) {
            if case .success(let profile) = profile { chosen.append(.init(name: name, profile: profile)) }
        }
        var texts: [DictatedText] = []
        for profile in chosen { texts += await recover(profile) }
        return texts
    }

    private func recover(_ chosen: TakeProfiles.Chosen) async -> [DictatedText] {
        guard let spool = chosen.profile.spool, let takes = try? await spool.takes() else { return [] }
        let limit = journal?.limit ?? TextJournal.usualLimit
        for old in takes.dropLast(limit) { try? await spool.discard(old.id) }
        var texts: [DictatedText] = []
        let saved = (try? await journal?.texts()) ?? []
        for take in takes.suffix(limit) {
            if Task.isCancelled { break }
            let earlier = saved.filter { $0.audio == take.id }
            if earlier.contains(where: \.isComplete) {
                // The service was killed after it had saved the text.
                try? await spool.discard(take.id)
            } else if earlier.isEmpty, let text = await retry(take.id, chosen) {
                texts.append(text)
            }
        }
        return texts
    }

    /// Recognizes a take when no other is under way; `nil` if its audio can't be read.
    private func retry(_ id: SpooledTake.ID, _ chosen: TakeProfiles.Chosen) async -> DictatedText? {
        while true {
            do throws(DictationError) {
                let transcript = try await session.retry(id, with: chosen.profile.setup, keepsAudio: true) { take in
                    profiles.note(chosen, for: take)
                    texts.beginRecovery(of: id, in: take)
                }
                return transcript.take.map { DictatedText(take: $0, transcript: transcript, by: chosen) }
            } catch {
                guard error.code == .notRunning else { return nil }
            }
            // Otherwise the publisher may still show the state before the take that is under way.
            await events.dealtWith()
            guard await publisher.waitUntilIdle() else { return nil }
        }
    }
}
