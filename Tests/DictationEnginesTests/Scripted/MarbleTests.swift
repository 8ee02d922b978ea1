import DictationCore
import DictationEngines
import DictationTesting
import Testing

@Suite struct MarbleTests {
    @Test(
        arguments: [
            ("", []),
            ("---", []),
            ("-(go)", [.volatile("go", at: .milliseconds(100))]),
            ("--( go  for )-", [.volatile("go  for", at: .milliseconds(200))]),
            (
                "1s(go)500ms [go forward]",
                [.volatile("go", at: .seconds(1)), .final("go forward", at: .milliseconds(1_500))]
            ),
            ("1.25s[]", [.final("", at: .milliseconds(1_250))]),
            (
                "-[go / no / \\/\\]\\\\]",
                [.final("go", at: .milliseconds(100), alternatives: [.init("no"), .init("/]\\")])]
            ),
            ("-(go){finalize}", [.volatile("go", at: .milliseconds(100)), .finalize(at: .milliseconds(100))]),
            ("-(go)-{revoke}", [.volatile("go", at: .milliseconds(100)), .revoke(at: .milliseconds(200))]),
            ("-[go]{turn}", [.final("go", at: .milliseconds(100)), .turnEnd(at: .milliseconds(100))]),
            (
                "-{stall}{ stall 2s }",
                [.stall(at: .milliseconds(100)), .stall(at: .milliseconds(100), for: .seconds(2))]
            ),
            ("{start 3s}{finish never}", [.slowStart(.seconds(3)), .neverFinishes()]),
            ("{finish 3s}", [.slowFinish(.seconds(3))]),
            ("-(go)|[go forward]", [.volatile("go", at: .milliseconds(100)), .final("go forward")]),
            ("-[go]-{repeat}", [.final("go", at: .milliseconds(100)), .repeats(every: .milliseconds(200))]),
            (
                "-{error engineFailed It broke.}",
                [.error(DictationError(.engineFailed, "It broke."), at: .milliseconds(100))]
            ),
            ("{start fails deviceUnavailable Busy}", [.failingStart(DictationError(.deviceUnavailable, "Busy"))]),
            ("-(größer als 10:30 — ok 🎤)", [.volatile("größer als 10:30 — ok 🎤", at: .milliseconds(100))]),
        ] as [(String, ScriptedEngine.Script)])
    func marblesMeanWhatTheDocumentationSays(marbles: String, script: ScriptedEngine.Script) throws {
        #expect(try ScriptedEngine.Script(marbles: marbles) == script)
    }

    @Test func theTickCanBeSet() throws {
        #expect(try ScriptedEngine.Script(marbles: "--[go]", tick: .seconds(1)) == [.final("go", at: .seconds(2))])
        #expect(throws: DictationError.self) { try ScriptedEngine.Script(marbles: "-", tick: .zero) }
    }

    @Test(arguments: [
        ("--?", 3, "“?” means nothing"),
        ("(go)", 1, "no audio yet"),
        ("--[go", 3, "not closed by “]”"),
        ("--(go\\", 3, "not closed"),
        ("--()", 3, "write {revoke}"),
        ("1m", 1, "ends in “s” or “ms”"),
        ("1.2.3s", 1, "not a number"),
        ("99999999999999999999s", 1, "not a number"),
        ("1000000000s-", 12, "too long"),
        ("-{finalise}", 3, "no “finalise”"),
        ("-{stall 2s", 11, "needs a “}” here"),
        ("-{stall soon}", 9, "ends in “s” or “ms”"),
        ("-|-", 3, "after the end"),
        ("-||", 3, "already an end"),
        ("-|{stall}", 4, "after the end"),
        ("{start}", 7, "ends in “s” or “ms”"),
        ("🎤", 1, "means nothing"),
    ])
    func whatCannotBeReadIsPointedAt(marbles: String, column: Int, reason: String) {
        #expect {
            try ScriptedEngine.Script(marbles: marbles)
        } throws: { error in
            guard let error = error as? DictationError, error.code == .invalidInput else { return false }
            let before = marbles.prefix(column - 1).suffix(40)
            let after = marbles.dropFirst(column - 1).prefix(20)
            return error.message.contains("column \(column), “\(before)→\(after)”: ") && error.message.contains(reason)
        }
    }

    @Test func anyScriptCanBePlayed() async throws {
        var random = SplitMix64(seed: 7)
        for round in 0..<300 {
            let marbles = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                ["-", "(go)", "(go for)", "[go]", "[]", "{revoke}", "{finalize}", "{stall 1s}", "250ms", "333ms"]
                    .randomElement(using: &random) ?? "-"
            }.joined()
            let script = try ScriptedEngine.Script(marbles: "-" + marbles)
            let piece = Duration.milliseconds(Int.random(in: 1...500, using: &random))
            let texts = try await VirtualTime.run { _ in
                let whole = try await ScriptedEngine(script).results(of: silence(.seconds(2), cutInto: .seconds(2)))
                let cut = try await ScriptedEngine(script).results(of: silence(.seconds(2), cutInto: piece))
                return [whole, cut].map { $0.results.finals }
            }
            #expect(texts[0] == texts[1], "round \(round): \(marbles) cut into \(piece)")
        }
    }
}
