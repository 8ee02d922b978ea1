import DictationCore
import DictationTesting
import Testing

/// Numbers that make no sense as arguments. None of them may trap.
@Suite struct HostileNumbersTests {
    private static let integers: [Int] = [.min, .min + 1, -1, 0, 1, 16_000, .max - 1, .max]
    private static let times: [Duration] = [
        Duration(attoseconds: .min), .seconds(Int64.min), .seconds(-1), .zero, .seconds(1), .seconds(Int64.max),
        Duration(attoseconds: .max),
    ]

    @Test(arguments: integers, integers) func formatsCount(rate: Int, channels: Int) {
        for type in AudioFormat.SampleType.allCases {
            let format = AudioFormat(sampleRate: rate, channelCount: channels, sampleType: type)
            _ = format.bytesPerFrame
            for frames in Self.integers { _ = format.duration(ofFrames: Int64(frames)) }
            for time in Self.times { _ = format.frames(in: time) }
        }
    }

    @Test func framesAndDurationsAreStillInverse() {
        let format = AudioFormat(sampleRate: 44_100)
        for frames: Int64 in [-44_101, -1, 0, 1, 44_099, 1 << 40] {
            #expect(format.frames(in: format.duration(ofFrames: frames)) == frames)
        }
    }

    @Test(arguments: integers, integers) func buffersAreEmptyWhereTheyCannotBe(frames: Int, channels: Int) {
        guard frames != 16_000 || channels != 16_000 else { return }
        let format = AudioFormat(sampleRate: 16_000, channelCount: channels)
        for start in Self.times {
            var buffer = AudioBuffer(silence: frames, format: format, start: start)
            #expect(frames > 0 || buffer.isEmpty)
            _ = (buffer.range, buffer.end, buffer.duration)
            buffer.start = start
            buffer = buffer.slice(-5..<(.max)).moved(to: start).slice(.max..<(.max))
            #expect(buffer.isEmpty)
            _ = (buffer.floatSamples, buffer.int16Samples, buffer.isDigitalSilence)
        }
    }

    @Test func samplesWithoutChannelsAreNoFrames() {
        for channels in Self.integers where channels < 1 || channels > 100_000 {
            #expect(AudioBuffer([Int16](repeating: 1, count: 100), channelCount: channels).isEmpty)
        }
    }

    @Test(arguments: times) func timelinesStayOrdered(start: Duration) {
        var timeline = AudioTimeline(start: start)
        var last = timeline.position
        for rate in [1, 16_000, -1, 0, .max, 44_100] + Array(1...40) {
            for count in Self.integers {
                let range = timeline.advance(by: Int64(count), of: AudioFormat(sampleRate: rate))
                #expect(range.lowerBound >= last)
                last = range.lowerBound
            }
        }
    }

    @Test(arguments: times) func frameClocksStayUp(start: Duration) {
        var clock = DecoderSession.FrameClock(format: .speech)
        for frames in Self.integers {
            clock.feed(frames: frames, at: start)
            for frame in Self.integers { _ = clock.time(ofFrame: Int64(frame)) }
            clock.discard(before: Int64(frames))
        }
        #expect(clock.frames == .max)
    }

    @Test func progressHasNoTimeLeftRatherThanAnEndlessOne() {
        for completed: Int64 in [.min, -1, 0, 50, .max] {
            for total: Int64 in [.min, -1, 0, 100, .max] {
                for speed in [-1, 0, .leastNonzeroMagnitude, 1, .infinity, .nan] as [Double] {
                    let progress = ModelAsset.Progress(
                        completedBytes: completed, totalBytes: total, bytesPerSecond: speed)
                    _ = progress.timeLeft
                    #expect(progress.fraction.map { (0...1).contains($0) } ?? true)
                }
            }
        }
    }

    @Test func aCaptureFeedTakesAnything() async throws {
        for capacity in Self.times {
            let feed = CaptureFeed(capacity: capacity)
            for rate in Self.integers {
                let format = AudioFormat(sampleRate: rate, channelCount: rate == .min ? -1 : 1)
                [UInt8](repeating: 0, count: 10).withUnsafeBytes { feed.write($0, format: format) }
                for frames in Self.integers { feed.lose(frames: Int64(frames), format: format, cause: .overrun) }
            }
            feed.finish()
            for try await _ in feed.stream {}
        }
    }

    @Test func longWaitsAreWaits() async {
        let runtime = DictationRuntime.current
        for time in [Duration.seconds(Int64.max), Duration(attoseconds: .max), .seconds(-1), .seconds(Int64.min)] {
            let isLong = time > .zero
            let answer = await runtime.within(time) {
                if !isLong { try? await runtime.sleep(.seconds(3_600)) }
                return true
            }
            #expect(answer == (isLong ? true : nil))
        }
        let monitor = Monitor(0)
        #expect(monitor.first(within: Duration(attoseconds: .min), { $0 > 0 ? true : nil }) == nil)
        let woken = Task.detached { monitor.first(within: Duration(attoseconds: .max)) { $0 > 0 ? true : nil } }
        monitor.change { $0 = 1 }
        #expect(await woken.value == true)
    }

    @Test(arguments: times, times) func virtualTimeTakesAnyTimes(first: Duration, second: Duration) async throws {
        try await VirtualTime.run(seed: 1, lateness: first) { clock in
            let runtime = DictationRuntime.current
            await clock.advance(by: .seconds(1))
            for time in [first, second] {
                runtime.task { try? await runtime.sleep(time) }
                _ = await runtime.within(time) { try? await runtime.sleep(second) }
                _ = clock.now.advanced(by: time).duration(to: clock.now)
                await clock.advance(by: time)
            }
            try await clock.sleep(until: clock.now.advanced(by: first), tolerance: nil)
        }
    }

    @Test(arguments: integers) func anyNumberOfWorkersDoesTheWork(workers: Int) async throws {
        let answers = try await VirtualTime.run { _ in
            var answers: [Int] = []
            try await DictationRuntime.current.inOrder(
                "test", workers: workers,
                produce: { jobs in for number in 0..<10 { guard await jobs.put(number) else { return } } },
                work: { (jobs: OrderedJobs<Int, Int>) in
                    while let ticket = await jobs.take() { jobs.answer(ticket, ticket.job) }
                },
                deliver: { answers.append($0) })
            return answers
        }
        #expect(answers == Array(0..<10))
    }

    @Test func optionsThatCannotBeMeantAreRefused() {
        for number in Self.integers where number < 0 {
            let options = RecognitionOptions(maximumAlternatives: number)
            #expect(throws: DictationError.self) {
                try EngineCapabilities([.dictation, .alternatives]).validate(options, engine: "any")
            }
        }
        for time in Self.times where time < .zero {
            let options = RecognitionOptions(finalizationTimeout: time)
            #expect(throws: DictationError.self) {
                try EngineCapabilities([.dictation]).validate(options, engine: "any")
            }
        }
    }

    @Test(arguments: times) func anyDeadlineIsKept(deadline: Duration) async throws {
        try await VirtualTime.run { _ in
            var options = RecognitionOptions.liveDictation()
            options.finalizationTimeout = deadline
            let session = try await DecoderSession.open("any", audioFormat: .speech, options: options) {
                SilentDecoder()
            }
            try session.start(AudioInput([AudioBuffer(silence: 160, format: .speech)]))
            _ = try await session.finalize(through: deadline)
            _ = try await session.finish()
        }
    }

    @Test func buffersFarAwayAreTakenOrRefused() async throws {
        for start in Self.times {
            let session = try await DecoderSession.open("far", audioFormat: .speech, options: .liveDictation()) {
                SilentDecoder()
            }
            try session.start(AudioInput([AudioBuffer(silence: 160, format: .speech, start: start)]))
            do throws(DictationError) {
                #expect(try await session.finish() == .complete)
                #expect(start >= .zero)
            } catch {
                #expect(error.code == .disorderedAudio)
                #expect(start < .zero)
            }
        }
    }
}

private struct SilentDecoder: SpeechDecoder {
    mutating func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError) {
        results.emit(.volatile(SpeechResult(range: buffer.range, text: "somewhere")))
    }

    mutating func finalize(into results: ResultSink) async throws(DictationError) {}
}
