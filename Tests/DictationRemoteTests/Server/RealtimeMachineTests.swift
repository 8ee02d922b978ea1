#if Server
import DictationCore
import DictationMessages
import DictationTesting
import Foundation
import TestSupport
import Testing

@testable import DictationRemote
@testable import DictationServer

/// What the messages of a realtime client mean.
@Suite struct RealtimeMachineTests {
    private static func message(_ type: String, _ more: String = "") -> WebSocketMessage {
        .text(#"{"type":"\#(type)"\#(more)}"#)
    }

    private static let append = message("input_audio_buffer.append", #","audio":"AAAAAA==""#)
    private static let commit = message("input_audio_buffer.commit")
    private static let clear = message("input_audio_buffer.clear")
    private static func update(_ rate: Int) -> WebSocketMessage {
        message(
            "session.update", #","session":{"audio":{"input":{"format":{"type":"audio/pcm","rate":\#(rate)}}}}"#)
    }

    @Test func audioIsCommittedOnceAndSettingsPrecedeIt() throws {
        var machine = RealtimeMachine(model: nil)
        #expect(throws: ServerRefusal.self) { try machine.step(for: Self.commit) }
        guard case .change(let settings) = try machine.step(for: Self.update(16_000)) else {
            return #expect(Bool(false), "not changed")
        }
        machine.changed(to: settings)
        #expect(machine.settings.sampleRate == 16_000)
        #expect(try machine.step(for: Self.append) == .feed([0, 0, 0, 0]))
        machine.began()
        machine.opened()
        #expect(!machine.isIdle && refuses(machine, Self.update(8_000)))
        #expect(try machine.step(for: Self.commit) == .commit)
        machine.committed(at: .seconds(3))
        #expect(machine.isIdle && machine.committed == .seconds(3) && refuses(machine, Self.commit))
        #expect(refuses(machine, Self.update(8_000)), "The stream goes on.")
        machine.opened()
        machine.committed(at: .seconds(2))
        #expect(machine.committed == .seconds(5))
        #expect(try machine.step(for: Self.clear) == .clear)
        machine.cleared()
        #expect(machine.committed == .zero && !refuses(machine, Self.update(8_000)))
    }

    private func refuses(_ machine: RealtimeMachine, _ message: WebSocketMessage) -> Bool {
        do throws(ServerRefusal) { _ = try machine.step(for: message) } catch { return true }
        return false
    }

    @Test(
        arguments: [
            .binary([1]), .text("no JSON"), message("session.delete"), message("input_audio_buffer.append"),
            message("input_audio_buffer.append", #","audio":"AA==""#), update(7_999), update(192_001), update(-1),
            message("session.update", #","session":{"type":"realtime"}"#),
            message("session.update", #","session":{"audio":{"input":{"transcription":{"prompt":"x"}}}}"#),
        ] as [WebSocketMessage])
    func aFaultOfAMessageEndsNothing(_ message: WebSocketMessage) {
        do throws(ServerRefusal) {
            _ = try RealtimeMachine(model: nil).step(for: message)
            Issue.record("It was taken.")
        } catch {
            #expect(!RealtimeMachine.ends(after: error))
        }
    }

    /// Whatever a client sends: nothing is committed twice or without audio, committed audio only grows until it is thrown
    /// away, and settings hold for a whole stream.
    @Test func anyOrderKeepsThePromises() async {
        let failures = await RandomRuns.failures(of: "realtime clients") { seed in
            var random = SplitMix64(seed: seed)
            var problems: [String] = []
            for _ in 0..<40 {
                var machine = RealtimeMachine(model: nil)
                var (open, total, rate) = (Duration.zero, Duration.zero, 24_000)
                var hasStream = false
                for _ in 0..<30 {
                    let messages = [
                        Self.append, Self.append, Self.commit, Self.clear, Self.update(16_000), .text("{}"),
                    ]
                    let step = try? machine.step(for: messages.randomElement(using: &random) ?? .text(""))
                    switch step {
                    case .feed:
                        // The engine may refuse.
                        machine.began()
                        hasStream = true
                        guard Int.random(in: 0..<5, using: &random) > 0 else { break }
                        machine.opened()
                        open += .seconds(1)
                    case .commit:
                        if open == .zero { problems.append("nothing was committed") }
                        machine.committed(at: open)
                        (total, open) = (total + open, .zero)
                    case .clear:
                        machine.cleared()
                        (open, total, hasStream) = (.zero, .zero, false)
                    case .change(let settings):
                        if hasStream { problems.append("the settings of a stream changed") }
                        machine.changed(to: settings)
                        rate = 16_000
                    case .end: problems.append("an end that nobody sent")
                    case nil: break
                    }
                    if machine.committed != total { problems.append("\(machine.committed) are final, not \(total)") }
                    if machine.isIdle != (open == .zero) { problems.append("idle with \(open) of audio") }
                    if machine.settings.sampleRate != rate { problems.append("another rate") }
                }
            }
            return problems
        }
        #expect(failures.isEmpty, "\(failures)")
    }
}
#endif
