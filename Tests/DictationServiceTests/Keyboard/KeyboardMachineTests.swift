import DictationCore
import Testing

@testable import DictationDesktop
@testable import DictationService

/// A machine, and the answers that a keyboard and a service would give.
private struct Screen {
    var machine = KeyboardMachine()
    var fields: [String: String] = [:]
    var preview = ""
    var notice: KeyboardMachine.Notice?
    var asked: [KeyboardMachine.Action] = []
    /// Whether each text is written at once.
    var writes = true

    mutating func send(_ event: KeyboardMachine.Event) {
        for action in machine.handle(event) {
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
        (status.finalText, status.changingText) = (stable, volatile)
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

@Suite struct KeyboardMachineTests {
    @Test func volatileTextIsShownAndFinalTextIsWritten() {
        var screen = Screen()
        screen.focus("a")
        let request = screen.begin(1)
        screen.show(1, "", "good mor")
        #expect(screen.preview == "good mor" && screen.fields["a"] == nil)
        screen.show(1, "good morning", "every")
        #expect(screen.preview == " every" && screen.fields["a"] == "good morning")
        screen.end(request, 1, "good morning everybody")
        #expect(screen.preview == "" && screen.fields["a"] == "good morning everybody")
        #expect(screen.notice == nil && screen.machine.waitingText.isEmpty && !screen.machine.isRecording)
    }

    @Test func aLineBreakBeginsALineOnlyWhereThereAreLines() {
        var screen = Screen()
        screen.send(.focused(KeyboardField(id: "letter")))
        screen.end(screen.begin(1), 1, "one\u{1B}[2J\0\r\n\ntwo\t three")
        #expect(screen.fields["letter"] == "one[2J\n\ntwo  three")
        screen.send(.focused(KeyboardField(id: "terminal", isProse: false, takesLines: false)))
        screen.end(screen.begin(2), 2, "ls\n\nrm\n")
        #expect(screen.fields["terminal"] == "ls rm ")
        #expect(screen.machine.waitingText.isEmpty)
    }

    @Test func whatIsSaidAfterTheFocusMovedWaitsAndIsShown() {
        var screen = Screen()
        screen.focus("a")
        let request = screen.begin(1)
        screen.show(1, "one", "two")
        screen.focus("b")
        #expect(screen.preview == "" && screen.notice == .waiting("two"))
        screen.show(1, "one two", "three")
        #expect(screen.notice == .waiting(" two three"))
        screen.end(request, 1, "one two three")
        #expect(screen.fields == ["a": "one"])
        // A take in the other field is not kept back by it.
        let other = screen.begin(2)
        screen.end(other, 2, "four")
        #expect(screen.fields == ["a": "one", "b": "four"])
        screen.focus("a")
        #expect(screen.fields == ["a": "one two three", "b": "four"] && screen.notice == nil)
    }

    @Test func aTextThatMissedItsFieldIsWrittenWhenTheFocusReturns() {
        var screen = Screen()
        screen.writes = false
        screen.focus("a")
        let request = screen.begin(1)
        screen.show(1, "one", "")
        guard case .write("one", into: "a", let number) = screen.asked.last else {
            Issue.record("Nothing was written: \(screen.asked)")
            return
        }
        // More text waits until it is known what became of the first.
        screen.show(1, "one two", "")
        #expect(screen.asked.last == .write("one", into: "a", number: number))
        screen.send(.missed(number))
        screen.send(.missed(number))
        screen.send(.written(number))
        // The field is not asked again and again.
        #expect(screen.asked.last == .write("one", into: "a", number: number))
        screen.focus("b")
        screen.writes = true
        screen.end(request, 1, "one two")
        #expect(screen.fields.isEmpty)
        screen.focus("a")
        #expect(screen.fields == ["a": "one two"])
    }

    @Test(arguments: KeyboardField.Secret.allCases)
    func aSecretFieldGetsNothing(_ secret: KeyboardField.Secret) {
        var screen = Screen()
        screen.focus("a", secret: secret)
        screen.send(.pressed)
        #expect(screen.asked.isEmpty && screen.notice == .refused(secret))
        screen.send(.toggled)
        screen.send(.insert(.init("text", number: 7)))
        #expect(screen.asked == [.inserted(number: 7, .refused(secret))])
        // Nor does a field that becomes secret.
        screen.focus("b")
        #expect(screen.notice == nil)
        let request = screen.begin(1)
        screen.show(1, "", "my")
        screen.focus("b", secret: secret)
        #expect(screen.preview == "")
        screen.end(request, 1, "my secret")
        #expect(screen.fields.isEmpty && screen.machine.waitingText == "my secret")
        screen.focus("b")
        #expect(screen.fields == ["b": "my secret"])
    }

    @Test func withoutAFieldNothingBegins() {
        var screen = Screen()
        screen.send(.pressed)
        screen.send(.released)
        screen.send(.insert(.init("text", number: 1)))
        #expect(screen.asked == [.inserted(number: 1, .noField)])
    }

    @Test func aKeyThatIsReleasedEarlyEndsTheTakeOnceItHasBegun() {
        var screen = Screen()
        screen.focus("a")
        screen.send(.pressed)
        // A key that is held repeats.
        screen.send(.pressed)
        screen.send(.released)
        screen.send(.released)
        #expect(screen.asked == [.begin(1)])
        screen.send(.began(1, TakeID(number: 1)))
        #expect(screen.asked == [.begin(1), .end(1)])
    }

    @Test func aCancelledTakeLeavesWhatIsInTheField() {
        var screen = Screen()
        screen.focus("a")
        let request = screen.begin(1)
        screen.show(1, "one", "two")
        screen.send(.cancelled)
        #expect(screen.asked.last == .cancel(request) && screen.preview == "")
        screen.show(1, "one two", "three")
        screen.send(.ended(request, .text(Screen.text(1, "one two three"))))
        #expect(screen.fields == ["a": "one"] && screen.notice == nil)
        screen.send(.cancelled)
        #expect(screen.asked.last == .cancel(request))
    }

    @Test func aTakeThatFailsKeepsItsFinalTextAndSaysWhy() {
        var screen = Screen()
        screen.focus("a")
        let request = screen.begin(1)
        screen.show(1, "one", "two")
        let error = DictationError(.notRunning, "The service has ended.")
        screen.send(.failed(request, error))
        #expect(screen.fields == ["a": "one"] && screen.notice == .failed(error) && screen.preview == "")
        _ = screen.begin(2)
        #expect(screen.notice == nil)
    }

    @Test func aTakeThatEndsByItselfIsAskedForItsText() {
        var screen = Screen()
        screen.focus("a")
        let request = screen.begin(1)
        screen.show(1, "one", "two", .finalizing)
        screen.show(1, "one two", "", .idle)
        #expect(screen.asked.filter { $0 == .end(request) }.count == 1)
        screen.send(.ended(request, .text(Screen.text(1, "one two"))))
        screen.send(.released)
        #expect(screen.fields == ["a": "one two"])
    }

    @Test func theTextOfAnotherCallerIsNotWrittenTwice() {
        var screen = Screen()
        screen.focus("a")
        let request = screen.begin(1)
        screen.show(1, "one", "two")
        screen.send(.released)
        screen.send(.ended(request, .endedByAnother(TakeID(number: 1))))
        #expect(screen.fields == ["a": "one"] && screen.notice == .endedByAnother)
    }

    @Test func aTakeThatIsWrittenAgainDifferentlyIsNotDoubled() {
        var screen = Screen()
        screen.focus("a")
        let request = screen.begin(1)
        screen.show(1, "one", "")
        screen.end(request, 1, "won, too")
        #expect(screen.fields == ["a": "one"] && screen.notice == .rewritten && screen.machine.waitingText.isEmpty)
    }

    @Test func theNextTakeMayBeginWhileTheLastBecomesText() {
        var screen = Screen()
        screen.focus("a")
        let first = screen.begin(1)
        screen.show(1, "one", "two")
        screen.send(.released)
        let second = screen.begin(2)
        screen.show(2, "three", "four")
        // Its text has its place after the first take's.
        #expect(screen.fields == ["a": "one"] && second != first)
        screen.send(.ended(first, .text(Screen.text(1, "one two"))))
        #expect(screen.fields == ["a": "one two three"])
        screen.end(second, 2, "three four")
        #expect(screen.machine.waitingText.isEmpty)
    }

    @Test func theServiceMayDeliverTheTextOfATakeHere() {
        var screen = Screen()
        screen.focus("a")
        let request = screen.begin(1)
        screen.show(1, "one", "two")
        screen.send(.released)
        screen.send(.insert(.init("one two", number: 5, take: TakeID(number: 1))))
        #expect(screen.fields == ["a": "one two"] && screen.asked.last == .inserted(number: 5, .written))
        screen.send(.ended(request, .text(Screen.text(1, "one two"))))
        #expect(screen.fields == ["a": "one two"] && screen.machine.waitingText.isEmpty)
        // A field without the focus gets nothing, and who delivers looks for another place.
        let next = screen.begin(2)
        screen.show(2, "three", "")
        screen.send(.released)
        screen.focus("b")
        screen.send(.insert(.init("three four", number: 6, take: TakeID(number: 2))))
        #expect(screen.asked.last == .inserted(number: 6, .moved))
        var text = Screen.text(2, "three four")
        text.delivery = TextDelivery(take: text.take, attempts: [.init("clipboard", .delivered)])
        screen.send(.ended(next, .text(text)))
        #expect(screen.machine.waitingText.isEmpty)
        screen.focus("a")
        #expect(screen.fields == ["a": "one two three"])
    }

    @Test func theTextOfAnotherTakeGoesToItsFieldOrNowhere() {
        var screen = Screen()
        screen.focus("a")
        screen.send(.show("some", in: "a"))
        #expect(screen.preview == "some")
        screen.send(.insert(.init("some text", number: 1, take: TakeID(number: 9), field: "a")))
        screen.send(.show("", in: "a"))
        #expect(
            screen.fields == ["a": "some text"] && screen.asked.last == .inserted(number: 1, .written)
                && screen.preview == ""
        )
        screen.send(.insert(.init("more", number: 2, field: "b")))
        #expect(screen.asked.last == .inserted(number: 2, .moved))
        screen.writes = false
        screen.send(.insert(.init("more", number: 3)))
        screen.send(.insert(.init("and more", number: 4)))
        screen.focus("b")
        #expect(screen.asked.last == .inserted(number: 4, .moved))
        #expect(screen.fields == ["a": "some text"])
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
        // Text that another program inserts has no language.
        #expect(FieldText.fitted("世界", after: "你好。", hasCapitals: true, locale: "en-US") == "世界")
        #expect(FieldText.fitted("World", after: "Hello", hasCapitals: true, locale: "ja-JP") == " World")
        #expect(FieldText.fitted("ls", after: "$ ", hasCapitals: false, locale: "en-US") == "ls")
    }

    @Test func aTakeContinuesTheTextOfItsField() {
        var screen = Screen()
        screen.focus("a")
        screen.send(.textBefore("I saw"))
        let request = screen.begin(1)
        screen.show(1, "", "The")
        #expect(screen.preview == " the")
        screen.show(1, "The house", "and")
        #expect(screen.preview == " and")
        screen.end(request, 1, "The house and Peter.")
        #expect(screen.fields == ["a": " the house and Peter."])
        let next = screen.begin(2)
        screen.end(next, 2, "then I left")
        #expect(screen.fields == ["a": " the house and Peter. Then I left"])
    }
}
