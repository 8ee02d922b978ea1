import DictationCore

/// One engine's final result, before the other engine has had its say.
struct TwoPassDraft: Sendable {
    /// The engine whose result this is.
    enum Source: Sendable { case quick, thorough }

    var source: Source
    var result: SpeechResult
    /// The audio of the result; `nil` if it is no longer there.
    var audio: AudioStretch?
    /// The length of the audio at the beginning that the previous draft has too.
    var overlap: Duration = .zero

    /// The length of the speech in the audio.
    var length: Duration { result.range.upperBound - result.range.lowerBound + overlap }
}

/// Turns drafts into final results: the thorough engine's text with the quick engine's times, and a confidence where
/// both agree.
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

    /// Returns the final result of a draft. The text of a draft with an overlap has the words in it too, unless the
    /// result is doubtful.
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
        if heard == nil, first.map({ !$0.text.isEmpty && isPlausible($0, draft, heard) }) != true {
            heard = try await quick.text(of: audio)
        }
        if let text = try await plausible(first, draft, audio, heard) {
            var whole = draft.result
            if draft.overlap > .zero { whole.range = audio.range.lowerBound..<whole.range.upperBound }
            return result(whole, text, words: try await words(of: text, heard, audio))
        }
        // A doubtful text is better than none.
        return quickResult(draft.result, heard ?? StretchText([draft.result]))
    }

    /// Returns a draft's own text, for a draft whose audio is no longer there.
    private func withoutReview(_ draft: TwoPassDraft) -> SpeechResult {
        let text = StretchText([draft.result])
        if draft.source == .quick { return quickResult(draft.result, text) }
        let timed = TimedWords(heard: text.words)
        return result(draft.result, text, words: timed.words(of: text.text))
    }

    /// Returns the thorough engine's text, or its text at a second try; `nil` if neither can be true.
    private func plausible(
        _ first: StretchText?, _ draft: TwoPassDraft, _ audio: AudioStretch, _ heard: StretchText?
    ) async throws(DictationError) -> StretchText? {
        // An engine that did not end in time is not asked again.
        guard let first else { return nil }
        if isPlausible(first, draft, heard) { return first }
        guard let second = try await thorough.text(of: audio, in: Self.moreSilence) else { return nil }
        return isPlausible(second, draft, heard) ? second : nil
    }

    private func isPlausible(_ text: StretchText, _ draft: TwoPassDraft, _ heard: StretchText?) -> Bool {
        let heardWords = heard.map { heard in
            let count = SpokenWord.words(of: heard.text).count
            guard draft.source == .quick, draft.overlap > .zero, draft.length > draft.overlap else { return count }
            // The draft has no words in the overlap. They are about as many as in the rest.
            return Int((Double(count) * (draft.length / (draft.length - draft.overlap))).rounded(.up))
        }
        return Plausibility(speech: draft.length, heardWords: heardWords).doubt(about: text.text) == nil
    }

    private var asksForWords: Bool { options.wordTimes || options.wordConfidence }

    private func words(
        of text: StretchText, _ heard: StretchText?, _ audio: AudioStretch
    ) async throws(DictationError) -> [SpeechResult.Word] {
        guard asksForWords else { return [] }
        if wordSource == .thorough { return text.words }
        if heard == nil, !options.wordConfidence, let alignment, let spoken = TimedWords.letters(ofWordsIn: text.text),
            let aligned = try await alignment.words(of: spoken, in: audio)
        {
            return TimedWords(heard: aligned).words(of: text.text)
        }
        var said = heard
        if said == nil { said = try await quick.text(of: audio) }
        let timed = TimedWords(heard: said?.words ?? [])
        var words = timed.agreedWords(of: text.text)
        guard options.wordTimes, let alignment,
            let aligned = try await alignment.words(of: timed.spoken(text.text), in: audio)
        else { return words }
        let better = TimedWords(heard: aligned).words(of: text.text)
        for (index, word) in zip(words.indices, better) { words[index].range = word.range }
        return words
    }

    /// Returns the quick engine's text as a result, marked because the thorough engine has none.
    private func quickResult(_ draft: SpeechResult, _ heard: StretchText) -> SpeechResult {
        let words =
            asksForWords && heard.words.isEmpty
            ? TimedWords(heard: []).words(of: heard.text) : heard.words
        var result = result(draft, heard, words: words)
        result.isDoubtful = true
        return result
    }

    private func result(_ draft: SpeechResult, _ text: StretchText, words: [SpeechResult.Word]) -> SpeechResult {
        var result = draft
        result.text = text.text
        result.alternatives = Array(text.alternatives.prefix(options.maximumAlternatives))
        result.words = asksForWords ? words : []
        if options.wordTimes {
            // The stretch begins a little before the draft.
            let first = words.compactMap { $0.range?.lowerBound }.min() ?? draft.range.lowerBound
            result.range = min(first, draft.range.lowerBound)..<draft.range.upperBound
            result.words.giveTimes(in: result.range)
        }
        for index in result.words.indices {
            if !options.wordTimes { result.words[index].range = nil }
            if !options.wordConfidence { result.words[index].confidence = nil }
        }
        return result
    }
}
