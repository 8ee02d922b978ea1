import DictationCapture
import DictationCore
import DictationEngines
import Foundation
import Glibc
import TestSupport
import Testing

@testable import DictationService

/// A service with a door, in real time, in a folder of its own. The microphone and the engine are scripted and quick.
final class OpenDoor: Sendable {
    let folder: TemporaryFolder
    let service: DictationService
    let door: DictationDoor
    var path: String { door.path }

    /// Opens a door.
    ///
    /// The engine says a word every 50 ms of audio, and the microphone delivers audio at its own speed.
    init(
        script: SpeechScript = [
            .volatile("one", at: .milliseconds(50)), .final("one two", at: .milliseconds(100)),
            .repeats(every: .milliseconds(100)),
        ], place: String = "run/socket", limits: DictationDoor.Limits = DictationDoor.Limits(), user: uid_t = geteuid(),
        journal: TextJournal? = nil, configure: (inout DictationConfiguration) -> Void = { _ in }
    ) throws {
        folder = try TemporaryFolder()
        var configuration = DictationConfiguration(tail: .zero)
        configure(&configuration)
        let session = DictationSession(
            engine: ScriptedEngine(script),
            capturer: ScriptedCapturer([.tone(440, for: .seconds(3_600))], bufferDuration: .milliseconds(20)),
            configuration: configuration)
        service = DictationService(session: session, model: "counter", journal: journal)
        door = try DictationDoor.open(service, at: folder.file(place), limits: limits, user: user)
    }

    func client() throws -> DictationClient { try DictationClient(path: path, answerTimeout: .seconds(20)) }

    /// Waits until the service shows a status.
    func waits(for condition: @escaping @Sendable (ServiceStatus) -> Bool) async -> Bool {
        let board = service.board
        return await eventually { condition(board.status) }
    }

    /// Waits until the service has recorded some words.
    func hasWords() async -> Bool { await waits { $0.stableText.contains("two") } }
}
