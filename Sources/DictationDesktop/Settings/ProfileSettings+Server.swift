public import DictationCore
import DictationSystem

extension ProfileSettings {
    /// The speech server of a profile whose engine is one of `openai`, `wyoming`, `sherpa-server` and `vosk-server`.
    ///
    /// It only holds what the settings say. The maker of the engine connects to the server and reads the token.
    public struct Server: Sendable, Hashable {
        /// The addresses of servers that do the same; empty for an engine on this machine.
        public var addresses: [String] = []
        /// The name of the server's model; `nil` for the usual one.
        public var model: String?
        /// The server behind the OpenAI interface, such as `vllm`; `nil` for what it shows.
        public var dialect: String?
        /// Whether the audio is streamed to a server with the OpenAI interface as it comes.
        public var isRealtime = false
        /// The path of a PEM file with the certificates to trust instead of those of the system.
        public var authorities: String?
        /// The environment variable with the server's token.
        public var tokenVariable: String?
        /// The path of the file whose first line is the token.
        public var tokenFile: String?
        /// The program that writes the token, and its arguments.
        public var tokenCommand: [String] = []

        /// Creates the description of an engine on this machine.
        public init() {}

        static let all: [Setting<ProfileSettings>] = [
            .texts(
                "server.addresses", \.server.addresses,
                "The addresses of the server, for an engine such as \"openai\". If one fails, the next takes over."),
            .text("server.model", \.server.model, "The name of the server's model. With null, the usual one."),
            .text(
                "server.dialect", \.server.dialect,
                "The server behind the OpenAI interface, such as \"vllm\". With null, what it shows."),
            .flag("server.realtime", \.server.isRealtime, "Stream the audio to the OpenAI interface as it comes."),
            .text(
                "server.authorities", \.server.authorities,
                "A PEM file with the certificates to trust. A path is relative to the settings."),
            .text("server.tokenVariable", \.server.tokenVariable, "The environment variable with the server's token."),
            .text(
                "server.tokenFile", \.server.tokenFile,
                "The file whose first line is the server's token. A path is relative to the settings."),
            .texts(
                "server.tokenCommand", \.server.tokenCommand,
                "The program that writes the server's token, and its arguments."),
        ]

        /// Where the server's token is; `nil` for a server without one.
        public var token: SecretText.Source? {
            tokenVariable.map { .environment($0) } ?? tokenFile.map { .file($0) }
                ?? (tokenCommand.isEmpty ? nil : .command(tokenCommand))
        }

        /// Returns the same server, with the paths of files relative to a folder.
        func relative(to folder: String) -> ProfileSettings.Server {
            var server = self
            func full(_ path: String) -> String { PathBytes(path).isAbsolute ? path : folder + "/" + path }
            server.authorities = authorities.map(full)
            server.tokenFile = tokenFile.map(full)
            return server
        }
    }
}
