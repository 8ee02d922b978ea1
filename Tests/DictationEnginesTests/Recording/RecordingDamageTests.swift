import DictationCore
import DictationEngines
import DictationTesting
import FoundationEssentials
import Testing

@Suite struct RecordingDamageTests {
    @Test func aFileCutAnywhereIsReadUpToItsLastWholeLine() async throws {
        let (whole, text) = try await Recorded.recordingAndText()
        let bytes = Array(text.utf8)
        var lineEnds = Set(bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 })
        lineEnds.insert(bytes.count)
        let headerEnd = try #require(lineEnds.min())
        var lengths = Array(stride(from: 0, to: bytes.count, by: 9_973))
        for end in lineEnds { lengths += [end - 1, end, min(end + 1, bytes.count)] }
        var counts = Set<Int>()
        for length in lengths {
            let cut = String(decoding: bytes[..<length], as: UTF8.self)
            guard length >= headerEnd else {
                #expect(throws: DictationError.self) { try ReplayEngine.Recording(jsonLines: cut) }
                continue
            }
            let recording = try ReplayEngine.Recording(jsonLines: cut)
            #expect((recording.damage == nil) == lineEnds.contains(length))
            guard let session = recording.sessions.first else { continue }
            #expect(session.updates == Array(whole.sessions[0].updates.prefix(session.updates.count)))
            guard counts.insert(session.updates.count).inserted else { continue }
            let samples = session.audio.flatMap(\.int16Samples)
            #expect(samples == Array(Recorded.noise().flatMap(\.int16Samples).prefix(samples.count)))
            // What there is can be replayed.
            let replay = try await ReplayEngine(recording).results(of: session.audio, Recorded.options)
            #expect(replay.completion == .complete)
        }
        #expect(counts.count > 6)
    }

    @Test func anyDamageIsFoundOrHarmless() async throws {
        let (_, text) = try await Recorded.recordingAndText(seconds: 1)
        // Short lines, so that the damage hits more than audio.
        let lines = text.split(separator: "\n").map {
            $0.count > 4_000 ? String($0.prefix(2_000) + $0.suffix(2_000)) : String($0)
        }
        let original = Array(lines.joined(separator: "\n").utf8) + [UInt8(ascii: "\n")]
        var random = SplitMix64(seed: 11)
        var (refused, cutShort, whole) = (0, 0, 0)
        for _ in 0..<1_000 {
            let bytes = damaged(original, &random)
            do throws(DictationError) {
                let recording = try ReplayEngine.Recording(jsonLines: String(decoding: bytes, as: UTF8.self))
                if recording.damage == nil { whole += 1 } else { cutShort += 1 }
                guard let session = recording.sessions.first else { continue }
                let replay = ReplayEngine(recording, exactness: .lenient)
                _ = try? await replay.results(of: Array(session.audio.prefix(20)), session.options)
            } catch {
                #expect(error.code == .invalidInput && error.message.contains("line 1"))
                refused += 1
            }
        }
        #expect(refused > 3 && cutShort > 100 && whole > 3, "\(refused) \(cutShort) \(whole)")
    }

    @Test(arguments: [
        ("", "line 1: it is incomplete"),
        ("hello\n", "line 1: it is not JSON"),
        ("{\"kind\":\"audio\"}\n", "not a recording's first line"),
        ("{\"kind\":\"recording\",\"version\":2}\n", "version 2 is not supported"),
        ("{\"version\":1}\n", "line 1: it has no “kind”"),
    ])
    func whatIsNoRecordingIsRefused(text: String, reason: String) {
        #expect {
            try ReplayEngine.Recording(jsonLines: text)
        } throws: {
            ($0 as? DictationError)?.code == .invalidInput && "\($0)".contains(reason)
        }
    }

    @Test func everythingIsInTheFileWhileTheRecorderStillRuns() async throws {
        try await withTemporaryPath { path in
            try await VirtualTime.run { clock in
                let recorder = try RecordingEngine(ScriptedEngine(Recorded.script), to: path)
                let session = try await recorder.makeSession(Recorded.options)
                let pieces = Recorded.noise()
                let runtime = DictationRuntime.current
                try session.start(
                    AudioInput {
                        var left = pieces[...]
                        return { () throws(DictationError) in
                            try? await runtime.sleep(.milliseconds(100))
                            return left.popFirst()
                        }
                    })
                await clock.advance(by: .milliseconds(2_550))
                // As a process that is killed here would leave it.
                let recording = try ReplayEngine.Recording(contentsOfFile: path)
                #expect(recording.damage == nil)
                #expect(
                    recording.sessions[0].updates.compactMap(\.update.result?.text) == ["go", "go four", "go forward"])
                #expect(recording.sessions[0].duration == .milliseconds(2_500))
                #expect(!recording.sessions[0].hasWholeAudio)
                await session.cancel()
            }
        }
    }

    @Test func aDiskThatIsFullEndsTheRecordingAndNotTheRecognition() async throws {
        let recorder = try RecordingEngine(ScriptedEngine(Recorded.script), to: "/dev/full")
        let (results, completion) = try await recorder.results(of: Recorded.noise(), Recorded.options)
        #expect(completion == .complete)
        #expect(results.finalText == "go forward ten metres more")
        await expectError(.storageFull) { try await recorder.flush() }
        #expect(recorder.failure?.code == .storageFull)
        await expectError(.fileUnreadable) {
            try RecordingEngine(ScriptedEngine(Recorded.script), to: "/nonexistent/x")
        }
        await expectError(.fileUnreadable) { try ReplayEngine(contentsOfFile: "/nonexistent/x") }
    }

    @Test func theRecorderKeepsTheContractOfCancelling() async throws {
        try await withTemporaryPath { path in
            try await VirtualTime.run { clock in
                let scripted = ScriptedEngine([.stall(at: .milliseconds(500))])
                let recorder = try RecordingEngine(scripted, to: path)
                let session = try await recorder.makeSession(Recorded.options)
                try session.start(AudioInput(Recorded.noise()))
                await clock.advance(by: .seconds(1))
                await session.cancel()
                for try await _ in session.results { Issue.record("a result of a cancelled session") }
                await expectError(.cancelled) { try await session.finish() }
                let stalled = try await recorder.makeSession(Recorded.options)
                try stalled.start(AudioInput(Recorded.noise()))
                #expect(try await stalled.finish() == .incomplete)
                var dropped: (any RecognitionSession)? = try await recorder.makeSession(Recorded.options)
                #expect(dropped != nil)
                dropped = nil
                await clock.settle()
                #expect(scripted.openSessions == 0)
            }
        }
    }
}
