import DictationCapture
import DictationCore
import DictationEngines
import Foundation
import Testing

@Suite struct WaveSpoolTests {
    private let folder = TemporaryFolder()
    private var spool: WaveSpool { WaveSpool(folder: folder.path) }

    private func tone(_ count: Int, at start: Duration, _ format: AudioFormat = .speech) throws -> AudioBuffer {
        let samples = (0..<count * format.channelCount).map { Float($0 % 100) / 128 }
        let float = AudioBuffer(
            samples, sampleRate: format.sampleRate, channelCount: format.channelCount, start: start)
        return try BasicConverter(from: float.format, to: format).convert(float)
    }

    /// Kills a process that records into the spool, and gives how many frames it was sure of.
    private func framesSafeWhenKilled(after count: Int) async throws -> Int {
        let probe = try Child(Child.built("CaptureProbe"), ["spool", folder.path])
        _ = await probe.line { (Int($0) ?? 0) > count }
        probe.kill()
        let lines = try #require(await probe.end())
        return try #require(lines.compactMap { Int($0) }.max())
    }

    @Test(arguments: AudioFormat.SampleType.allCases)
    func aTakeComesBackAsItWas(_ type: AudioFormat.SampleType) async throws {
        let other = AudioFormat(sampleRate: 44_100, channelCount: 2, sampleType: type)
        let writer = try await spool.makeWriter()
        let gap = AudioGap(range: .seconds(1)..<(.seconds(2)), frameCount: 16_000, cause: .unplugged)
        let first = try tone(16_000, at: .zero)
        let second = try tone(4_410, at: .seconds(2), other)
        let third = try tone(1_600, at: .seconds(5))
        try await writer.append(.buffer(first.slice(0..<7_000)))
        try await writer.append(.interrupted(.deviceLost))
        try await writer.append(.buffer(first.slice(7_000..<16_000)))
        try await writer.append(.gap(gap))
        try await writer.append(.buffer(second))
        try await writer.append(.buffer(third))
        try await writer.close()
        try await writer.close()
        await #expect { try await writer.append(.gap(gap)) } throws: {
            ($0 as? DictationError)?.code == .inputAfterEnd
        }
        #expect(
            try await spool.takes() == [
                SpooledTake(id: writer.id, duration: .milliseconds(5_100), isComplete: true)
            ])
        var samples: [AudioFormat: [Float]] = [:]
        var gaps: [AudioGap] = []
        var starts: [Duration] = []
        for try await event in try await spool.read(writer.id) {
            switch event {
            case .buffer(let buffer):
                samples[buffer.format, default: []] += buffer.floatSamples
                starts.append(buffer.start)
            case .gap(let gap): gaps.append(gap)
            default: Issue.record("an event that was not kept")
            }
        }
        #expect(gaps == [gap])
        #expect(samples[.speech] == first.floatSamples + third.floatSamples)
        #expect(samples[other] == second.floatSamples)
        #expect(starts == (0..<10).map { .milliseconds($0 * 100) } + [.seconds(2), .seconds(5)])
        try await spool.discard(writer.id)
        try await spool.discard(writer.id)
        #expect(try await spool.takes().isEmpty)
    }

    @Test func aTakeThatIsStillWrittenCanBeReadByAnyone() async throws {
        let writer = try await spool.makeWriter()
        try await writer.append(.buffer(try tone(1_000, at: .zero)))
        let soxi = try Child("/usr/bin/soxi", ["-s", folder(writer.id) + "/1.wav"])
        #expect(await soxi.end() == ["1000"], "install sox")
        #expect(try await spool.takes().first?.isComplete == false)
    }

    /// The disk fails during a take, and then the process is killed, so that nobody else can tell of it.
    @Test func aTakeWhoseRestIsNotKeptSaysSo() async throws {
        var writer: (any AudioSpoolWriter)? = try await spool.makeWriter()
        let id = try #require(writer).id
        try await writer?.append(.buffer(try tone(16_000, at: .zero)))
        #expect(FileManager.default.createFile(atPath: folder(id) + "/2.wav", contents: nil))
        let late = try tone(16_000, at: .seconds(5))
        do throws(DictationError) {
            try await writer?.append(.buffer(late))
            Issue.record("There is a file of that name.")
        } catch {}
        writer = nil
        let session = DictationSession(engine: CountingEngine(), capturer: ScriptedCapturer([]), spool: spool)
        let transcript = try await session.retry(id)
        #expect(transcript.gaps.map(\.cause) == [.notKept] && !transcript.isComplete, "\(transcript)")
        await session.waitUntilSettled()
        #expect(try await spool.takes().count == 1)
    }

    @Test func aKilledProcessLeavesEverythingItWasSureOf() async throws {
        for round in 0..<5 {
            let wanted = 20_000 * (round + 1) + round * 777
            let safe = try await framesSafeWhenKilled(after: wanted)
            let take = try #require(try await spool.takes().last)
            #expect(!take.isComplete)
            var frames = 0
            var isWhole = true
            var position: Duration = .zero
            for try await event in try await spool.read(take.id) {
                switch event {
                case .buffer(let buffer):
                    for (index, sample) in buffer.int16Samples.enumerated() {
                        isWhole = isWhole && sample == Int16(truncatingIfNeeded: frames + index)
                    }
                    isWhole = isWhole && buffer.start == position
                    frames += buffer.frameCount
                    position = buffer.end
                case .gap(let gap):
                    isWhole = isWhole && gap.range.lowerBound == position
                    position = gap.range.upperBound
                default: break
                }
            }
            #expect(isWhole)
            #expect(frames >= safe && safe > wanted)
            try await spool.discard(take.id)
        }
    }

    @Test func aTakeOfAKilledProcessIsRecognizedByTheNext() async throws {
        let safe = try await Int64(framesSafeWhenKilled(after: 100_000))
        let session = DictationSession(engine: CountingEngine(), capturer: ScriptedCapturer([]), spool: spool)
        let kept = try #require(try await spool.takes().first)
        let transcript = try await session.retry(kept.id)
        let fed = try #require(Int64(transcript.text), "\(transcript)")
        #expect(fed >= safe && transcript.isComplete)
        let lost = transcript.gaps.reduce(0) { $0 + $1.frameCount }
        #expect(lost > 0)
        #expect(transcript.duration == AudioFormat.speech.duration(ofFrames: fed + lost))
        await session.waitUntilSettled()
        #expect(try await spool.takes().isEmpty)
    }

    /// The backlog is full all the time, and no piece divides it.
    @Test func aSlowEngineGetsAllOfAKilledTake() async throws {
        let safe = try await Int64(framesSafeWhenKilled(after: 250_000))
        let session = DictationSession(
            engine: CountingEngine(slowness: 3_000), capturer: ScriptedCapturer([]), spool: spool)
        let kept = try #require(try await spool.takes().first)
        let transcript = try await session.retry(kept.id)
        let fed = try #require(Int64(transcript.text), "\(transcript)")
        #expect(fed >= safe && transcript.isComplete)
        #expect(transcript.gaps.allSatisfy { $0.cause == .stalled && $0.frameCount == 1_000 })
        let lost = transcript.gaps.reduce(0) { $0 + $1.frameCount }
        #expect(transcript.duration == AudioFormat.speech.duration(ofFrames: fed + lost))
        print("killed take: safe \(safe) fed \(fed) lost \(lost)")
    }

    /// As a power failure leaves it: the file's name is there and its contents are not.
    @Test(arguments: [1, 2, 3]) func aDamagedPieceCostsNoOther(_ number: Int) async throws {
        let writer = try await spool.makeWriter()
        try await writer.append(.buffer(try tone(16_000, at: .zero)))
        try await writer.append(.gap(AudioGap(range: .seconds(1)..<(.seconds(2)), frameCount: 16_000, cause: .stalled)))
        try await writer.append(.buffer(try tone(8_000, at: .seconds(2))))
        // In the rate that a new microphone gives.
        let other = AudioFormat(sampleRate: 48_000, channelCount: 1, sampleType: .int16)
        try await writer.append(
            .buffer(AudioBuffer(format: other, start: .milliseconds(2_500), frameCount: 24_000) { _ in }))
        try await writer.close()
        try Data().write(to: URL(fileURLWithPath: folder(writer.id) + "/\(number).wav"))
        #expect(try await spool.takes().map(\.id) == [writer.id])
        let heard = await Heard(try await spool.read(writer.id))
        // How long a last piece was, nothing tells.
        #expect(heard.position == .milliseconds(number == 3 ? 2_500 : 3_000))
        #expect(heard.gaps.filter { $0.cause == .damaged }.map(\.frameCount) == [[16_000], [8_000], []][number - 1])
        #expect(heard.gaps.count { $0.cause == .stalled } == 1)
    }

    @Test func aTakeWithMoreGapsThanFilesMayBeOpenIsRead() async throws {
        let writer = try await spool.makeWriter()
        for number in 0..<100 {
            let start = Duration.milliseconds(number * 200)
            let (end, next) = (start + .milliseconds(100), start + .milliseconds(200))
            try await writer.append(.buffer(try tone(1_600, at: start)))
            try await writer.append(.gap(AudioGap(range: end..<next, frameCount: 1_600, cause: .stalled)))
        }
        try await writer.close()
        let probe = try Child(Child.built("CaptureProbe"), ["reread", folder.path, writer.id])
        #expect(await probe.end() == ["frames 160000"])
    }

    @Test func aFileThatIsLongEnoughIsFollowedByAnother() async throws {
        let spool = WaveSpool(folder: folder.path, byteLimit: 10_000)
        let writer = try await spool.makeWriter()
        let whole = try tone(20_000, at: .zero)
        for frame in stride(from: 0, to: 20_000, by: 1_000) {
            try await writer.append(.buffer(whole.slice(frame..<frame + 1_000)))
        }
        try await writer.close()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder(writer.id))
        #expect(names.count { $0.hasSuffix(".wav") } == 4)
        #expect(try await spool.takes().map(\.duration) == [whole.duration])
        var samples: [Int16] = []
        for try await event in try await spool.read(writer.id) {
            guard case .buffer(let buffer) = event else {
                Issue.record("\(event)")
                continue
            }
            #expect(buffer.start == AudioFormat.speech.duration(ofFrames: Int64(samples.count)))
            samples += buffer.int16Samples
        }
        #expect(samples == whole.int16Samples)
    }

    @Test func aKilledProcessLeavesFilesThatAnyPlayerReads() async throws {
        let safe = try await framesSafeWhenKilled(after: 50_000)
        let take = try #require(try await spool.takes().first)
        var frames = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: folder(take.id)) where name.hasSuffix("wav") {
            let soxi = try Child("/usr/bin/soxi", ["-s", folder(take.id) + "/" + name])
            frames += try #require(Int(await soxi.end()?.first ?? ""), "install sox")
        }
        #expect(frames >= safe)
    }

    @Test func aTakeThatAnotherProcessWritesIsNotTakenFromIt() async throws {
        let probe = try Child(Child.built("CaptureProbe"), ["spool", folder.path])
        _ = await probe.line { (Int($0) ?? 0) > 50_000 }
        let kept = try #require(try await spool.takes().first)
        let isRefused = { (error: any Error) in
            (error as? DictationError)?.code == .alreadyRunning && (error as? DictationError)?.recovery != nil
        }
        await #expect(performing: { try await spool.discard(kept.id) }, throws: isRefused)
        let session = DictationSession(
            engine: ScriptedEngine(), capturer: ScriptedCapturer([]), spool: spool,
            configuration: DictationSession.Configuration(openTimeout: .seconds(3)))
        await #expect(performing: { try await session.retry(kept.id) }, throws: isRefused)
        await session.waitUntilSettled()
        #expect(probe.exitCode == nil)
        #expect(FileManager.default.fileExists(atPath: folder(kept.id)))
        probe.kill()
        _ = await probe.end()
        try await spool.discard(kept.id)
        #expect(try await spool.takes().isEmpty)
    }

    @Test func badPathsAreRefusedWithAdvice() async throws {
        for id in ["", "../x", ".", "a/b"] {
            await #expect { try await spool.discard(id) } throws: { ($0 as? DictationError)?.code == .invalidInput }
        }
        await #expect { try await spool.read("nothing") } throws: {
            ($0 as? DictationError)?.code == .fileUnreadable && ($0 as? DictationError)?.recovery != nil
        }
        await #expect { try await WaveSpool(folder: "/proc/nowhere").makeWriter() } throws: {
            ($0 as? DictationError)?.recovery != nil
        }
    }

    @Test func aDamagedJournalIsReadUpToTheDamage() async throws {
        let writer = try await spool.makeWriter()
        try await writer.append(.buffer(try tone(1_000, at: .zero)))
        let journal = folder(writer.id) + "/journal.jsonl"
        let handle = try #require(FileHandle(forWritingAtPath: journal))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("{\"segment\":{\"file\":\"2.w".utf8))
        try handle.close()
        #expect(try await spool.takes().first?.duration == .microseconds(62_500))
    }

    /// The script's own WAV reader, without any library.
    @Test(arguments: ["pcm_16", "pcm_24", "pcm_32", "float"]) func aScriptPlaysWavFiles(_ kind: String) async throws {
        let path = folder("in.wav")
        let encoding = kind == "float" ? ["-e", "float", "-b", "32"] : ["-e", "signed", "-b", String(kind.suffix(2))]
        let sox = try Child(
            "/usr/bin/sox",
            ["-n", "-r", "22050", "-c", "2"] + encoding + [path, "synth", "1", "sine", "1000", "vol", "0.5"])
        _ = try #require(await sox.end(), "install sox")
        let microphone = ScriptedCapturer([.file(path)], pacing: .onDemand)
        let heard = await Heard(try await microphone.start(CaptureOptions()))
        #expect(heard.error == nil)
        #expect(heard.frames == 22_050)
        #expect(heard.formats.map(\.channelCount) == [2])
        #expect(abs((heard.samples.max() ?? 0) - 0.5) < 0.01)
    }
}

/// An engine whose text is how many frames it was fed.
private struct CountingEngine: SpeechEngine {
    let name = "counting"
    var slowness: UInt32 = 0
    let capabilities = EngineCapabilities([.dictation])
    var supportedLocales: [SpeechLocale] { get async { ["en-US"] } }

    func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat { .speech }

    func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        try await DecoderSession.open(name, audioFormat: .speech, options: options) { [slowness] in
            Decoder(slowness: slowness)
        }
    }

    private struct Decoder: SpeechDecoder {
        let slowness: UInt32
        private var frames = 0
        private var end: Duration = .zero

        init(slowness: UInt32) { self.slowness = slowness }

        mutating func decode(_ buffer: AudioBuffer, into results: ResultSink) {
            usleep(slowness)
            frames += buffer.frameCount
            end = buffer.end
        }

        mutating func finalize(into results: ResultSink) {
            results.emit(.final(SpeechResult(range: .zero..<end, text: "\(frames)")))
        }
    }
}
