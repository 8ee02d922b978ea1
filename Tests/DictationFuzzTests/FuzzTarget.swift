import DictationCore
import Foundation

@testable import DictationCapture
@testable import DictationEngines
@testable import DictationModels

/// Something that reads what anyone may have written. Its corpus lies in the folder of its name.
enum FuzzTarget: String, CaseIterable {
    /// A script in one line.
    case marbles
    /// A script as JSON.
    case script
    /// The lines of a recording.
    case recording
    /// A grammar.
    case grammar
    /// A WAV file.
    case wave
    /// A catalogue of models.
    case catalog
    /// A catalogue with a signature.
    case signedCatalog
    /// A network of sherpa-onnx, seen from outside.
    case onnx
    /// The tokens of such a network.
    case vocabulary
    /// What a helper with an engine sends to its program.
    case helperMessages
    /// What a program sends to such a helper, and the memory that they share.
    case programMessages
    #if Remote
    /// The frames of a server's websocket, and its answer to the request for one.
    case socket, upgrade
    /// The frames of a client's websocket, for a server.
    case maskedSocket
    /// The messages of sherpa-onnx's server, of Vosk's, and of the OpenAI interface that streams audio.
    case sherpaServer, voskServer, realtimeServer
    /// The messages of a Wyoming server.
    case wyomingServer
    /// The answers of the OpenAI interface, in one piece and as events.
    case openAIAnswer, openAIEvents
    #endif

    /// The key that the corpus's catalogue is signed with.
    static let key = "CcJCEPcb/UvzvxnP8nn5pdXpWioOwstk51rqzfi6cGg="

    /// The error of bad input; anything else that is thrown is a mistake.
    private var refusal: DictationError.Code {
        switch self {
        case .wave: .fileUnreadable
        case .onnx, .vocabulary: .modelInvalid
        default: .invalidInput
        }
    }

    /// Inputs that can be read, and some that can't.
    func corpus() throws -> [[UInt8]] {
        switch self {
        case .helperMessages: return HelperFuzz.helperCorpus
        case .programMessages: return HelperFuzz.programCorpus
        #if Remote
        case .socket: return RemoteFuzz.socketCorpus
        case .upgrade: return RemoteFuzz.upgradeCorpus
        case .maskedSocket: return RemoteFuzz.maskedSocketCorpus
        case .sherpaServer: return RemoteFuzz.sherpaCorpus
        case .voskServer: return RemoteFuzz.voskCorpus
        case .realtimeServer: return RemoteFuzz.realtimeCorpus
        case .wyomingServer: return RemoteFuzz.wyomingCorpus
        case .openAIAnswer: return RemoteFuzz.answerCorpus
        case .openAIEvents: return RemoteFuzz.eventCorpus
        #endif
        default: break
        }
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus/\(rawValue)")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.sorted { $0.path < $1.path }.map { Array(try Data(contentsOf: $0)) }
    }

    /// Reads an input; `false` when it was refused as it should be, and a text when something is wrong.
    func read(_ bytes: [UInt8]) -> Result<Bool, Wrong> {
        do throws(DictationError) {
            return try take(bytes).map { .failure(Wrong($0)) } ?? .success(true)
        } catch {
            guard error.code == refusal, error.recovery != nil else { return .failure(Wrong("a bad error: \(error)")) }
            return .success(false)
        }
    }

    struct Wrong: Error, CustomStringConvertible {
        var description: String
        init(_ description: String) { self.description = description }
    }

    private func take(_ bytes: [UInt8]) throws(DictationError) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        switch self {
        case .marbles: _ = try ScriptedEngine.Script(marbles: text).validated()
        case .script: _ = try ScriptedEngine.Script(json: text).validated()
        case .recording:
            for session in try ReplayEngine.Recording(jsonLines: text).sessions {
                var end = Duration.zero
                for buffer in session.audio {
                    guard buffer.format == session.audioFormat, buffer.end >= end else { return "audio out of order" }
                    end = buffer.end
                }
            }
        case .grammar:
            let grammar = try JSGFGrammar(RecognitionTask.Grammar(jsgf: text))
            guard !grammar.words.isEmpty else { return "a grammar without words" }
        case .wave: return try Self.withFile(of: bytes, Self.readWave)
        case .onnx: return try Self.withFile(of: bytes, Self.readNetwork)
        case .vocabulary:
            return try Self.withFile(of: bytes) { path throws(DictationError) in
                let table = try TokenTable(at: path)
                return table.pieces.count <= table.count ? nil : "more pieces than tokens"
            }
        case .helperMessages: return try HelperFuzz.readAsProgram(bytes)
        case .programMessages: return try HelperFuzz.readAsHelper(bytes)
        #if Remote
        case .socket: return try RemoteFuzz.readSocket(bytes)
        case .upgrade: return try RemoteFuzz.readUpgrade(bytes)
        case .maskedSocket: return try RemoteFuzz.readSocket(bytes, isMasked: true)
        case .sherpaServer: return try RemoteFuzz.readSherpa(bytes)
        case .voskServer: return try RemoteFuzz.readVosk(bytes)
        case .realtimeServer: return try RemoteFuzz.readRealtime(bytes)
        case .wyomingServer: return try RemoteFuzz.readWyoming(bytes)
        case .openAIAnswer: return try RemoteFuzz.readAnswer(bytes)
        case .openAIEvents: return try RemoteFuzz.readEvents(bytes)
        #endif
        case .catalog:
            let catalog = try ModelCatalog(json: bytes)
            guard try ModelCatalog(json: try catalog.json()) == catalog else {
                return "another catalogue when read again"
            }
            let downloads = catalog.models.flatMap { $0.downloads ?? [] }
            let paths = catalog.models.flatMap { $0.files ?? [] }.map(\.path) + downloads.compactMap(\.file)
            guard (paths + downloads.compactMap(\.archive)).allSatisfy(Self.staysInside) else {
                return "a path that leads out"
            }
        case .signedCatalog:
            let catalog = try ModelCatalog(json: bytes, trusting: [ModelCatalog.Key(base64: Self.key)])
            guard catalog.name == "Signed models" else { return "a forged catalogue was taken" }
        }
        return nil
    }

    /// What the system makes of a path, told apart from what the library makes of it.
    private static func staysInside(_ path: String) -> Bool {
        let names = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let isControl: (UInt8) -> Bool = { $0 < 0x20 || $0 == 0x7F }
        return (names.first.map { !$0.isEmpty } ?? true || path.isEmpty) && !path.utf8.contains(where: isControl)
            && !names.contains { $0.elementsEqual("..".utf8) }
    }

    private static func withFile(
        of bytes: [UInt8], _ read: (String) throws(DictationError) -> String?
    ) throws(DictationError) -> String? {
        let path = FileManager.default.temporaryDirectory.appending(path: "dictation-fuzz-\(UUID())").path
        defer { unlink(path) }
        guard FileManager.default.createFile(atPath: path, contents: Data(bytes)) else {
            return "no room for the input"
        }
        return try read(path)
    }

    /// Nothing is longer or more than the file, or than any network needs.
    private static func readNetwork(_ path: String) throws(DictationError) -> String? {
        let file = try OnnxFile(at: path)
        let texts = file.inputs + file.outputs + file.metadata.flatMap { [$0.key, $0.value] }
        guard file.inputs.count + file.outputs.count <= 10_001 else { return "\(texts.count) texts" }
        let byteCount = texts.reduce(0) { $0 + $1.utf8.count }
        // A byte that is no UTF-8 becomes three.
        guard byteCount <= 3 << 16 else { return "\(byteCount) bytes of text" }
        return file.stackableInputs.isSubset(of: file.inputs) ? nil : "an input that there is not"
    }

    private static func readWave(_ path: String) throws(DictationError) -> String? {
        let file = try WaveFile(path: path)
        guard (try? file.format.validated()) != nil else { return "a format that audio can't have" }
        var frame: Int64 = 0
        while frame < 1 << 16 {
            let buffer = try file.read(from: frame, count: 1_000)
            if buffer.isEmpty { break }
            frame += Int64(buffer.frameCount)
        }
        return frame <= file.frameCount ? nil : "more frames than the file has"
    }
}
