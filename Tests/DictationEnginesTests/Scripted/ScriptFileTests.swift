import DictationCore
import DictationEngines
import DictationTesting
import FoundationEssentials
import Testing

private let whole = """
    {
      "version": 1,
      "steps": [
        { "slowStart": 0.5 },
        { "at": 1, "volatile": "go" },
        { "at": 1.25, "from": 0.5, "volatile": "f\\u00fcnf \\ud83c\\udfa4" },
        { "at": 1.5, "revoke": true },
        {
          "at": 2, "final": "go forward",
          "words": [{ "text": "go", "from": 0.25, "to": 0.5, "confidence": 0.9 }, { "text": "forward" }],
          "alternatives": [{ "text": "go four word", "confidence": 0.2 }, { "text": "no" }]
        },
        { "at": 3, "stall": 2 },
        { "at": 3, "stall": "forever" },
        { "at": 3.5, "finalize": true },
        { "at": 4, "error": { "code": "engineFailed", "message": "It broke.", "recovery": "Mend it." } },
        { "final": "the rest" },
        { "failingStart": { "code": "deviceUnavailable", "message": "Busy." } },
        { "slowFinish": 3 },
        { "slowFinish": "never" },
        { "repeats": 5 }
      ]
    }
    """

@Suite struct ScriptFileTests {
    @Test func everyStepCanBeWritten() throws {
        let expected: ScriptedEngine.Script = [
            .slowStart(.milliseconds(500)),
            .volatile("go", at: .seconds(1)),
            .volatile("fünf 🎤", from: .milliseconds(500), at: .milliseconds(1_250)),
            .revoke(at: .milliseconds(1_500)),
            .final(
                "go forward", at: .seconds(2),
                words: [
                    .init("go", range: .milliseconds(250)..<Duration.milliseconds(500), confidence: 0.9),
                    .init("forward"),
                ],
                alternatives: [.init("go four word", confidence: 0.2), .init("no")]),
            .stall(at: .seconds(3), for: .seconds(2)),
            .stall(at: .seconds(3)),
            .finalize(at: .milliseconds(3_500)),
            .error(DictationError(.engineFailed, "It broke.", recovery: "Mend it."), at: .seconds(4)),
            .final("the rest"),
            .failingStart(DictationError(.deviceUnavailable, "Busy.")),
            .slowFinish(.seconds(3)),
            .neverFinishes(),
            .repeats(every: .seconds(5)),
        ]
        #expect(try ScriptedEngine.Script(json: whole) == expected)
    }

    @Test func aFileIsLoaded() throws {
        let path = FileManager.default.temporaryDirectory.appending(
            path: "script-\(UInt64.random(in: 0 ... .max)).json"
        ).path
        try Data(whole.utf8).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(try ScriptedEngine.Script(contentsOfFile: path) == ScriptedEngine.Script(json: whole))
        #expect {
            try ScriptedEngine.Script(contentsOfFile: path + ".missing")
        } throws: {
            ($0 as? DictationError)?.code == .fileUnreadable && "\($0)".contains(path)
        }
    }

    @Test(arguments: [
        ("", 1, "a value is missing"),
        ("{\n\"version\": 1,\n\"steps\": [", 3, "a value is missing"),
        ("{\n\"version\": 2,\n\"steps\": []}", 2, "version 2 is not supported"),
        ("{\"version\": 1}", 1, "no “steps”"),
        ("{\"version\": 1,\n\"steps\": {}}", 2, "should be a list"),
        ("{\"version\": 1,\n\"version\": 1}", 2, "twice"),
        ("{\"version\": 1, \"steps\": [], \n\"title\": \"x\"}", 2, "unknown member “title”"),
        ("[]", 1, "should be an object"),
        ("{} {}", 1, "nothing may follow"),
        (steps("{\"at\": 1}"), 2, "step 1 should have one of"),
        (steps("{\"at\": 1, \"final\": \"a\", \"volatile\": \"b\"}"), 2, "volatile and final"),
        (
            steps("{\"at\": 1, \"final\": \"a\"},\n{\"at\": \"x\", \"final\": \"a\"}"), 3,
            "step 2 has \"x\" instead of seconds"
        ),
        (steps("{\"at\": -1, \"final\": \"a\"}"), 2, "-1 instead of seconds"),
        (steps("{\"at\": 1e9, \"final\": \"a\"}"), 2, "1e9 instead of seconds"),
        (steps("{\"at\": 9999999999, \"final\": \"a\"}"), 2, "longer than"),
        (steps("{\"at\": 1, \"final\": \"a\", \"form\": 2}"), 2, "unknown member “form”"),
        (steps("{\"at\": 1, \"final\": 7}"), 2, "instead of a text"),
        (steps("{\"at\": 1, \"revoke\": false}"), 2, "instead of true"),
        (steps("{\"finalize\": true}"), 2, "needs a time “at”"),
        (steps("{\"at\": 1, \"slowStart\": 1}"), 2, "can't have a time “at”"),
        (steps("{\"at\": 1, \"stall\": \"never\"}"), 2, "may say \"forever\""),
        (steps("{\"at\": 1, \"error\": {\"code\": \"x\"}}"), 2, "no “message”"),
        (
            steps("{\"at\": 1, \"final\": \"a\", \"words\": [{\"text\": \"a\", \"from\": 1}]}"), 2,
            "“from” and a later “to”"
        ),
        (
            steps("{\"at\": 1, \"final\": \"a\", \"alternatives\": [{\"text\": \"a\", \"confidence\": 2}]}"), 2,
            "from 0 to 1"
        ),
        (steps("{\"at\": 1, \"final\": \"a\nb\"}"), 2, "no closing quote"),
        (steps("{\"at\": 1, \"final\": \"\\ud800\"}"), 2, "half a character"),
        (steps("{\"at\": 1, \"final\": \"\\q\"}"), 2, "has no meaning"),
        (String(repeating: "[", count: 100_000), 1, "too deep"),
    ])
    func whatCannotBeUsedNamesItsLine(json: String, line: Int, reason: String) {
        #expect {
            try ScriptedEngine.Script(json: json)
        } throws: { error in
            guard let error = error as? DictationError, error.code == .invalidInput else { return false }
            return error.message.contains("line \(line):") && error.message.contains(reason)
        }
    }
}

private func steps(_ text: String) -> String { "{\"version\": 1, \"steps\": [\n\(text)\n]}" }
