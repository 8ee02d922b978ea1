#if Remote
import DictationCore
import DictationEngines

extension RemoteEngine.Configuration {
    var openAI: OpenAISettings {
        OpenAISettings(server: server, dialect: dialect, model: model, prompt: prompt, endpointing: endpointing)
    }
}

extension StreamWork {
    /// The realtime interface of OpenAI.
    static func realtime(_ configuration: RemoteEngine.Configuration) throws(DictationError) -> StreamWork {
        let dialect = configuration.dialect ?? .openAI
        guard let realtime = dialect.realtime else {
            throw DictationError(
                .unsupportedOption, "There is no realtime interface for the dialect “\(dialect.name)”.",
                recovery: "Use the interface with requests.")
        }
        var settings = configuration.openAI
        settings.model = settings.model ?? dialect.usualModel
        guard settings.model != nil else {
            throw DictationError(
                .invalidInput,
                "The realtime interface of the dialect “\(dialect.name)” needs the name of the model.",
                recovery: "Give the name that the server lists.")
        }
        let format = AudioFormat(sampleRate: configuration.sampleRate ?? realtime.sampleRate)
        let links = try RemoteLinks(settings.server, ports: OpenAIRealtimeDialect.ports) {
            [settings] address, options in
            let dialect = OpenAIRealtimeDialect(settings, options, realtime, format: format, of: address.text)
            return WebSocketConversation(dialect, with: dialect.address(on: address), token: settings.server.token)
        }
        return try StreamWork(format, links)
    }

    static func sherpa(_ configuration: RemoteEngine.Configuration) throws(DictationError) -> StreamWork {
        let (server, textCase) = (configuration.server, configuration.textCase)
        let format = AudioFormat(sampleRate: configuration.sampleRate ?? 16_000)
        let links = try RemoteLinks(server, ports: ["ws": 6_006, "wss": 443, "unix": 0]) { address, options in
            let request = SherpaServerDialect.Request(
                format: format, casing: Casing(textCase: textCase, language: options.locale.language),
                wordTimes: options.wordTimes)
            return WebSocketConversation(
                SherpaServerDialect(request, of: address.text), with: address, token: server.token)
        }
        return try StreamWork(format, links)
    }

    static func vosk(_ configuration: RemoteEngine.Configuration) throws(DictationError) -> StreamWork {
        let server = configuration.server
        let format = AudioFormat(sampleRate: configuration.sampleRate ?? 16_000)
        let links = try RemoteLinks(server, ports: ["ws": 2_700, "wss": 443, "unix": 0]) { address, options in
            WebSocketConversation(
                VoskServerDialect(options, format: format, of: address.text), with: address, token: server.token)
        }
        return try StreamWork(format, links)
    }
}
#endif
