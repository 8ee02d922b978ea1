import DictationCapture
import DictationCore
import Foundation
import TestSupport
import Testing

@testable import DictationDesktop
@testable import DictationService

/// Sounds and notifications by themselves.
@Suite struct CueTests {
    /// A program that keeps what it is to play.
    private func player(in folder: TemporaryFolder, _ body: String) throws -> String {
        let path = folder.file("player")
        try "#!/bin/sh\n\(body)\n".write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return path
    }

    @Test func aSoundIsAShortToneThatAPlayerCanRead() async throws {
        let folder = try TemporaryFolder()
        let cue = try SoundCue(
            player: player(in: folder, "cat \"$1\" >\"$(dirname \"$0\")/$(ls \"$(dirname \"$0\")\" | wc -l).wav\""))
        await cue.microphoneOpened()
        await cue.microphoneClosed()
        var pitches: [Double] = []
        for name in ["1.wav", "2.wav"] {
            let capturer = FileCapturer(path: folder.file(name))
            var samples: [Float] = []
            for try await case .buffer(let buffer) in try await capturer.start(CaptureOptions()) {
                buffer.forEachSample { samples.append($0) }
            }
            let loudest = samples.map(abs).max() ?? 0
            #expect(samples.count == 5_760 && (0.1...0.3).contains(loudest), "\(samples.count)")
            // It begins and ends without a click.
            #expect(abs(samples.first ?? 1) < 0.01 && abs(samples.last ?? 1) < 0.01)
            pitches.append(Double(zip(samples, samples.dropFirst()).count { $0 < 0 && $1 >= 0 }) / 0.12)
        }
        #expect(abs(pitches[0] - 880) < 20 && abs(pitches[1] - 587) < 20, "\(pitches)")
    }

    @Test func aPlayerThatFailsKeepsNobodyFromDictating() async throws {
        let folder = try TemporaryFolder()
        try await SoundCue(player: player(in: folder, "exit 1")).microphoneOpened()
        try await SoundCue(player: player(in: folder, "kill -SEGV $$")).microphoneOpened()
    }

    @Test func withoutAPlayerThereIsNoSound() async throws {
        let found = await error { _ = try SoundCue(player: "no-such-player") }
        #expect(found?.code == .unsupportedOption)
        #expect(await error { _ = try SoundCue(player: "/no/such/player") }?.code == .unsupportedOption)
    }

    #if SystemBus
    /// A daemon for notifications, played by python3-dbusmock, says how it was called.
    @Test func aNotificationReplacesTheOneBefore() async throws {
        let bus = try TestBus()
        try bus.start("/usr/bin/python3", ["-m", "dbusmock", "--session", "--template", "notification_daemon"])
        let name = "org.freedesktop.Notifications"
        _ = try await bus.run("/usr/bin/gdbus", ["wait", "--session", "--timeout", "60", name])
        let cue = try NotificationCue(at: bus.address)
        for _ in 0..<2 {
            await cue.microphoneOpened()
            await cue.microphoneClosed()
        }
        let calls = try await bus.run(
            "/usr/bin/gdbus",
            [
                "call", "--session", "--dest", name, "--object-path", "/org/freedesktop/Notifications", "--method",
                "org.freedesktop.DBus.Mock.GetMethodCalls", "Notify",
            ])
        let shown = calls.components(separatedBy: "'Dictation'").dropFirst()
        let words = shown.map { $0.contains("Not listening") ? "closed" : $0.contains("Listening") ? "opened" : "?" }
        #expect(words == ["opened", "closed", "opened", "closed"], "\(calls)")
        // The first is new, and each other one takes its place.
        #expect(shown.map { $0.contains("<uint32 0>") } == [true, false, false, false], "\(calls)")
        #expect(shown.map { $0.contains("<uint32 1>") } == [false, true, true, true], "\(calls)")
    }

    @Test func aDesktopWithoutNotificationsKeepsNobodyFromDictating() async throws {
        let bus = try TestBus()
        try await NotificationCue(at: bus.address).microphoneOpened()
        #expect(await error { _ = try NotificationCue(at: "unix:path=/no") }?.code == .notRunning)
    }
    #endif
}

@Suite struct CueProofTests {
    @Test func aPlayerThatHangsIsEnded() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("player")
        try "#!/bin/sh\nexec sleep 1000\n".write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        try await SoundCue(player: path).microphoneOpened()
    }
}
