import DictationCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DictationService

/// A desktop without a screen, which ends with the test.
final class TestDesktop: Sendable {
    enum Kind: CaseIterable { case x11, wayland }

    /// The variables by which programs find the desktop.
    let environment: [String: String]
    private let folder: TemporaryFolder
    private let server: Process
    private let keyboard = Process()

    /// - Parameter hasKeyboard: Whether somebody could type on a Wayland desktop. Without any keyboard its programs have no
    ///   focus.
    init(_ kind: Kind, hasKeyboard: Bool = true) async throws {
        folder = try TemporaryFolder()
        server = Process()
        server.standardInput = FileHandle.nullDevice
        server.standardError = FileHandle.nullDevice
        let said = Pipe()
        server.standardOutput = said
        switch kind {
        case .x11:
            server.executableURL = URL(filePath: "/usr/bin/Xvfb")
            server.arguments = ["-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp", "-noreset"]
            try server.run()
            let number = try said.fileHandleForReading.line()
            try #require(Int(number) != nil, "Xvfb did not start.")
            environment = ["DISPLAY": ":" + number, "HOME": folder.path]
        case .wayland:
            // sway refuses to run with the rights of root.
            let isRoot = geteuid() == 0
            let words = ["WAYLAND_DISPLAY", "SWAYSOCK"].map { "$\($0)" }.joined(separator: " ")
            let settings = """
                xwayland disable
                default_border none
                exec echo "\(words)" >"\(folder.path)/names" && echo ready

                """
            let configuration = try folder.write(Array(settings.utf8), to: "sway")
            if isRoot { try #require(chown(folder.path, 65_534, 65_534) == 0) }
            server.executableURL = URL(filePath: isRoot ? "/usr/bin/setpriv" : "/usr/bin/env")
            let reduced = isRoot ? ["--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/env"] : []
            server.arguments =
                reduced + [
                    "-u", "DISPLAY", "-u", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR=\(folder.path)", "HOME=\(folder.path)",
                    "WLR_BACKENDS=headless", "WLR_RENDERER=pixman", "WLR_LIBINPUT_NO_DEVICES=1", "/usr/bin/sway",
                    "--config", configuration,
                ]
            try server.run()
            try #require(try said.fileHandleForReading.line() == "ready", "sway did not start.")
            let names = try String(contentsOfFile: folder.file("names"), encoding: .utf8).split(separator: "\n")[0]
                .split(separator: " ").map(String.init)
            environment = [
                "XDG_RUNTIME_DIR": folder.path, "HOME": folder.path, "WAYLAND_DISPLAY": names[0], "SWAYSOCK": names[1],
            ]
            guard hasKeyboard else { return }
            // A keyboard on which nobody types.
            keyboard.executableURL = URL(filePath: "/usr/bin/wtype")
            keyboard.arguments = ["-s", "2000000"]
            keyboard.environment = environment
            keyboard.standardError = FileHandle.nullDevice
            try keyboard.run()
        }
    }

    deinit {
        for process in [keyboard, server] where process.isRunning {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    /// Runs a program on this desktop, and returns what it printed without the end of the line.
    @discardableResult
    func run(_ program: String, _ arguments: String...) async throws -> String {
        try await output(of: "/usr/bin/" + program, arguments, environment: environment)
    }
}

/// A program with a text field on a desktop.
final class TestField: Sendable {
    enum Toolkit: String { case gtk, qt }

    private let program = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// The path of a program of this folder.
    static func program(_ name: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fields/" + name).path
    }

    init(_ toolkit: Toolkit, on desktop: TestDesktop) throws {
        program.executableURL = URL(filePath: "/usr/bin/python3")
        program.arguments = [Self.program("\(toolkit)-field.py")]
        let backend = desktop.environment["DISPLAY"] == nil ? "wayland" : "x11"
        program.environment = [
            "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "GDK_BACKEND": backend, "NO_AT_BRIDGE": "1",
            "QT_QPA_PLATFORM": backend == "x11" ? "xcb" : backend, "GTK_IM_MODULE": "gtk-im-context-simple",
        ].merging(desktop.environment) { $1 }
        program.standardInput = input
        program.standardOutput = output
        program.standardError = FileHandle.nullDevice
        try program.run()
    }

    deinit {
        kill(program.processIdentifier, SIGKILL)
        program.waitUntilExit()
    }

    /// Opens a new window with an empty field that has the focus.
    func fresh(_ kind: String = "entry") throws { #expect(try ask("fresh " + kind) == "focused") }

    /// Opens a new window on a desktop without a keyboard.
    func freshUnfocused() throws { #expect(try ask("fresh entry unfocused") == "mapped") }

    /// The text in the field.
    func text() throws -> String { try ask("text") }

    /// The lines that a field sent away: an entry with Enter, a chat with Enter but not with Shift and Enter.
    func sent() throws -> String { try ask("sent") }

    /// Takes the keyboard of an X11 desktop away from all other programs, as a lock screen does, or gives it back.
    func takeKeyboard(_ isTaken: Bool) throws {
        #expect(try ask(isTaken ? "grab" : "ungrab") == (isTaken ? "success" : "free"))
    }

    /// Has the program take so long for each key.
    func slowDown(to seconds: Double) throws { #expect(try ask("delay \(seconds)") == "slow") }

    /// Has the program do nothing for a time.
    func sleep(_ seconds: Double) throws { #expect(try ask("sleep \(seconds)") == "asleep") }

    /// Waits until the field has a text, and returns what it has at last.
    func text(expecting text: String) async throws -> String {
        var now = try self.text()
        // Counts how often it asked: a machine that is too busy to ask is too busy to type.
        for _ in 0..<1_000 where !now.unicodeScalars.elementsEqual(text.unicodeScalars) {
            try await DictationRuntime.system.sleep(.milliseconds(5))
            now = try self.text()
        }
        return now
    }

    private func ask(_ command: String) throws -> String {
        try input.fileHandleForWriting.write(contentsOf: Data((command + "\n").utf8))
        let line = try output.fileHandleForReading.line()
        return try JSONDecoder().decode(String.self, from: Data(line.utf8))
    }
}

extension FileHandle {
    /// Reads a line, and returns it without its end.
    fileprivate func line() throws -> String {
        var bytes: [UInt8] = []
        while let byte = try read(upToCount: 1)?.first, byte != 10 { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
