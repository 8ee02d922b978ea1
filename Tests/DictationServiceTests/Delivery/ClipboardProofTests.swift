import DictationCore
import Foundation
import TestSupport
import Testing

@testable import DictationService

/// The clipboards of desktops without a screen.
@Suite(.serialized) struct ClipboardProofTests {
    /// A picture of one point.
    private static let picture = Clipboard.Contents(
        kind: "image/png",
        bytes: Array(
            Data(
                base64Encoded:
                    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=")
                ?? Data()))

    private func text(_ words: String, on kind: TestDesktop.Kind) -> Clipboard.Contents {
        Clipboard.Contents(
            kind: kind == .wayland ? "text/plain;charset=utf-8" : "UTF8_STRING", bytes: Array(words.utf8))
    }

    @Test(arguments: TestDesktop.Kind.allCases)
    func aTextIsOnTheClipboardForTheUserToPaste(_ kind: TestDesktop.Kind) async throws {
        let desktop = try await TestDesktop(kind)
        let clipboard = try Clipboard(desktop.environment)
        #expect(await clipboard.contents() == nil)
        let destination = ClipboardDestination(environment: desktop.environment)
        #expect(await destination.problem() == nil)
        let words = "Ж 日本 😀\nand more\n"
        #expect(await destination.deliver(DictatedText(words), into: nil) == .delivered)
        #expect(await clipboard.contents() == text(words, on: kind))
        let large = String(repeating: "0123456789", count: 100_000)
        #expect(await destination.deliver(DictatedText(large), into: nil) == .delivered)
        #expect(await clipboard.has(large))
    }

    /// What was on the clipboard before: nothing, a text, a picture.
    @Test(arguments: [0, 1, 2])
    func aPasteRestoresWhatWasThereBefore(_ before: Int) async throws {
        let desktop = try await TestDesktop(.x11)
        let field = try TestField(.gtk, on: desktop)
        try field.fresh()
        let clipboard = try Clipboard(desktop.environment)
        let contents = [nil, text("Before, ж\n", on: .x11), Self.picture][before]
        if let contents { try await clipboard.restore(contents) }
        let destination = PasteDestination(restoreDelay: .seconds(1), environment: desktop.environment)
        #expect(await destination.problem() == nil)
        let place = await destination.focusedField()
        #expect(await destination.deliver(DictatedText("Pasted, 日本 😀."), into: place) == .delivered)
        #expect(try await field.text(expecting: "Pasted, 日本 😀.") == "Pasted, 日本 😀.")
        let wanted = contents ?? text("", on: .x11)
        await destination.waitUntilRestored()
        #expect(await clipboard.contents() == wanted)
    }

    @Test func whatAnotherProgramCopiesMeanwhileStays() async throws {
        let desktop = try await TestDesktop(.x11)
        let field = try TestField(.gtk, on: desktop)
        try field.fresh()
        let clipboard = try Clipboard(desktop.environment)
        try await clipboard.copy("Before")
        let destination = PasteDestination(restoreDelay: .seconds(1), environment: desktop.environment)
        #expect(await destination.deliver(DictatedText("Pasted"), into: nil) == .delivered)
        #expect(try await field.text(expecting: "Pasted") == "Pasted")
        try await clipboard.copy("Of another program")
        await destination.waitUntilRestored()
        #expect(await clipboard.contents() == text("Of another program", on: .x11))
    }

    @Test func twoTextsInARowRestoreWhatWasThereBeforeBoth() async throws {
        let desktop = try await TestDesktop(.x11)
        let field = try TestField(.gtk, on: desktop)
        try field.fresh()
        let clipboard = try Clipboard(desktop.environment)
        try await clipboard.restore(Self.picture)
        let destination = PasteDestination(restoreDelay: .seconds(2), environment: desktop.environment)
        #expect(await destination.deliver(DictatedText("One. "), into: nil) == .delivered)
        #expect(try await field.text(expecting: "One. ") == "One. ")
        #expect(await destination.deliver(DictatedText("Two."), into: nil) == .delivered)
        #expect(try await field.text(expecting: "One. Two.") == "One. Two.")
        await destination.waitUntilRestored()
        #expect(await clipboard.contents() == Self.picture)
    }

    @Test func aPasteThatIsRefusedLeavesTheClipboardAsItWas() async throws {
        let desktop = try await TestDesktop(.x11)
        let field = try TestField(.gtk, on: desktop)
        try field.fresh()
        let clipboard = try Clipboard(desktop.environment)
        try await clipboard.copy("Before")
        let destination = PasteDestination(environment: desktop.environment)
        let elsewhere = FocusedField(id: "window 1")
        guard case .refused = await destination.deliver(DictatedText("Pasted"), into: elsewhere) else {
            Issue.record("It was pasted.")
            return
        }
        #expect(await clipboard.contents() == text("Before", on: .x11))
        #expect(try field.text() == "")
    }

    /// GTK does not take the chord of a virtual keyboard, so nothing may claim to paste there.
    @Test func nothingClaimsToPasteOnWayland() async throws {
        let desktop = try await TestDesktop(.wayland)
        let clipboard = try Clipboard(desktop.environment)
        try await clipboard.restore(Self.picture)
        let destination = PasteDestination(environment: desktop.environment)
        #expect(await destination.problem()?.code == .unsupportedOption)
        guard case .unavailable = await destination.deliver(DictatedText("Pasted"), into: nil) else {
            Issue.record("It was pasted.")
            return
        }
        #expect(await clipboard.contents() == Self.picture)
    }
}
