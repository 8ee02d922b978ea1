import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import TestSupport
import Testing

/// Many sessions at once, with the system's clock and threads.
@Suite struct HostileClockTests {
    @Test(arguments: 0..<3) func manySessionsAtOnceUnderLoadKeepThePromises(_: Int) async {
        await withTaskGroup(of: [String].self) { group in
            for number in 0..<24 {
                group.addTask {
                    let engine = ScriptedEngine([.final("x", at: .milliseconds(100))])
                    let microphone = ScriptedCapturer(
                        [.tone(440, for: .seconds(60))], bufferDuration: .milliseconds(10))
                    let spool = HostileSpool()
                    let session = DictationSession(
                        engine: engine, capturer: microphone, spool: spool,
                        configuration: shortLimits {
                            $0.stopTimeout = .seconds(30); $0.recognition.finalizationTimeout = .seconds(30);
                            $0.openTimeout = .seconds(30); $0.warmUpTimeout = .seconds(30)
                        })
                    let witness = Witness(session)
                    var problems: [String] = []
                    for take in 0..<3 {
                        do { try await session.start() } catch { problems.append("\(error)") }
                        // A take's time is the length of its audio.
                        _ = await eventually { session.elapsed >= .milliseconds(150) }
                        if (number + take) % 4 == 0 { await session.pause(); try? await session.resume() }
                        if (number + take) % 5 == 0 {
                            await session.cancel()
                        } else {
                            let text = await session.stop()
                            if text.text != "x" { problems.append("\(text)") }
                        }
                    }
                    await session.waitUntilSettled()
                    let isOver = await eventually {
                        witness.ended.count + witness.cancelled.count == 3 && engine.openSessions == 0
                            && spool.openWriters.value == 0
                    }
                    if !isOver {
                        problems.append(
                            "not over: \(witness.ended.count), \(witness.cancelled.count), \(engine.openSessions), \(spool.openWriters.value)"
                        )
                    }
                    _ = await eventually { witness.problems.isEmpty }
                    return problems + witness.problems
                }
            }
            for await problems in group { #expect(problems == []) }
        }
    }

    @Test func callsFromManyThreadsAtOnceEnd() async {
        let engine = ScriptedEngine()
        let session = DictationSession(
            engine: engine,
            capturer: ScriptedCapturer([.tone(440, for: .seconds(60))], bufferDuration: .milliseconds(10)),
            spool: HostileSpool(), configuration: shortLimits())
        let witness = Witness(session)
        await withTaskGroup { group in
            for number in 0..<8 {
                group.addTask {
                    var random = SplitMix64(seed: UInt64(number))
                    for _ in 0..<60 {
                        let call = HostileSessionTests.Call.allCases.randomElement(using: &random) ?? .stop
                        if call == .retry || call == .settled { continue }
                        await call.make(on: session)
                    }
                }
            }
        }
        _ = await session.stop()
        await session.waitUntilSettled()
        #expect(await eventually { witness.problems.isEmpty && engine.openSessions == 0 })
        #expect(witness.problems == [])
    }
}
