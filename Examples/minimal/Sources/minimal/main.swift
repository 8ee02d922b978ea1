import Dictation
import Dispatch
import Glibc

do {
    let engine = try await EngineFinder(locale: "en-US").engine()
    let recording = CommandLine.arguments.dropFirst().first.map { FileCapturer(path: $0) }
    let session = DictationSession(engine: engine, capturer: recording ?? ALSACapturer())

    signal(SIGINT, SIG_IGN)  // Ctrl-C stops the session instead of the program.
    let interrupts = DispatchSource.makeSignalSource(signal: SIGINT, queue: .main)
    interrupts.setEventHandler { Task { await session.stop() } }
    interrupts.activate()

    let events = session.events()
    try await session.start()
    for await event in events {
        if case .text(let change) = event.kind { for result in change.finalized { print(result.text) } }
        if case .ended = event.kind { break }
        fflush(nil)  // Into a pipe, too, each line goes at once.
    }
} catch {
    print("No dictation: \(error)")
}
