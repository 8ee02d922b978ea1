#if Remote
import DictationCore
import DictationEngines

/// Has pieces recognized by a Wyoming server, each over a connection of its own.
struct WyomingPieces: PieceServer {
    let links: RemoteLinks
    private let runtime = DictationRuntime.current

    init(_ server: RemoteServer, model: String?) throws(DictationError) {
        let ports = ["tcp": 10_300, "tls": 10_300, "unix": 0]
        links = try RemoteLinks(server, ports: ports) { address, options in
            WyomingConversation(
                with: address.text, language: options.locale.language, service: model)
        }
    }

    func prepare(_ options: RecognitionOptions) async throws(DictationError) {
        let links = links
        try await BlockingWork("remote", runtime: runtime).run { () throws(DictationError) in
            do throws(RemoteFailure) { try links.prepare(for: options) } catch { throw error.error }
        }
    }

    func models() async throws(DictationError) -> [RemoteModel] {
        let (links, work) = (links, BlockingWork("remote", runtime: runtime))
        return try await RemoteAttempts(links.server, links.addresses, repeats: false).run(from: 0) {
            address, hasSent throws(RemoteFailure) in
            try await work.attempt(&hasSent) { _ throws(RemoteFailure) in
                let link = try links.open(address, for: RecognitionOptions())
                return (link.conversation as? WyomingConversation)?.info?.models ?? []
            }
        }
    }

    func recognize(
        _ piece: PauseCutter.Piece, _ options: RecognitionOptions, show: @escaping @Sendable (String) -> Void
    ) async throws(DictationError) -> PieceAnswer {
        let audio = AudioBuffer(piece.samples, start: piece.start)
        let (links, work) = (links, BlockingWork("remote", runtime: runtime))
        return try await RemoteAttempts(links.server, links.addresses).run(from: links.nextTurn()) {
            address, hasSent throws(RemoteFailure) in
            try await work.attempt(&hasSent) { hasSent throws(RemoteFailure) in
                var answer = PieceAnswer(text: "")
                try links.exchange(audio, for: options, with: address, hasSent: &hasSent) { update in
                    if let result = update.finalResult {
                        (answer.text, answer.isComplete) = (result.text, result.isComplete)
                    }
                }
                return answer
            }
        }
    }
}
#endif
