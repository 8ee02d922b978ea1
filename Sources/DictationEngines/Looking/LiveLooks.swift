import DictationCore

/// Recognizes the piece that is being said again and again, so that its text is shown before it ends.
///
/// Looks run on a thread of their own, one at a time. So they never hold up the audio, and hardly the final text. A long
/// piece is looked at in parts, so that a look never takes long.
final class LiveLooks: Sendable {
    /// What a model wrote for a piece.
    struct Look: Sendable {
        /// The audio that the model got.
        var audio: [Float]
        /// What the model wrote.
        var text: String
        /// The result; `nil` if the text can't be true.
        var result: SpeechResult?
    }

    fileprivate struct State: Sendable {
        /// The number of the piece. A look at an earlier piece shows nothing.
        var number = 0
        var schedule = LookSchedule()
        /// The last part of the piece, and the text before it.
        var part: PauseCutter.Part?
        var joiner = PieceJoiner(isLive: true)
        var finished: [SpeechResult] = []
        var steady = SteadyText()
        var isRunning = false
        /// Whether the first look at the piece is under way, so that nothing of it was shown.
        var isFirst = false
        /// The end of the speech that the running look hears, if it may be the last look at the piece.
        var ending: Duration?
        var last: Look?
    }

    fileprivate struct Job: Sendable {
        var number: Int
        /// The parts that ended since the last look.
        var ended: [PauseCutter.Piece] = []
        var current: PauseCutter.Piece
        var isPause: Bool
        /// What becomes of the parts when the whole piece was recognized.
        var restart: (joiner: PieceJoiner, next: PauseCutter.Part)?
    }

    /// The greatest length of a part.
    private static let longestPart = Duration.seconds(6)

    private let hear: @Sendable (PauseCutter.Piece) async throws(DictationError) -> Look?
    private let runtime: DictationRuntime
    private let executor: any TaskExecutor
    private let state = Watched(State())

    /// - Parameters:
    ///   - runtime: The source of time and threads.
    ///   - hear: Recognizes a piece; `nil` for a piece without speech.
    init(
        on runtime: DictationRuntime,
        hear: @escaping @Sendable (PauseCutter.Piece) async throws(DictationError) -> Look?
    ) {
        self.hear = hear
        self.runtime = runtime
        executor = runtime.blockingExecutor("looks")
    }

    /// Begins a look if one is due.
    ///
    /// - Parameters:
    ///   - cutter: Has the current piece.
    ///   - joiner: Has the text before the piece.
    ///   - results: Receives the text.
    func look(at cutter: PauseCutter, after joiner: PieceJoiner, into results: ResultSink) {
        let now = runtime.now()
        let job = state.change { state -> Job? in
            guard !state.isRunning, case let heard = cutter.heard,
                let extent = state.schedule.due(heard, now: now)
            else { return nil }
            let job = state.job(extent, heard, cutter, joiner, longestPart: Self.longestPart)
            state.schedule.begin(heard, isWhole: state.ending != nil, now: now)
            return job
        }
        guard let job else { return }
        Task(executorPreference: executor) { await self.run(job, into: results) }
    }

    /// Ends the looks at a piece that is complete, and returns the last one. Waits for it if it may have heard all of the
    /// piece's speech, and for the first look of all: audio that comes faster than it was said is shown once, too.
    func end(_ piece: PauseCutter.Piece) async -> Look? {
        let end = piece.speech?.upperBound
        _ = await state.first { state in
            let isLast = state.ending != nil && state.ending == end
            return state.isRunning && (state.isFirst || isLast) ? nil : true
        }
        return state.change { state in
            let last = state.last
            let isRunning = state.isRunning
            state = State(number: state.number + 1)
            state.isRunning = isRunning
            return last
        }
    }

    private func run(_ job: Job, into results: ResultSink) async {
        let start = runtime.now()
        do throws(DictationError) {
            var ended: [Look?] = []
            for piece in job.ended { ended.append(try await hear(piece)) }
            let look = try await hear(job.current)
            let time = runtime.now() - start
            state.change { state in
                state.isRunning = false
                guard state.number == job.number else { return }
                if job.restart == nil { state.schedule.end(after: time) }
                if let shown = state.show(look, of: job, ended) { results.emit(.volatile(shown)) }
            }
        } catch {
            state.change { $0.isRunning = false }
            results.fail(error)
        }
    }
}

extension LiveLooks.State {
    /// Returns the next look.
    fileprivate mutating func job(
        _ extent: LookSchedule.Extent, _ heard: PauseCutter.Heard, _ cutter: PauseCutter, _ joiner: PieceJoiner,
        longestPart: Duration
    ) -> LiveLooks.Job {
        isRunning = true
        isFirst = self.part == nil
        var part = self.part ?? cutter.wholePart
        if self.part == nil { self.joiner = joiner }
        var ended: [PauseCutter.Piece] = []
        let isWhole = extent == .whole
        if isWhole {
            part = cutter.wholePart
        } else {
            while let piece = cutter.end(&part, longerThan: longestPart) { ended.append(piece) }
        }
        let current = cutter.audio(of: part)
        ending = LookSchedule.isPause(heard) && part.isWhole ? current.speech?.upperBound : nil
        let restarts = isWhole && heard.length > longestPart
        if !isWhole { self.part = part }
        return LiveLooks.Job(
            number: number, ended: ended, current: current, isPause: LookSchedule.isPause(heard),
            restart: restarts ? (joiner, cutter.nextPart) : nil)
    }

    /// Takes in what a look heard, and returns what to show.
    fileprivate mutating func show(
        _ look: LiveLooks.Look?, of job: LiveLooks.Job, _ ended: [LiveLooks.Look?]
    ) -> SpeechResult? {
        last = look
        for (look, piece) in zip(ended, job.ended) {
            finished += joiner.add(look?.result, overlapStart: piece.overlapStart, .length)
        }
        guard let result = look?.result else { return nil }
        let overlapStart = job.current.overlapStart
        var preview: SpeechResult?
        if let restart = job.restart {
            (joiner, part) = (restart.joiner, restart.next)
            finished = joiner.add(result, overlapStart: overlapStart, .length)
            preview = joiner.waiting
        } else {
            preview = joiner.preview(result, overlapStart: overlapStart)
        }
        guard var shown = PieceJoiner.joined((finished + (preview.map { [$0] } ?? []))[...]) else { return nil }
        let words = shown.text.writtenWords
        let count = steady.count(of: words, isPause: job.isPause)
        guard count > 0 else { return nil }
        if count < words.count {
            if shown.words.count == words.count { shown.words = Array(shown.words.prefix(count)) }
            shown.text = String(shown.text[..<words[count - 1].endIndex])
        }
        return shown
    }
}
