#if SoundFile
import DictationCore
import DictationSystem
import FoundationEssentials
import Synchronization

/// Decodes a file in a helper, which can do nothing but read the file and write its samples. A fault of the library then
/// costs the recording and nothing else.
final class HelperDecoder: FileDecoder {
    let format: AudioFormat
    let frameCount: Int64?
    private let path: String
    let program: ReadingProgram
    /// How many bytes of the present block are to be read; `nil` after the last block.
    private var left: Int? = 0

    /// Starts a helper, and has it open a file.
    ///
    /// - Throws: `fileUnreadable` if libsndfile can't read the file, and `engineFailed` if there is no helper.
    init(_ file: ReadableFile, raw: AudioFormat?, from start: Duration) throws(DictationError) {
        let helper = try HelperProgram.path()
        let request = DecoderMessage.bytes(DecoderRequest(path: file.path, raw: raw, start: start))
        do throws(SystemError) {
            program = try ReadingProgram(patience: DecoderLimits.patience) { (output, errors) throws(SystemError) in
                try DecoderHelper.decode(request, [output, errors, file.descriptor], with: helper)
            }
        } catch {
            throw DictationError(
                .engineFailed, "The helper process that decodes “\(file.path)” can't be started.",
                recovery: "Check that DICTATION_HELPER, or dictation-helper beside the program, may be run.",
                underlying: error.underlying)
        }
        path = file.path
        guard let head = Self.message(DecoderHead.self, from: program) else { throw Self.died(program, file.path) }
        if let error = head.error { throw error }
        guard let format = try? head.format?.validated() else { throw Self.died(program, file.path) }
        (self.format, frameCount) = (format, head.frameCount)
    }

    func read(into bytes: UnsafeMutableRawBufferPointer) -> Int {
        var filled = 0
        while filled < bytes.count, var rest = left {
            if rest == 0 {
                guard let size = Self.number(from: program), size > 0 else {
                    left = nil
                    break
                }
                rest = size
            }
            let wanted = min(bytes.count - filled, rest)
            let count = program.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[filled..<filled + wanted]))
            filled += count
            left = count == wanted ? rest - count : nil
        }
        return filled / format.bytesPerFrame
    }

    func ending(at frame: Int64) -> Result<Void, DictationError> {
        guard let end = Self.message(DecoderEnd.self, from: program) else {
            return .failure(Self.died(program, path))
        }
        return end.error.map { .failure($0) } ?? .success(())
    }

    private static func number(from program: ReadingProgram) -> Int? {
        var number = UInt32.zero
        let count = withUnsafeMutableBytes(of: &number) { program.read(into: $0) }
        return count == 4 && number <= DecoderMessage.limit ? Int(number) : nil
    }

    private static func message<Message: Decodable>(_: Message.Type, from program: ReadingProgram) -> Message? {
        guard let count = number(from: program) else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        guard bytes.withUnsafeMutableBytes({ program.read(into: $0) }) == count else { return nil }
        return try? JSONDecoder().decode(Message.self, from: Data(bytes))
    }

    /// The error for a helper that ended without the end of the recording.
    private static func died(_ program: ReadingProgram, _ path: String) -> DictationError {
        let (status, messages) = program.end()
        return DictationError(
            .fileUnreadable, "“\(path)” ended the process that decoded it, and some of its audio is missing.",
            recovery: damageAdvice,
            underlying: .init(domain: "dictation-helper", code: Int(abs(status ?? 0)), message: messages.last))
    }
}

/// The helper of this process that decodes recordings. It starts when the first one is to be decoded, and ends when nobody has
/// needed it for a while.
final class DecoderHelper: Sendable {
    private let program: RunningProgram
    private let socket: Descriptor
    private static let own = Mutex<DecoderHelper?>(nil)

    /// The number of its process; `nil` if none runs.
    static var number: pid_t? { own.withLock { $0?.program.number } }
    /// Ends it. The next recording starts another one.
    static func end() { own.withLock { $0 = nil } }

    private init(_ path: String) throws(SystemError) {
        let (ours, theirs) = try Descriptor.pair(keepsMessages: true)
        let other = Descriptor(theirs)
        socket = Descriptor(ours)
        program = try HelperRole.decoder.program(
            at: path, files: [.nothing, .nothing, .nothing, .descriptor(other.number)]
        ).start()
        let program = program
        // Without a thread, what is left of the process stays until the next recording.
        _ = SystemThread.start(named: "dictation-decoder") {
            program.waitForEnd()
            Self.own.withLock { if $0?.program === program { $0 = nil } }
        }
    }

    deinit { program.kill() }

    /// Has a recording decoded, by a process that this process may kill and wait for.
    ///
    /// - Parameters:
    ///   - files: The output, the error output and the recording.
    ///   - path: The helper's program, if none runs.
    static func decode(_ request: [UInt8], _ files: [Int32], with path: String) throws(SystemError) -> RunningProgram {
        try own.withLock { own throws(SystemError) in
            // One that has ended, as in a machine without memory, is replaced.
            for _ in 0..<2 {
                if own == nil { own = try DecoderHelper(path) }
                if let number = own?.split(request, files) { return RunningProgram(number) }
                own = nil
            }
            throw SystemError("clone", code: EAGAIN)
        }
    }

    private func split(_ request: [UInt8], _ files: [Int32]) -> pid_t? {
        var answer = pid_t.zero
        // One that was stopped is replaced as well.
        guard (try? socket.send(request, with: files)) != nil,
            socket.hasInput(within: DecoderLimits.answerMilliseconds),
            let count = withUnsafeMutableBytes(of: &answer, { try? socket.read(into: $0) }),
            count == MemoryLayout<pid_t>.size, answer > 0
        else { return nil }
        setpgid(answer, answer)
        return answer
    }
}

/// What a helper is to decode.
struct DecoderRequest: Codable {
    /// The file's path for messages. The helper gets the open file.
    var path: String
    var raw: AudioFormat?
    var start: Duration
}

/// What a helper says before the samples.
struct DecoderHead: Codable {
    var format: AudioFormat?
    var frameCount: Int64?
    var error: DictationError?
}

/// What a helper says after the samples.
struct DecoderEnd: Codable {
    var error: DictationError?
}

/// The parts of a helper's output: each is a length of four bytes, then JSON or samples. A part of samples without length
/// ends them.
enum DecoderMessage {
    /// The greatest length of a part.
    static let limit = 1 << 20
    /// The greatest length of a request.
    static let requestLimit = 1 << 16

    static func bytes(_ value: some Encodable) -> [UInt8] { (try? JSONEncoder().encode(value)).map { Array($0) } ?? [] }
}
#endif
