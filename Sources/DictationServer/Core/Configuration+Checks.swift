#if Server
import CSystem
import DictationCore
import DictationHTTP
import DictationSystem

extension DictationServer.Configuration {
    /// Checks that nobody can use the server by mistake.
    func validate(_ models: [ServedModel]) throws(DictationError) {
        guard !models.isEmpty else {
            throw DictationError(.invalidInput, "The server has no model.", recovery: "Give it at least one.")
        }
        let names = models.flatMap { [$0.name] + $0.aliases }
        guard Set(names).count == names.count, !names.contains("") else {
            throw DictationError(
                .invalidInput, "The names of the server's models are not all different.",
                recovery: "Give each model, and each alias, a name of its own.")
        }
        if let http, token == nil, dictation_is_loopback(http.address) == 0 {
            throw DictationError(
                .invalidInput, "Without a token, “\(http.address)” would let everyone on the network use the engine.",
                recovery: "Set a token, or serve at 127.0.0.1.")
        }
        if let token, token.value.isEmpty || !token.value.utf8.allSatisfy({ (0x21..<0x7F).contains($0) }) {
            throw DictationError(
                .invalidInput, "The token is empty, or has characters that a header can't have.",
                recovery: "Use letters and digits.")
        }
        if let wyoming, !allowsOpenWyoming, dictation_is_loopback(wyoming.address) == 0 {
            throw DictationError(
                .invalidInput,
                "The Wyoming protocol has no token: at “\(wyoming.address)”, everyone on the network could use the engine.",
                recovery: "Serve Wyoming at 127.0.0.1, or allow it to everyone.")
        }
    }

    /// Reads the certificate and its key; `nil` for a server without encryption.
    func identity() throws(DictationError) -> HTTPIdentity? {
        guard certificateFile != nil || keyFile != nil else { return nil }
        guard let certificateFile, let keyFile else {
            throw DictationError(
                .invalidInput, "A server with encryption needs a certificate and its key.",
                recovery: "Name the files of both.")
        }
        return HTTPIdentity(
            certificate: try Self.text(of: certificateFile), key: try Self.text(of: keyFile))
    }

    private static func text(of path: String) throws(DictationError) -> String {
        guard let file = try OpenFile.reading(path) else { throw .missing("read", path) }
        return String(decoding: try file.readAll(limit: 1 << 20), as: UTF8.self)
    }
}
#endif
