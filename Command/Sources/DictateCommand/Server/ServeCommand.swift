import DictationCore
import DictationEngines
import DictationServer

extension Command {
    static let serve: Command = Command(
        name: "serve", abstract: "Offer an engine to other programs, as a speech server.",
        discussion: """
            Serves the OpenAI-compatible interface, with recordings and in realtime, and Wyoming with
            --wyoming or --wyoming-socket. Prints the address, and writes a line of JSON for each
            request to standard error. Ctrl-C ends it: requests that run may finish. Other machines need
            a token, and --address.
            """,
        flags: Options.servingFlags, options: Options.serving
    ) { invocation, console in
        // What clients said, and the token, are nothing for other programs of the user. A server needs no portal.
        DictationHelper.keepMemoryPrivate(fromPrograms: true)
        var configuration = try DictationServer.Configuration(invocation) { problem in
            if !invocation.has(Options.quiet) { console.complain(problem) }
        }
        let stopTime = try invocation.value(Options.stopTime) ?? .seconds(30)
        // Also while the model is loading.
        let (ends, end) = AsyncStream<Void>.makeStream()
        console.signals.receive { end.yield() }
        let model = try await ServedModel(invocation)
        if !invocation.has(Options.quiet) { configuration.log = { console.say($0.json) } }
        let server: DictationServer
        do throws(DictationError) { server = try DictationServer([model], configuration) } catch {
            console.complain(error)
            // A place where it may not listen is no microphone.
            return error.code == .permissionDenied ? .badUse : ExitCode(error)
        }
        let scheme = configuration.certificateFile == nil ? "http" : "https"
        if let place = configuration.http, let port = server.httpPort {
            let host = place.address.contains(":") ? "[\(place.address)]" : place.address
            try console.output.write("\(scheme)://\(host):\(port)/v1\n")
        }
        if let place = configuration.wyoming, let port = server.wyomingPort {
            try console.output.write("tcp://\(place.address):\(port)\n")
        }
        if let path = configuration.wyomingSocket { try console.output.write("unix:\(path.visible)\n") }
        do throws(DictationError) { try await server.ready() } catch {
            await server.stop(within: .zero)
            throw error
        }
        if !invocation.has(Options.quiet) { console.say("dictate: “\(model.name)” is ready. Ctrl-C ends the server.") }
        for await _ in ends { break }
        await server.stop(within: stopTime)
        return .done
    }
}

extension ServedModel {
    /// Finds the engine of the command line.
    fileprivate init(_ invocation: Invocation) async throws {
        let locale = try invocation.value(Options.locale)
        var finder = try RecognitionRequest.finder(
            invocation, try invocation.value(Options.script), RecognitionOptions(locale: locale ?? "en-US"))
        finder.options.locale = finder.installedLocale()
        let names = try invocation.values(Options.names)
        switch await finder.search() {
        case .missing(let missing): throw missing.advisedError
        case .found(let found):
            // The name of a model that is no installed one is its path, which is nobody's business.
            let usual = finder.modelFolder == nil && found.id != .scripted ? found.model : nil
            self.init(
                names.first ?? usual ?? found.id.rawValue, aliases: Array(names.dropFirst()), engine: found.engine,
                locale: finder.options.locale)
        }
    }
}
