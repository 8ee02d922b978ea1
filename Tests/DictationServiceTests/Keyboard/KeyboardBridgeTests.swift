import DictationCore
import Testing

@testable import DictationService

/// A bridge, and the answers that a keyboard and a service would give.
private struct Desk {
    var bridge = KeyboardBridge()
    var fields: [String: String] = [:]
    var preview = ""
    var notice: KeyboardBridge.Notice?
    var asked: [KeyboardBridge.Action] = []
    /// Whether each text is written at once.
    var writes = true

    mutating func send(_ event: KeyboardBridge.Event) {
        for action in bridge.handle(event) {
            switch action {
            case .write(let text, let field, let number):
                asked.append(action)
                guard writes else { continue }
                fields[field, default: ""] += text
                send(.written(number))
            case .preview(let text): preview = text
            case .tell(let notice): self.notice = notice
            default: asked.append(action)
            }
        }
    }

    mutating func focus(_ id: String?, secret: KeyboardField.Secret? = nil) {
        send(.focused(id.map { KeyboardField(id: $0, secret: secret) }))
    }

    mutating func show(_ take: Int, _ stable: String, _ volatile: String, _ state: ServiceStatus.State = .recording) {
        var status = ServiceStatus(engine: "test")
        (status.state, status.take) = (state, TakeID(number: take))
        (status.stableText, status.volatileText) = (stable, volatile)
        send(.status(status))
    }

    /// Begins a take in the focused field.
    mutating func begin(_ take: Int) -> Int {
        send(.pressed)
        guard case .begin(let request) = asked.last else { return 0 }
        send(.began(request, TakeID(number: take)))
        return request
    }

    mutating func end(_ request: Int, _ take: Int, _ text: String) {
        send(.released)
        send(.ended(request, .text(Self.text(take, text))))
    }

    static func text(_ take: Int, _ text: String) -> DictatedText {
        let segment = SpeechResult(range: .zero..<Duration.seconds(1), text: text)
        return DictatedText(
            take: TakeID(number: take),
            transcript: Transcript(segments: text.isEmpty ? [] : [segment], duration: .seconds(1), locale: "en-US"))
    }
}

@Suite struct KeyboardBridgeTests {
    @Test func volatileTextIsShownAndFinalTextIsWritten() {
        var desk = Desk()
        desk.focus("a")
        let request = desk.begin(1)
        desk.show(1, "", "good mor")
        #expect(desk.preview == "good mor" && desk.fields["a"] == nil)
        desk.show(1, "good morning", "every")
        #expect(desk.preview == " every" && desk.fields["a"] == "good morning")
        desk.end(request, 1, "good morning everybody")
        #expect(desk.preview == "" && desk.fields["a"] == "good morning everybody")
        #expect(desk.notice == nil && desk.bridge.waitingText.isEmpty && !desk.bridge.isRecording)
    }

    @Test func aLineBreakBeginsALineOnlyWhereThereAreLines() {
        var desk = Desk()
        desk.send(.focused(KeyboardField(id: "letter")))
        desk.end(desk.begin(1), 1, "one\u{1B}[2J\0\r\n\ntwo\t three")
        #expect(desk.fields["letter"] == "one[2J\n\ntwo  three")
        desk.send(.focused(KeyboardField(id: "terminal", isProse: false, takesLines: false)))
        desk.end(desk.begin(2), 2, "ls\n\nrm\n")
        #expect(desk.fields["terminal"] == "ls rm ")
        #expect(desk.bridge.waitingText.isEmpty)
    }

    @Test func whatIsSaidAfterTheFocusMovedWaitsAndIsShown() {
        var desk = Desk()
        desk.focus("a")
        let request = desk.begin(1)
        desk.show(1, "one", "two")
        desk.focus("b")
        #expect(desk.preview == "" && desk.notice == .waiting("two"))
        desk.show(1, "one two", "three")
        #expect(desk.notice == .waiting(" two three"))
        desk.end(request, 1, "one two three")
        #expect(desk.fields == ["a": "one"])
        // A take in the other field is not kept back by it.
        let other = desk.begin(2)
        desk.end(other, 2, "four")
        #expect(desk.fields == ["a": "one", "b": "four"])
        desk.focus("a")
        #expect(desk.fields == ["a": "one two three", "b": "four"] && desk.notice == nil)
    }

    @Test func aTextThatMissedItsFieldIsWrittenWhenTheFocusReturns() {
        var desk = Desk()
        desk.writes = false
        desk.focus("a")
        let request = desk.begin(1)
        desk.show(1, "one", "")
        guard case .write("one", into: "a", let number) = desk.asked.last else {
            Issue.record("Nothing was written: \(desk.asked)")
            return
        }
        // More text waits until it is known what became of the first.
        desk.show(1, "one two", "")
        #expect(desk.asked.last == .write("one", into: "a", number: number))
        desk.send(.missed(number))
        desk.send(.missed(number))
        desk.send(.written(number))
        // The field is not asked again and again.
        #expect(desk.asked.last == .write("one", into: "a", number: number))
        desk.focus("b")
        desk.writes = true
        desk.end(request, 1, "one two")
        #expect(desk.fields.isEmpty)
        desk.focus("a")
        #expect(desk.fields == ["a": "one two"])
    }

    @Test(arguments: KeyboardField.Secret.allCases)
    func aSecretFieldGetsNothing(_ secret: KeyboardField.Secret) {
        var desk = Desk()
        desk.focus("a", secret: secret)
        desk.send(.pressed)
        #expect(desk.asked.isEmpty && desk.notice == .refused(secret))
        desk.send(.toggled)
        desk.send(.insert(.init("text", number: 7)))
        #expect(desk.asked == [.inserted(number: 7, .refused(secret))])
        // Nor does a field that becomes secret.
        desk.focus("b")
        #expect(desk.notice == nil)
        let request = desk.begin(1)
        desk.show(1, "", "my")
        desk.focus("b", secret: secret)
        #expect(desk.preview == "")
        desk.end(request, 1, "my secret")
        #expect(desk.fields.isEmpty && desk.bridge.waitingText == "my secret")
        desk.focus("b")
        #expect(desk.fields == ["b": "my secret"])
    }

    @Test func withoutAFieldNothingBegins() {
        var desk = Desk()
        desk.send(.pressed)
        desk.send(.released)
        desk.send(.insert(.init("text", number: 1)))
        #expect(desk.asked == [.inserted(number: 1, .noField)])
    }

    @Test func aKeyThatIsReleasedEarlyEndsTheTakeOnceItHasBegun() {
        var desk = Desk()
        desk.focus("a")
        desk.send(.pressed)
        // A key that is held repeats.
        desk.send(.pressed)
        desk.send(.released)
        desk.send(.released)
        #expect(desk.asked == [.begin(1)])
        desk.send(.began(1, TakeID(number: 1)))
        #expect(desk.asked == [.begin(1), .end(1)])
    }

    @Test func aCancelledTakeLeavesWhatIsInTheField() {
        var desk = Desk()
        desk.focus("a")
        let request = desk.begin(1)
        desk.show(1, "one", "two")
        desk.send(.cancelled)
        #expect(desk.asked.last == .cancel(request) && desk.preview == "")
        desk.show(1, "one two", "three")
        desk.send(.ended(request, .text(Desk.text(1, "one two three"))))
        #expect(desk.fields == ["a": "one"] && desk.notice == nil)
        desk.send(.cancelled)
        #expect(desk.asked.last == .cancel(request))
    }

    @Test func aTakeThatFailsKeepsItsFinalTextAndSaysWhy() {
        var desk = Desk()
        desk.focus("a")
        let request = desk.begin(1)
        desk.show(1, "one", "two")
        let error = DictationError(.notRunning, "The service has ended.")
        desk.send(.failed(request, error))
        #expect(desk.fields == ["a": "one"] && desk.notice == .failed(error) && desk.preview == "")
        _ = desk.begin(2)
        #expect(desk.notice == nil)
    }

    @Test func aTakeThatEndsByItselfIsAskedForItsText() {
        var desk = Desk()
        desk.focus("a")
        let request = desk.begin(1)
        desk.show(1, "one", "two", .finalizing)
        desk.show(1, "one two", "", .idle)
        #expect(desk.asked.filter { $0 == .end(request) }.count == 1)
        desk.send(.ended(request, .text(Desk.text(1, "one two"))))
        desk.send(.released)
        #expect(desk.fields == ["a": "one two"])
    }

    @Test func theTextOfAnotherCallerIsNotWrittenTwice() {
        var desk = Desk()
        desk.focus("a")
        let request = desk.begin(1)
        desk.show(1, "one", "two")
        desk.send(.released)
        desk.send(.ended(request, .endedByAnother(TakeID(number: 1))))
        #expect(desk.fields == ["a": "one"] && desk.notice == .endedByAnother)
    }

    @Test func aTakeThatIsWrittenAgainDifferentlyIsNotDoubled() {
        var desk = Desk()
        desk.focus("a")
        let request = desk.begin(1)
        desk.show(1, "one", "")
        desk.end(request, 1, "won, too")
        #expect(desk.fields == ["a": "one"] && desk.notice == .rewritten && desk.bridge.waitingText.isEmpty)
    }

    @Test func theNextTakeMayBeginWhileTheLastBecomesText() {
        var desk = Desk()
        desk.focus("a")
        let first = desk.begin(1)
        desk.show(1, "one", "two")
        desk.send(.released)
        let second = desk.begin(2)
        desk.show(2, "three", "four")
        // Its text has its place after the first take's.
        #expect(desk.fields == ["a": "one"] && second != first)
        desk.send(.ended(first, .text(Desk.text(1, "one two"))))
        #expect(desk.fields == ["a": "one two three"])
        desk.end(second, 2, "three four")
        #expect(desk.bridge.waitingText.isEmpty)
    }

    @Test func theServiceMayDeliverTheTextOfATakeHere() {
        var desk = Desk()
        desk.focus("a")
        let request = desk.begin(1)
        desk.show(1, "one", "two")
        desk.send(.released)
        desk.send(.insert(.init("one two", number: 5, take: TakeID(number: 1))))
        #expect(desk.fields == ["a": "one two"] && desk.asked.last == .inserted(number: 5, .written))
        desk.send(.ended(request, .text(Desk.text(1, "one two"))))
        #expect(desk.fields == ["a": "one two"] && desk.bridge.waitingText.isEmpty)
        // A field without the focus gets nothing, and who delivers looks for another place.
        let next = desk.begin(2)
        desk.show(2, "three", "")
        desk.send(.released)
        desk.focus("b")
        desk.send(.insert(.init("three four", number: 6, take: TakeID(number: 2))))
        #expect(desk.asked.last == .inserted(number: 6, .moved))
        var text = Desk.text(2, "three four")
        text.delivery = TextDelivery(take: text.take, attempts: [.init("clipboard", .delivered)])
        desk.send(.ended(next, .text(text)))
        #expect(desk.bridge.waitingText.isEmpty)
        desk.focus("a")
        #expect(desk.fields == ["a": "one two three"])
    }

    @Test func theTextOfAnotherTakeGoesToItsFieldOrNowhere() {
        var desk = Desk()
        desk.focus("a")
        desk.send(.show("some", in: "a"))
        #expect(desk.preview == "some")
        desk.send(.insert(.init("some text", number: 1, take: TakeID(number: 9), field: "a")))
        desk.send(.show("", in: "a"))
        #expect(
            desk.fields == ["a": "some text"] && desk.asked.last == .inserted(number: 1, .written) && desk.preview == ""
        )
        desk.send(.insert(.init("more", number: 2, field: "b")))
        #expect(desk.asked.last == .inserted(number: 2, .moved))
        desk.writes = false
        desk.send(.insert(.init("more", number: 3)))
        desk.send(.insert(.init("and more", number: 4)))
        desk.focus("b")
        #expect(desk.asked.last == .inserted(number: 4, .moved))
        #expect(desk.fields == ["a": "some text"])
    }

    @Test func spacesAndCapitalsFitToTheTextBefore() {
        let cases: [(before: String?, piece: String, expected: String)] = [
            (nil, "the rest", "the rest"), ("", "the rest", "The rest"), ("Done. ", "the rest", "The rest"),
            ("Done.", "the rest", " The rest"), ("Done.\n", "the rest", "The rest"),
            ("He said “Yes.”", "then", " Then"),
            ("I saw", "The rest", " the rest"), ("I saw ", "The rest", "the rest"), ("I saw", "Peter", " Peter"),
            ("I saw (", "The rest", "the rest"), ("I saw", ", and", ", and"), ("I saw", "NASA", " NASA"),
            ("He said \"", "Peter", "Peter"), ("He said \"yes\"", "Peter", " Peter"), ("I saw", "I", " I"),
            ("", "", ""),
            ("I saw", "It’s late", " it’s late"), ("Thanks,", "That works", " that works"),
        ]
        for (before, piece, expected) in cases {
            let fitted = FieldText.fitted(piece, after: before, hasCapitals: true, locale: "en-US")
            #expect(fitted == expected, "“\(before ?? "–")” and “\(piece)”")
        }
        #expect(FieldText.fitted("Das Haus", after: "Ich sah", hasCapitals: true, locale: "de-DE") == " Das Haus")
        #expect(FieldText.fitted("世界", after: "你好", hasCapitals: true, locale: "zh-CN") == "世界")
        #expect(FieldText.fitted("ls", after: "$ ", hasCapitals: false, locale: "en-US") == "ls")
    }

    @Test func aTakeContinuesTheTextOfItsField() {
        var desk = Desk()
        desk.focus("a")
        desk.send(.textBefore("I saw"))
        let request = desk.begin(1)
        desk.show(1, "", "The")
        #expect(desk.preview == " the")
        desk.show(1, "The house", "and")
        #expect(desk.preview == " and")
        desk.end(request, 1, "The house and Peter.")
        #expect(desk.fields == ["a": " the house and Peter."])
        let next = desk.begin(2)
        desk.end(next, 2, "then I left")
        #expect(desk.fields == ["a": " the house and Peter. Then I left"])
    }
}
