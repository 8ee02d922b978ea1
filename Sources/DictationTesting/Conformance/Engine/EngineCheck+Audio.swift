import DictationCore

extension EngineCheck {
    /// Recognizes the audio in as few buffers as possible and returns its text, or `nil` if that fails.
    func textInOnePiece() async -> String? {
        let answer = await make(suite.options)
        guard case .success(let session)? = answer else {
            findings.broken(
                .finishMakesAllFinal, "a session with the suite's options",
                saw: answer?.summary ?? "that makeSession(_:) did not return within \(workLimit)")
            return nil
        }
        _ = await runtime.within(suite.responseTimeout) { await session.cancel() }
        return await recognize(audio.stretches, .finishMakesAllFinal)?.text
    }

    /// Checks that the audio has the same text in buffers of other sizes.
    func tryCuttings(expecting text: String) async {
        var random = SplitMix64(seed: suite.seed)
        let short = Int(clamping: format.frames(in: .milliseconds(10)))
        let long = Int(clamping: format.frames(in: .milliseconds(700)))
        var left = 100
        let cuttings: [(String, [AudioBuffer])] = [
            ("as it was given", suite.audio),
            ("in buffers of 10 ms", audio.pieces { short }),
            ("in buffers of 1117 frames", audio.pieces { 1_117 }),
            (
                "in random buffers up to 700 ms, with empty ones between, from seed \(suite.seed)",
                audio.pieces { Int.random(in: 1...max(1, long), using: &random) }
                    .flatMap { [$0, $0.slice(0..<0).moved(to: $0.end)] }
            ),
            (
                "in single frames at first, from seed \(suite.seed)",
                audio.pieces {
                    left -= 1
                    return left >= 0 ? 1 : Int.random(in: 1...max(1, long / 4), using: &random)
                }
            ),
        ]
        for (name, buffers) in cuttings {
            guard let log = await recognize(buffers, .streamingEqualsBatch) else { continue }
            findings.expect(
                .streamingEqualsBatch, log.text == text, "“\(text)”, as in one buffer", saw: "“\(log.text)” \(name)")
        }
    }

    /// Checks starting, gaps, empty input and wrong audio.
    func tryTakingAudio(expecting text: String) async {
        await trySecondStart(expecting: text)
        await tryGaps()
        for (name, buffers) in [("no buffer", []), ("an empty buffer", [AudioBuffer(silence: 0, format: format)])] {
            guard let log = await recognize(buffers, .emptyInputIsNoError) else { continue }
            findings.expect(.emptyInputIsNoError, log.text.isEmpty, "no text from \(name)", saw: "“\(log.text)”")
        }
        await tryWrongFormats()
        await tryDisorder()
    }

    private func trySecondStart(expecting text: String) async {
        guard let probe = await open(suite.options) else { return }
        probe.reader.begin()
        let input = TestInput(.gate, .audio(suite.audio))
        guard await probe.start(input, .startsOnce) else { return }
        let second = await probe.tryStart(TestInput(.audio(clip)), .startsOnce)
        findings.expect(
            .startsOnce, second?.error?.code == .alreadyRunning, "alreadyRunning from a second start",
            saw: second?.summary ?? "no answer")
        input.open()
        if let answer = await probe.finish(.startsOnce), answer.isComplete {
            await probe.expectEnd(.finished, .startsOnce, "after a refused second start")
            let seen = probe.reader.log.value.text
            findings.expect(.startsOnce, seen == text, "“\(text)” after a refused second start", saw: "“\(seen)”")
        } else {
            findings.broken(.startsOnce, "the first start to go on", saw: "that it ended")
        }
        let late = await probe.tryStart(TestInput(.audio(clip)), .startAfterEndThrows)
        findings.expect(
            .startAfterEndThrows, late?.error?.code == .inputAfterEnd, "inputAfterEnd from a start after finish()",
            saw: late?.summary ?? "no answer")
        await probe.close(audioEnd: audio.end)
    }

    private func tryGaps() async {
        let pieces = audio.pieces(of: .milliseconds(100))
        let half = pieces.count / 2
        let hole = Duration.seconds(2)
        let buffers = pieces[..<half] + pieces[half...].map { $0.moved(to: $0.start + hole) }
        guard let log = await recognize(Array(buffers), .gapsAreTaken) else { return }
        let end = audio.end + hole
        findings.expect(
            .gapsAreTaken, log.watermark >= end - format.duration(ofFrames: 1),
            "results final through \(end), the end of audio with a gap of \(hole)", saw: "through \(log.watermark)")
    }

    private func tryWrongFormats() async {
        var formats = [format, format, format]
        formats[0].sampleRate = format.sampleRate == 44_100 ? 48_000 : 44_100
        formats[1].channelCount = format.channelCount == 2 ? 1 : 2
        formats[2].sampleType = format.sampleType == .int16 ? .float32 : .int16
        for wrong in formats {
            let wrongBuffer = AudioBuffer(silence: wrong.sampleRate / 10, format: wrong, start: clip.last?.end ?? .zero)
            await expectFailure(
                TestInput(.audio(clip + [wrongBuffer]), .gate), .wrongFormatThrows,
                DictationError(.unsupportedFormat, "audio of \(wrong)"))
        }
    }

    private func tryDisorder() async {
        let pieces = clip
        guard let last = pieces.last else { return }
        for (name, time) in [("before", Duration.zero), ("over half of", last.start + last.duration / 2)] {
            await expectFailure(
                TestInput(.audio(pieces + [last.moved(to: time)]), .gate), .disorderedAudioThrows,
                DictationError(.disorderedAudio, "audio \(name) earlier audio"))
        }
    }

    /// Expects that an input which never ends fails the session.
    func expectFailure(_ input: TestInput, _ clause: EngineConformance.Clause, _ expected: DictationError) async {
        guard let probe = await open(suite.options) else { return }
        probe.reader.begin()
        guard await probe.start(input, clause) else { return }
        let answer = await probe.finish(clause)
        findings.expect(
            clause, answer?.error?.code == expected.code,
            "finish() to throw \(expected.code.rawValue) for \(expected.message)", saw: answer?.summary ?? "no answer")
        await probe.expectEnd(.failed(expected), clause, "for \(expected.message)")
        await expectLetGo(input, .inputIsLetGo, "\(expected.code.rawValue)")
        await probe.close(audioEnd: audio.end)
    }
}
