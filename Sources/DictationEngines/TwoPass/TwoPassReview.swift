import DictationCore

/// One engine's final result, before the other engine has had its say.
struct TwoPassDraft: Sendable {
    /// The engine whose result this is.
    enum Source: Sendable { case quick, thorough }

    var source: Source
    var result: SpeechResult
    /// The audio of the result; `nil` if it is no longer there.
    var audio: AudioStretch?
}

/// Turns drafts into final results: the thorough engine's text with the quick engine's times and confidence.
struct TwoPassReview: Sendable {
    let quick: StretchDecoding
    let thorough: StretchDecoding
    /// Finds the times of a known text; `nil` if the quick engine can't.
    let alignment: StretchAlignment?
    /// The options that the user gave.
    let options: RecognitionOptions
    let wordSource: TwoPassDraft.Source

    /// The silence around a stretch whose text was not plausible. Models that run away often don't when the speech does
    /// not begin at once.
    private static let moreSilence = StretchDecoding.Silence(before: .milliseconds(500), after: .seconds(1))

    /// Returns the final result of a draft.
    ///
    /// - Parameters:
    ///   - draft: The draft.
    ///   - text: The thorough engine's text for the draft's audio; `nil` if it is yet to be decoded.
    ///   - session: A session of the thorough engine that is ready.
    /// - Throws: The error of an engine.
    func result(
        of draft: TwoPassDraft, decoded text: StretchText? = nil, with session: (any RecognitionSession)? = nil
    ) async throws(DictationError) -> SpeechResult {
        guard let audio = draft.audio else { return withoutReview(draft) }
        var heard = draft.source == .quick ? StretchText([draft.result]) : nil
        var first = draft.source == .thorough ? StretchText([draft.result]) : text
        if first == nil { first = try await thorough.text(of: audio, with: session) }
        if let text = try await plausible(first, of: draft, audio, heard) {
            return result(draft.result, text, words: try await words(of: text, heard, in: draft.result.range, audio))
        }
        if heard == nil { heard = try await quick.text(of: audio) }
        // A doubtful text is better than none.
        return quickResult(draft.result, heard ?? StretchText([draft.result]))
    }

    /// Returns a draft's own text, for a draft whose audio is no longer there.
    private func withoutReview(_ draft: TwoPassDraft) -> SpeechResult {
        let text = StretchText([draft.result])
        if draft.source == .quick { return quickResult(draft.result, text) }
        let timed = TimedWords(heard: text.words, range: draft.result.range)
        return result(draft.result, text, words: timed.words(of: text.text))
    }

    /// Returns the thorough engine's text, or its text at a second try; `nil` if neither can be true.
    private func plausible(
        _ first: StretchText?, of draft: TwoPassDraft, _ audio: AudioStretch, _ heard: StretchText?
    ) async throws(DictationError) -> StretchText? {
        // An engine that did not end in time is not asked again.
        guard let first else { return nil }
        let range = draft.result.range
        let plausibility = Plausibility(
            speech: range.upperBound - range.lowerBound, heardWords: heard.map { SpokenWord.words(of: $0.text).count })
        if plausibility.doubt(about: first.text) == nil { return first }
        guard let second = try await thorough.text(of: audio, in: Self.moreSilence) else { return nil }
        return plausibility.doubt(about: second.text) == nil ? second : nil
    }

    private var asksForWords: Bool { options.wordTimes || options.wordConfidence }

    private func words(
        of text: StretchText, _ heard: StretchText?, in range: Range<Duration>, _ audio: AudioStretch
    ) async throws(DictationError) -> [SpeechResult.Word] {
        guard asksForWords else { return [] }
        if wordSource == .thorough { return text.words }
        if heard == nil, !options.wordConfidence, let alignment, let spoken = TimedWords.letters(ofWordsIn: text.text),
            let aligned = try await alignment.words(of: spoken, in: audio)
        {
            return TimedWords(heard: aligned, range: range).words(of: text.text)
        }
        var said = heard
        if said == nil { said = try await quick.text(of: audio) }
        let timed = TimedWords(heard: said?.words ?? [], range: range)
        var words = timed.words(of: text.text)
        guard options.wordTimes, let alignment,
            let aligned = try await alignment.words(of: timed.spoken(text.text), in: audio)
        else { return words }
        let better = TimedWords(heard: aligned, range: range).words(of: text.text)
        for (index, word) in zip(words.indices, better) { words[index].range = word.range }
        return words
    }

    /// Returns the quick engine's text as a result, marked because the thorough engine has none.
    private func quickResult(_ draft: SpeechResult, _ heard: StretchText) -> SpeechResult {
        let words =
            asksForWords && heard.words.isEmpty
            ? TimedWords(heard: [], range: draft.range).words(of: heard.text) : heard.words
        var result = result(draft, heard, words: words)
        result.isDoubtful = true
        return result
    }

    private func result(_ draft: SpeechResult, _ text: StretchText, words: [SpeechResult.Word]) -> SpeechResult {
        var result = draft
        result.text = text.text
        result.alternatives = Array(text.alternatives.prefix(options.maximumAlternatives))
        result.words = asksForWords ? words : []
        // The stretch begins a little before the draft.
        if options.wordTimes, let first = words.first?.range?.lowerBound {
            result.range = min(first, draft.range.lowerBound)..<draft.range.upperBound
        }
        for index in result.words.indices {
            if !options.wordTimes { result.words[index].range = nil }
            if !options.wordConfidence { result.words[index].confidence = nil }
        }
        return result
    }
}
