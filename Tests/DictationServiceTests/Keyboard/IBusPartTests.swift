import DictationCore
import Foundation
import TestSupport
import Testing

@_spi(Command) @testable import DictationDesktop
@testable import DictationService

@Suite struct IBusPartTests {
    @Test func theAddressIsThatOfADaemonThatRuns() {
        let text = """
            # This file is created by ibus-daemon, please do not modify it.
            IBUS_ADDRESS=unix:path=/run/ibus,guid=1=2
            IBUS_DAEMON_PID=4711
            """
        #expect(IBusAddress.address(in: text) { $0 == 4_711 } == "unix:path=/run/ibus,guid=1=2")
        #expect(IBusAddress.address(in: text) { _ in false } == nil)
        for damaged in [
            "", "IBUS_ADDRESS=x", "IBUS_DAEMON_PID=1", "IBUS_ADDRESS=x\nIBUS_DAEMON_PID=-1", "\0\u{FFFD}=\n==",
        ] {
            #expect(IBusAddress.address(in: damaged) { _ in true } == nil)
        }
        #expect(IBusAddress.current { $0 == "IBUS_ADDRESS" ? "unix:path=/x" : nil } == "unix:path=/x")
    }

    @Test func theFileIsNamedAfterTheScreen() {
        func name(_ environment: [String: String]) -> String? {
            IBusAddress.file { environment.merging(["XDG_CONFIG_HOME": "/c"]) { $1 }[$0] }?.split(separator: "/").last
                .map {
                    String($0.drop { $0 != "-" }.dropFirst())
                }
        }
        #expect(name(["DISPLAY": ":0"]) == "unix-0")
        #expect(name(["DISPLAY": ":12.3"]) == "unix-12")
        #expect(name(["DISPLAY": "host:1"]) == "host-1")
        #expect(name(["DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-1"]) == "unix-wayland-1")
        #expect(name([:]) == nil)
        #expect(name(["DISPLAY": "nonsense"]) == nil)
        #expect(IBusAddress.file { $0 == "IBUS_ADDRESS_FILE" ? "/a/file" : nil } == "/a/file")
    }

    @Test func aKeyHasAName() async throws {
        #expect(try KeyboardKey("F8").symbol == 0xFFC5)
        #expect(try KeyboardKey("f1").symbol == 0xFFBE && KeyboardKey("F24").symbol == 0xFFD5)
        let key = try KeyboardKey("Ctrl+Alt+D")
        #expect(key.matches(symbol: 0x64, state: 1 << 2 | 1 << 3 | 1 << 4))
        #expect(!key.matches(symbol: 0x64, state: 1 << 2) && key.isOf(0x44) && !key.isOf(0x65))
        for name in ["", "F0", "F25", "Fx", "ab", "Hyper+a", "+", "Ctrl+", "ü", "F8\n"] {
            #expect(await error { _ = try KeyboardKey(name) }?.code == .invalidInput, "\(name)")
        }
    }

    @Test func aContextThatFieldsShareIsAnotherFieldAfterEachMove() {
        var focus = IBusFocus(connection: 1)
        #expect(focus.field == nil)
        focus.set(capabilities: 1 << 5)
        focus.enter("/c/1", "gtk3-im:gedit")
        let own = focus.field
        focus.leave("/c/2")
        #expect(focus.field == own && own != nil)
        focus.reset()
        #expect(focus.field == own)
        focus.leave("/c/1")
        #expect(focus.field == nil)
        focus.key()
        #expect(focus.field == nil)
        focus.enter("/c/1", "gtk3-im:gedit")
        #expect(focus.field == own)
        focus.set(capabilities: 0)
        let shared = focus.field
        focus.reset()
        // It may be a password now.
        #expect(focus.field == nil)
        focus.key()
        #expect(focus.field != nil && focus.field != shared)
        for client in ["gtk3-im:firefox-esr", "gtk3-im:chromium", "QIBusInputContext", "xim", ""] {
            focus.set(capabilities: 1 << 5)
            focus.enter("/c/1", client)
            let first = focus.field
            focus.leave(nil)
            focus.enter("/c/1", client)
            #expect(focus.field != first && first != nil, "\(client)")
        }
        focus.enterUnnamed("/engine/1")
        #expect(focus.field == nil)
        focus.key()
        #expect(focus.field != nil)
        focus.enter("/c/1", "fake")
        #expect(focus.field == nil)
    }

    @Test func aSecretIsKnownByItsPurpose() {
        var focus = IBusFocus(connection: 1)
        focus.enter("/c/1", "gtk3-im:gedit")
        for (purpose, hints, secret): (UInt32, UInt32, KeyboardField.Secret?) in [
            (0, 0, nil), (8, 0, .password), (9, 0, .pin), (0, 1 << 11, .privateText), (8, 1 << 11, .password),
            (99, 7, nil),
        ] {
            focus.set(purpose: purpose, hints: hints)
            #expect(focus.field?.secret == secret)
        }
        focus.set(capabilities: 1 << 5)
        focus.set(purpose: 0, hints: 0)
        #expect(focus.field?.takesLines == true)
        focus.set(purpose: 10, hints: 0)
        #expect(focus.field?.isProse == false && focus.field?.takesLines == false)
        // An older terminal.
        focus.set(purpose: 0, hints: 0)
        focus.set(capabilities: 0)
        #expect(focus.field?.takesLines == false)
    }

    @Test func theFileForIBusNamesTheProgram() async throws {
        let folder = try TemporaryFolder()
        let installation = try IBusInstallation(
            program: "/opt/a & b/it's", arguments: ["keyboard", "--hold-key=F9"], folder: folder.file("component"))
        try installation.install()
        let text = try String(contentsOfFile: installation.path, encoding: .utf8)
        #expect(text.contains("<exec>'/opt/a &amp; b/it'\\''s' 'keyboard' '--hold-key=F9'</exec>"))
        #expect(text.contains("<name>dictation</name>") && text == installation.text)
        try installation.uninstall()
        try installation.uninstall()
        #expect(!FileManager.default.fileExists(atPath: installation.path))
        #expect(await error { _ = try IBusInstallation(program: "/a\nb") }?.code == .invalidInput)
        // The file of another program stays as it is.
        let other = "<component><name>org.example.Keyboard</name></component>"
        try other.write(toFile: installation.path, atomically: false, encoding: .utf8)
        #expect(await error { try installation.install() }?.code == .invalidInput)
        #expect(await error { try installation.uninstall() }?.code == .invalidInput)
        #expect(try String(contentsOfFile: installation.path, encoding: .utf8) == other)
    }
}
