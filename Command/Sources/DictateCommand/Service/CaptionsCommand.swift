import DictationCore
import DictationDesktop
import DictationService

extension Command {
    static let captions: Command = Command(
        name: "captions", abstract: "Show what is dictated on a page in a browser, in large text.",
        discussion: """
            Prints the address of the page, and serves it until Ctrl-C. Only this machine can reach it,
            and only with the whole address. Add ?transparent for streaming software, and ?size=8 for
            another size of the text.
            """,
        flags: [Options.quiet], options: [Options.port.spec, Options.socket.spec]
    ) { invocation, console in
        let client = try ServiceClient(invocation, console)
        let (ends, end) = AsyncStream<Void>.makeStream()
        console.signals.receive { end.yield() }
        let server = try CaptionsServer(client.client, port: UInt16(try invocation.value(Options.port) ?? 0))
        try console.output.write(server.address + "\n")
        if !invocation.has(Options.quiet) { console.say("dictate: open this address in a browser. Ctrl-C ends it.") }
        _ = try await client.startingService { client throws(DictationError) in try await client.perform(.status) }
        for await _ in ends { break }
        await server.close()
        return .done
    }
}
