import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// Numbers that make no sense as arguments.
@Suite struct HostileValueTests {
    static let durations: [Duration] = [
        .zero, .seconds(-1), .seconds(Int64.max), .seconds(Int64.min), .nanoseconds(1), .seconds(1e18),
        Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999),
    ]

    static let fields: [any WritableKeyPath<DictationSession.Configuration, Duration> & Sendable] = [
        \.tail, \.backlog, \.openTimeout, \.warmUpTimeout, \.stopTimeout, \.retryDelay, \.input.silenceTimeout,
        \.recognition.finalizationTimeout,
    ]

    @Test(arguments: durations.indices, fields.indices)
    func anyTimeInAConfigurationEndsInOrder(duration: Int, field: Int) async throws {
        try await VirtualTime.run { clock in
            var configuration = shortLimits()
            configuration[keyPath: Self.fields[field]] = Self.durations[duration]
            let engine = ScriptedEngine()
            let session = DictationSession(
                engine: engine, capturer: ScriptedCapturer([.tone(440, for: .seconds(30))]) { $0.openFailures = 1 },
                spool: HostileSpool(), configuration: configuration)
            let witness = Witness(session)
            _ = try? await session.start()
            await clock.advance(by: .seconds(2))
            await session.pause()
            await clock.advance(by: .seconds(2))
            try? await session.resume()
            let stop = DictationRuntime.current.task { await session.stop() }
            await clock.advance(by: .seconds(40))
            // A take with an endless tail records until it is cancelled.
            if Self.fields[field] == \.tail, Self.durations[duration] > .seconds(100) { await session.cancel() }
            await clock.advance(by: .seconds(40))
            _ = await stop.value
            await session.waitUntilSettled()
            #expect(witness.problems == [])
            #expect(engine.openSessions == 0)
        }
    }

    @Test(arguments: durations.indices) func anyLengthAndSilenceEndInOrder(duration: Int) async throws {
        try await VirtualTime.run { clock in
            for isLength in [true, false] {
                let configuration = shortLimits {
                    if isLength {
                        $0.maximumLength = Self.durations[duration]
                    } else {
                        $0.endingSilence = Self.durations[duration]
                    }
                    $0.input.speech = Decibels(isLength ? .nan : -.infinity)
                }
                let session = DictationSession(
                    engine: ScriptedEngine(),
                    capturer: ScriptedCapturer([.tone(440, for: .seconds(1)), .silence(for: .seconds(10))]),
                    configuration: configuration)
                let witness = Witness(session)
                _ = try? await session.start()
                await clock.advance(by: .seconds(5))
                _ = await session.stop()
                await clock.advance(by: .seconds(5))
                #expect(witness.problems == [])
            }
        }
    }

    static let numbers: [Double] = [.nan, .signalingNaN, .infinity, -.infinity, .greatestFiniteMagnitude, -0.0, 1e-300]

    @Test(arguments: numbers.indices) func decibelsOfAnyNumberAreNumbers(index: Int) {
        let number = Self.numbers[index]
        #expect(!Decibels(number).value.isNaN)
        #expect(!Decibels(amplitude: number).value.isNaN)
        #expect(!Decibels(number).amplitude.isNaN)
        #expect(!Decibels(number).description.isEmpty)
    }

    static let counts = [Int.min, -1, 0, 1, 3, 1 << 40, .max]

    @Test(arguments: counts, counts) func buffersOfAnyFormatCanBeAsked(rate: Int, channels: Int) {
        let format = AudioFormat(sampleRate: rate, channelCount: channels, sampleType: .float64)
        _ = (format.bytesPerFrame, format.description, try? format.validated(), format.frames(in: .seconds(1e12)))
        for frames in [Int64.min, -1, 0, 1, .max] { _ = format.duration(ofFrames: frames) }
        for duration in Self.durations { _ = format.frames(in: duration) }
        let buffer = AudioBuffer([Float](repeating: .nan, count: 7), sampleRate: rate, channelCount: channels)
        _ = (
            buffer.duration, buffer.range, buffer.isDigitalSilence, AudioLevel(of: buffer), buffer.int16Samples,
            buffer.floatSamples
        )
        _ = (buffer.slice(-5..<3), buffer.slice(1..<1_000), buffer.slice(.min..<Int.max), buffer.slice(900..<901))
        for duration in Self.durations {
            let moved = buffer.moved(to: duration)
            #expect(moved.range.lowerBound <= moved.range.upperBound)
        }
    }

    @Test func timelinesCountAnything() {
        for duration in Self.durations {
            var timeline = AudioTimeline(start: duration)
            var end = timeline.position
            for count in [Int64.min, -1, 0, 1, .max, 7] {
                for rate in Self.counts {
                    let range = timeline.advance(by: count, of: AudioFormat(sampleRate: rate))
                    #expect(range.lowerBound >= end)
                    end = range.upperBound
                }
            }
            for length in Self.durations {
                let range = timeline.advance(by: length)
                #expect(range.lowerBound >= end)
                end = range.upperBound
            }
            var clock = DecoderSession.FrameClock(format: .speech)
            for count in Self.counts { clock.feed(frames: count, at: duration) }
            for frame in [Int64.min, -1, 0, .max] {
                _ = clock.time(ofFrame: frame)
                clock.discard(before: frame)
            }
        }
    }

    @Test func feedsTakeAnything() async throws {
        try await VirtualTime.run { clock in
            for capacity in Self.durations where capacity < .seconds(1e6) {
                let feed = CaptureFeed(capacity: capacity)
                for rate in Self.counts {
                    feed.lose(frames: Int64(rate), format: AudioFormat(sampleRate: rate), cause: .overrun)
                    feed.send(
                        .gap(
                            AudioGap(
                                range: .zero..<Duration.seconds(Int64.max), frameCount: Int64(rate), cause: .stalled)))
                }
                feed.write(humming)
                feed.send(.buffer(humming.moved(to: .seconds(Int64.min))))
                feed.finish()
                feed.finish(throwing: DictationError(.deviceLost, "Twice."))
                feed.write(humming)
                var end = Duration.zero
                for try await event in feed.stream {
                    let range: Range<Duration>
                    switch event {
                    case .buffer(let buffer): range = buffer.range
                    case .gap(let gap): range = gap.range
                    default: continue
                    }
                    #expect(range.lowerBound >= end)
                    end = range.upperBound
                }
            }
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func anyResultsMakeATranscriptInOrder(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var texts = TranscriptAccumulator()
        var prefix = TranscriptAccumulator.StablePrefix(agreement: Int.random(in: -2...3, using: &random))
        var finals = 0
        for number in 0..<300 {
            let points = [Int64.min, -3, 0, 1, 2, 5, 9, .max].map { Duration.seconds($0) }
            let a = points.randomElement(using: &random) ?? .zero
            let b = points.randomElement(using: &random) ?? .zero
            let range = min(a, b)..<max(a, b)
            let word = SpeechResult.Word("t\(number)", range: range, confidence: .nan)
            let result = SpeechResult(range: range, text: "t\(number)", words: [word])
            let updates: [SpeechUpdate] = [
                .volatile(result), .final(result), .revoked(range), .finalized(through: range.lowerBound),
            ]
            let update = updates.randomElement(using: &random) ?? .final(result)
            if update.finalResult != nil { finals += 1 }
            texts.apply(update)
            for (first, second) in zip(texts.finalResults, texts.finalResults.dropFirst()) {
                #expect(first.range.upperBound <= second.range.lowerBound)
            }
            _ = prefix.split(texts.volatileTail, in: "en-US")
        }
        // No text is lost or doubled.
        #expect(texts.finalResults.count == finals)
        #expect(Set(texts.finalResults.map(\.text)).count == finals)
        let transcript = Transcript(segments: texts.finalResults)
        _ = transcript.attributedText
        for duration in Self.durations { _ = Transcript.range(in: transcript.attributedText, saidAt: duration) }
    }
}
