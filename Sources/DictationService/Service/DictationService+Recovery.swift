import DictationCore

extension DictationService {
    /// Recognizes audio that was kept because its text was missing, for instance by a process that was killed.
    ///
    /// The texts go into the journal. A take that the user starts meanwhile has precedence. Audio whose text is still
    /// incomplete is kept, but of more takes than the journal holds texts, the oldest audio is deleted.
    ///
    /// - Returns: The texts, the oldest first. It is empty if the session has no spool.
    @discardableResult
    public func recover() async -> [DictatedText] {
        guard let spool = session.spool, let takes = try? await spool.takes() else { return [] }
        let limit = journal?.limit ?? TextJournal.usualLimit
        for old in takes.dropLast(limit) { try? await spool.discard(old.id) }
        var texts: [DictatedText] = []
        for take in takes.suffix(limit) {
            if let text = await retry(take.id) { texts.append(text) }
            if Task.isCancelled { break }
        }
        return texts
    }

    /// Recognizes a take when no other is under way; `nil` if its audio can't be read.
    private func retry(_ id: SpooledTake.ID) async -> DictatedText? {
        while true {
            do throws(DictationError) {
                let transcript = try await session.retry(id)
                return transcript.take.map { DictatedText(take: $0, transcript: desk.written(transcript)) }
            } catch {
                guard error.code == .notRunning else { return nil }
            }
            // Otherwise the board may still show the state before the take that is under way.
            await events.dealtWith()
            guard await board.waitUntilIdle() else { return nil }
        }
    }
}
