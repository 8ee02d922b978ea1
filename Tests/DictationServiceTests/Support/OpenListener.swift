import DictationCapture
import DictationCore
import DictationEngines
import Foundation
import Glibc
import TestSupport
import Testing

@testable import DictationService

/// A service with a listener, in real time, in a folder of its own. The microphone and the engine are scripted and quick.
final class OpenListener: Sendable {
    let folder: TemporaryFolder
    let service: DictationService
    let listener: ServiceListener
    var path: String { listener.path }

    /// Opens a listener.
    ///
    /// The engine says a word every 50 ms of audio, and the microphone delivers audio at its own speed.
    init(
        script: ScriptedEngine.Script = [
            .volatile("one", at: .milliseconds(50)), .final("one two", at: .milliseconds(100)),
            .repeats(every: .milliseconds(100)),
        ], place: String = "run/socket", limits: ServiceListener.Limits = ServiceListener.Limits(),
        user: uid_t = geteuid(),
        journal: TextJournal? = nil, configure: (inout DictationSession.Configuration) -> Void = { _ in }
    ) throws {
        folder = try TemporaryFolder()
        var configuration = DictationSession.Configuration(tail: .zero)
        configure(&configuration)
        let session = DictationSession(
            engine: ScriptedEngine(script),
            capturer: ScriptedCapturer([.tone(440, for: .seconds(3_600))], bufferDuration: .milliseconds(20)),
            configuration: configuration)
        service = DictationService(session: session, model: "counter", journal: journal)
        listener = try ServiceListener.open(service, at: folder.file(place), limits: limits, user: user)
    }

    func client() throws -> DictationClient { try DictationClient(path: path, answerTimeout: .seconds(20)) }

    /// Waits until the service shows a status.
    func waits(for condition: @escaping @Sendable (ServiceStatus) -> Bool) async -> Bool {
        let publisher = service.publisher
        return await eventually { condition(publisher.status) }
    }

    /// Waits until the service has recorded some words.
    func hasWords() async -> Bool { await waits { $0.finalText.contains("two") } }
}
