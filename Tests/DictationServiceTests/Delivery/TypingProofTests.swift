import DictationCore
import Foundation
import TestSupport
import Testing

@testable import DictationDesktop
@testable import DictationService

/// Text typed into the fields of real toolkits, on desktops without a screen.
///
/// `DICTATION_FIELDS` sets the number of random texts, each for a field of its own.
@Suite(.serialized) struct TypingProofTests {
    private static let count = ProcessInfo.processInfo.environment["DICTATION_FIELDS"].flatMap { Int($0) } ?? 20

    private func typing(on desktop: TestDesktop, lineBreaks: TypedLineBreaks = .space) -> any TextDestination {
        desktop.environment["DISPLAY"] == nil
            ? WtypeDestination(lineBreaks: lineBreaks, environment: desktop.environment)
            : XdotoolDestination(lineBreaks: lineBreaks, environment: desktop.environment)
    }

    @Test(arguments: [
        (TestDesktop.Kind.wayland, TestField.Toolkit.gtk), (.x11, .gtk), (.x11, .qt),
    ])
    func eachRandomTextArrivesInAFreshField(_ kind: TestDesktop.Kind, _ toolkit: TestField.Toolkit) async throws {
        let desktop = try await TestDesktop(kind)
        let field = try TestField(toolkit, on: desktop)
        let destination = typing(on: desktop)
        #expect(await destination.problem() == nil)
        var random = RandomText(seed: 1)
        var wrong: [String] = []
        for number in 0..<Self.count {
            let scalars = random.next().unicodeScalars.filter { !GTKCompose.loses($0) }
            let text = String(String.UnicodeScalarView(scalars)) + "."
            try field.fresh()
            let place = await destination.focusedField()
            #expect(place != nil)
            let outcome = await destination.deliver(DictatedText(text), into: place)
            let arrived = try await field.text(expecting: text)
            if outcome != .delivered || !arrived.unicodeScalars.elementsEqual(text.unicodeScalars) {
                wrong.append("\(number): \(outcome), “\(text)” arrived as “\(arrived)”")
            }
        }
        print("Random texts in fresh fields, \(kind), \(toolkit): \(Self.count), wrong: \(wrong.count)")
        #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
    }

    @Test(arguments: TestDesktop.Kind.allCases)
    func aCharacterThatGTKLosesLeavesTheTextToTheNext(_ kind: TestDesktop.Kind) async throws {
        let desktop = try await TestDesktop(kind)
        let field = try TestField(.gtk, on: desktop)
        try field.fresh()
        let destination = typing(on: desktop)
        for lost in ["＠", "﹐", "\u{7AE}", "\u{FE8C}", "\u{207AE}"] {
            guard case .unavailable(let reason) = await destination.deliver(DictatedText("Wait \(lost)"), into: nil)
            else {
                Issue.record("It was typed without “\(lost)”.")
                continue
            }
            #expect(reason.contains(lost))
        }
        #expect(try field.text() == "")
    }

    @Test func whatGTKLosesIsKnown() async throws {
        let desktop = try await TestDesktop(.x11)
        let lines = try await desktop.run("python3", TestField.program("gtk-symbols.py")).split(separator: "\n")
        let lists = try JSONDecoder().decode([[UInt32]].self, from: Data((lines.last ?? "").utf8))
        try #require(lists.count == 2 && !lists[0].isEmpty)
        #expect(lists[0].allSatisfy { Unicode.Scalar($0).map(GTKCompose.loses) == true }, "\(lists[0])")
        #expect(Set(lists[1].compactMap(Unicode.Scalar.init)) == WtypeDestination.unnamed, "\(lists[1])")
    }

    @Test func aCharacterWithAnOldSymbolArrives() async throws {
        let desktop = try await TestDesktop(.wayland)
        let field = try TestField(.gtk, on: desktop)
        try field.fresh()
        let text = "a" + String(String.UnicodeScalarView(WtypeDestination.unnamed.sorted())) + "z"
        #expect(await typing(on: desktop).deliver(DictatedText(text), into: nil) == .delivered)
        #expect(try await field.text(expecting: text) == text)
    }

    /// Enter sends in an entry and in a chat, and Shift and Enter begins a line in a chat.
    @Test(arguments: TestDesktop.Kind.allCases)
    func aLineBreakIsWhatTheSettingSays(_ kind: TestDesktop.Kind) async throws {
        let desktop = try await TestDesktop(kind)
        let field = try TestField(.gtk, on: desktop)
        var sent = ""
        for (place, lineBreaks, rest, more) in [
            ("chat", TypedLineBreaks.space, "One Ж. two", ""), ("chat", .shiftEnter, "One Ж.\ntwo", ""),
            ("chat", .enter, "two", "One Ж."), ("entry", .enter, "two", "\nOne Ж."),
        ] {
            try field.fresh(place)
            let destination = typing(on: desktop, lineBreaks: lineBreaks)
            #expect(await destination.deliver(DictatedText("One Ж.\ntwo"), into: nil) == .delivered)
            #expect(try await field.text(expecting: rest) == rest, "\(place), \(lineBreaks)")
            sent += more
            #expect(try field.sent() == sent, "\(place), \(lineBreaks)")
        }
    }

    /// Half a minute is more than whoever waits for a text wants to wait.
    @Test(arguments: TestDesktop.Kind.allCases)
    func aTextThatTakesTooLongToTypeIsLeftToTheNext(_ kind: TestDesktop.Kind) async throws {
        let desktop = try await TestDesktop(kind)
        let field = try TestField(.gtk, on: desktop)
        try field.fresh("area")
        let destination = typing(on: desktop)
        let text = String(repeating: "Words and words. ", count: 6_000)
        guard case .unavailable = await destination.deliver(DictatedText(text), into: nil) else {
            Issue.record("100 kB were typed.")
            return
        }
        #expect(try field.text() == "")
    }

    /// A program that had no keyboard yet loses the first keys of a new one.
    @Test func theFirstCharacterArrivesWhereThereWasNoKeyboard() async throws {
        let desktop = try await TestDesktop(.wayland, hasKeyboard: false)
        let field = try TestField(.gtk, on: desktop)
        for number in 0..<8 {
            try field.freshUnfocused()
            let text = "Xyz \(number) Ж"
            let destination = WtypeDestination(environment: desktop.environment)
            #expect(await destination.deliver(DictatedText(text), into: nil) == .delivered)
            #expect(try await field.text(expecting: text) == text)
        }
    }

    @Test(arguments: TestDesktop.Kind.allCases)
    func aLongTextWithLinesStaysInOrder(_ kind: TestDesktop.Kind) async throws {
        let desktop = try await TestDesktop(kind)
        let field = try TestField(.gtk, on: desktop)
        try field.fresh("area")
        let text = (0..<12).map { "line \($0): Ж 日本 😀 e\u{301}" }.joined(separator: "\n")
        let destination = typing(on: desktop, lineBreaks: .enter)
        #expect(await destination.deliver(DictatedText(text), into: nil) == .delivered)
        #expect(try await field.text(expecting: text) == text)
    }

    @Test func aProgramThatReadsSlowlyGetsEverything() async throws {
        let desktop = try await TestDesktop(.x11)
        for toolkit in [TestField.Toolkit.gtk, .qt] {
            let field = try TestField(toolkit, on: desktop)
            try field.fresh()
            try field.slowDown(to: 0.02)
            let text = "Slow: Жаба, 日本語, 😀 and ℵ – " + "абвгдежзийклмнопрстуфхцчшщъыьэюя"
            let destination = typing(on: desktop)
            #expect(await destination.deliver(DictatedText(text), into: nil) == .delivered)
            #expect(try await field.text(expecting: text) == text)
        }
    }

    @Test func aProgramThatHangsGetsNothing() async throws {
        let desktop = try await TestDesktop(.x11)
        let field = try TestField(.gtk, on: desktop)
        try field.fresh()
        let destination = XdotoolDestination(programTimeout: .milliseconds(300), environment: desktop.environment)
        try field.sleep(3)
        guard case .unavailable = await destination.deliver(DictatedText("lost"), into: nil) else {
            Issue.record("A program that hangs took a text.")
            return
        }
        #expect(try field.text() == "")
    }

    @Test(arguments: ["ctrl", "shift", "alt", "super"])
    func aHeldKeyIsWaitedFor(_ key: String) async throws {
        let desktop = try await TestDesktop(.x11)
        let field = try TestField(.gtk, on: desktop)
        try field.fresh()
        let text = "All of it, Ж and ab."
        try await desktop.run("xdotool", "keydown", key)
        let impatient = XdotoolDestination(modifierTimeout: .milliseconds(200), environment: desktop.environment)
        guard case .refused(let reason) = await impatient.deliver(DictatedText(text), into: nil) else {
            Issue.record("It was typed while \(key) was held.")
            return
        }
        #expect(reason.contains("held"))
        #expect(try field.text() == "")
        let patient = XdotoolDestination(modifierTimeout: .seconds(60), environment: desktop.environment)
        async let outcome = patient.deliver(DictatedText(text), into: nil)
        try await desktop.run("xdotool", "keyup", key)
        #expect(await outcome == .delivered)
        #expect(try await field.text(expecting: text) == text)
    }

    /// A key that nobody releases repeats without end.
    @Test func aProgramThatIsKilledLeavesNoKeyPressed() async throws {
        let desktop = try await TestDesktop(.x11)
        let field = try TestField(.gtk, on: desktop)
        try field.fresh()
        let folder = try TemporaryFolder()
        let killed = folder.file("xdotool")
        let script = """
            #!/bin/sh
            [ "$1" = type ] || exec /usr/bin/xdotool "$@"
            /usr/bin/xdotool keydown w
            kill -9 $$
            """
        try script.write(toFile: killed, atomically: false, encoding: .utf8)
        #expect(chmod(killed, 0o755) == 0)
        let broken = XdotoolDestination(environment: desktop.environment.merging(["PATH": folder.path]) { $1 })
        #expect(await broken.deliver(DictatedText("which"), into: nil) != .delivered)
        try await Task.sleep(for: .seconds(1))
        let left = try field.text()
        try await Task.sleep(for: .seconds(1))
        #expect(try field.text() == left)
        let whole = XdotoolDestination(environment: desktop.environment)
        #expect(await whole.deliver(DictatedText(" which"), into: nil) == .delivered)
        #expect(try await field.text(expecting: left + " which") == left + " which")
    }

    @Test func aLockScreenGetsNothing() async throws {
        let desktop = try await TestDesktop(.x11)
        let (locker, field) = (try TestField(.gtk, on: desktop), try TestField(.gtk, on: desktop))
        try locker.fresh()
        try field.fresh()
        try locker.takeKeyboard(true)
        let impatient = XdotoolDestination(modifierTimeout: .milliseconds(200), environment: desktop.environment)
        let place = await impatient.focusedField()
        guard case .refused(let reason) = await impatient.deliver(DictatedText("private"), into: place) else {
            Issue.record("It was typed into a lock screen.")
            return
        }
        #expect(reason.contains("lock screen"))
        try locker.takeKeyboard(false)
        #expect(await impatient.deliver(DictatedText("Here."), into: place) == .delivered)
        #expect(try await field.text(expecting: "Here.") == "Here.")
        #expect(try locker.text() == "")
    }

    @Test func capsLockDoesNotTurnTheLettersAround() async throws {
        let desktop = try await TestDesktop(.x11)
        let field = try TestField(.gtk, on: desktop)
        try field.fresh()
        try await desktop.run("xdotool", "key", "Caps_Lock")
        let text = "Small and LARGE, жЖ."
        #expect(
            await XdotoolDestination(environment: desktop.environment).deliver(DictatedText(text), into: nil)
                == .delivered)
        #expect(try await field.text(expecting: text) == text)
    }

    @Test(arguments: ["ctrl", "shift"])
    func aKeyThatIsHeldOnAnotherKeyboardChangesNothingOnWayland(_ key: String) async throws {
        let desktop = try await TestDesktop(.wayland)
        let field = try TestField(.gtk, on: desktop)
        try field.fresh()
        async let held = desktop.run("wtype", "-M", key, "-s", "4000", "-m", key)
        let text = "All of it, Ж and ab."
        let destination = WtypeDestination(environment: desktop.environment)
        #expect(await destination.deliver(DictatedText(text), into: nil) == .delivered)
        #expect(try await field.text(expecting: text) == text)
        _ = try await held
    }

    @Test(arguments: TestDesktop.Kind.allCases)
    func nothingIsTypedIntoAnotherWindowThanTheOneOfTheTake(_ kind: TestDesktop.Kind) async throws {
        let desktop = try await TestDesktop(kind)
        let field = try TestField(.gtk, on: desktop)
        let destination = typing(on: desktop)
        try field.fresh()
        let place = try #require(await destination.focusedField())
        let other = try TestField(.gtk, on: desktop)
        try other.fresh()
        guard case .refused = await destination.deliver(DictatedText("private"), into: place) else {
            Issue.record("It was typed into another window.")
            return
        }
        #expect(try other.text() == "" && field.text() == "")
        // The user asks for it there.
        #expect(await destination.deliver(DictatedText("here"), into: nil) == .delivered)
        #expect(try await other.text(expecting: "here") == "here")
    }

    @Test(arguments: TestDesktop.Kind.allCases)
    func aFocusThatMovesWhileTextIsTypedEndsIt(_ kind: TestDesktop.Kind) async throws {
        let desktop = try await TestDesktop(kind)
        let (field, other) = (try TestField(.gtk, on: desktop), try TestField(.gtk, on: desktop))
        try field.fresh()
        let destination = typing(on: desktop)
        let place = await destination.focusedField()
        let text = String(repeating: "These words belong to one window. ", count: 40)
        async let outcome = destination.deliver(DictatedText(text), into: place)
        while try field.text().isEmpty { await Task.yield() }
        try other.fresh()
        guard case .incomplete(let reason) = await outcome else {
            Issue.record("Nobody was told.")
            return
        }
        #expect(reason.contains("focus"))
        // At most the piece that was being typed goes astray.
        let strayed = try other.text()
        #expect(strayed.count <= TypedText.pieceLength, "\(strayed)")
        #expect(text.hasPrefix(try field.text()))
    }

    @Test func withoutAFocusThereIsNoField() async throws {
        for kind in TestDesktop.Kind.allCases {
            let desktop = try await TestDesktop(kind)
            if kind == .x11 {
                // Without a window manager the focus begins wherever the pointer is.
                #expect(await typing(on: desktop).focusedField() == nil)
            }
            #expect(await typing(on: desktop).deliver(DictatedText("x"), into: nil) == .noField, "\(kind)")
        }
    }
}
