import DictationCore
import DictationDesktop
import DictationService
import DictationText

extension Options {
    static let trigger = Option<String>(
        text: "key", "KEY", "The key to propose to the desktop, such as LOGO+d or CTRL+ALT+space.")
}

extension Command {
    static let shortcut: Command = Command(
        name: "shortcut", abstract: "Dictate while a key of the desktop is held, and print each text on a line.",
        discussion: """
            The desktop asks which key to use. This needs its portal for global shortcuts, which KDE has.
            Elsewhere bind a key to “dictate toggle”. Ctrl-C ends it.
            """,
        flags: [Options.json], options: [Options.trigger.spec, Options.socket.spec]
    ) { invocation, console in
        let client = try ServiceClient(invocation, console)
        let key = try await ShortcutKey.bind(preferring: try invocation.value(Options.trigger))
        // The first press should find a warm service. Without a key, none is started.
        _ = try await client.startingService { client throws(DictationError) in try await client.status() }
        let (ends, end) = AsyncStream<Void>.makeStream()
        console.signals.receive { end.yield() }
        let isJSON = invocation.has(Options.json)
        let dictating = DictationRuntime.current.task {
            await key.dictate(with: client.client) { result in
                switch result {
                case .success(let text):
                    let line = isJSON ? JSONWriter.encode(text) : printable(text.text.onOneLine)
                    if !isJSON, let complaint = text.transcript.complaint { console.complain(complaint) }
                    guard isJSON || !text.text.isEmpty else { return }
                    // Nobody reads the texts any more.
                    do { try console.output.write(line + "\n") } catch { end.yield() }
                case .failure(let error): console.complain(error)
                }
            }
            end.yield()
        }
        for await _ in ends { break }
        dictating.cancel()
        await dictating.value
        return .done
    }
}
