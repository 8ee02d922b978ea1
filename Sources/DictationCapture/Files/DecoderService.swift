#if SoundFile
import CDictationHelper
import DictationCore
import DictationSystem
import FoundationEssentials

/// The work of a helper that decodes recordings.
///
/// It reads none itself: for each, it splits off a copy of itself, which takes a tenth of the time that starting a program
/// takes, and which gives up every right before it reads the recording. So one recording can't change what becomes of another.
package enum DecoderService {
    /// Decodes recordings until the process that started this one has ended, or needs no more.
    package static func run() -> Never {
        HelperRole.decoder.checkConnection()
        // What else the program had open stays its own. Another thread than the one that started this process may need it.
        dictation_helper_confine(HelperRole.connection + 1, 0)
        let connection = Descriptor(HelperRole.connection)
        warmUp()
        while connection.hasInput(within: DecoderLimits.idleMilliseconds),
            let (request, files) = connection.receive(limit: DecoderMessage.requestLimit, files: 3)
        {
            var process = dictation_helper_split(files, 3)
            if process == 0 { decode(request) }
            for file in files { close(file) }
            _ = connection.send(withUnsafeBytes(of: &process) { Array($0) }[...])
        }
        exit(0)
    }

    /// Decodes the recording that a copy has as its descriptor 3, and ends it.
    private static func decode(_ request: [UInt8]) -> Never {
        guard let request = try? JSONDecoder().decode(DecoderRequest.self, from: Data(request)),
            let file = try? ReadableFile(descriptor: ReadingProgram.descriptor, path: request.path)
        else { _exit(HelperRole.misuse) }
        restrict(file)
        // Without a reader, the process that asked has ended, or wants no more.
        try? decode(file, request, to: Output(Descriptor(STDOUT_FILENO)))
        // What libraries do at the end of a process takes longer than to decode a short recording.
        _exit(0)
    }

    /// Does once what each copy would do for the first time.
    private static func warmUp() {
        let request = DecoderRequest(path: "", raw: .speech, start: .zero)
        _ = try? JSONDecoder().decode(DecoderRequest.self, from: Data(DecoderMessage.bytes(request)))
        _ = DecoderMessage.bytes(DecoderHead(format: .speech, frameCount: 0))
        _ = DecoderMessage.bytes(DecoderEnd())
    }

    /// Gives up every right but to read the file and to write.
    private static func restrict(_ file: ReadableFile) {
        let seconds = rlim_t(DecoderLimits.seconds(for: file))
        var limit = rlimit(rlim_cur: seconds, rlim_max: seconds)
        setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &limit)
        let none: UnsafePointer<CChar>? = nil
        withUnsafePointer(to: none) { _ = dictation_helper_restrict($0, DecoderLimits.memory) }
    }

    private static func decode(
        _ file: ReadableFile, _ request: DecoderRequest, to output: borrowing Output
    ) throws(SystemError) {
        let decoder: SoundFileDecoder
        do throws(DictationError) {
            decoder = try SoundFileDecoder(file, raw: request.raw, from: request.start)
        } catch {
            return try output.writePart(DecoderMessage.bytes(DecoderHead(error: error)))
        }
        let format = decoder.format
        try output.writePart(DecoderMessage.bytes(DecoderHead(format: format, frameCount: decoder.frameCount)))
        var frame = format.frames(in: request.start)
        let most = max(1, min(1 << 14, DecoderMessage.limit / format.bytesPerFrame))
        var samples = [UInt8](repeating: 0, count: most * format.bytesPerFrame)
        var count = most
        while count == most {
            count = samples.withUnsafeMutableBytes { decoder.read(into: $0) }
            frame += Int64(count)
            if count > 0 { try output.writePart(samples[..<(count * format.bytesPerFrame)]) }
        }
        try output.writePart([])
        var end = DecoderEnd()
        if case .failure(let error) = decoder.ending(at: frame) { end.error = error }
        try output.writePart(DecoderMessage.bytes(end))
    }

    /// The output of this process.
    private struct Output: ~Copyable {
        private let file: Descriptor
        init(_ file: consuming Descriptor) { self.file = file }

        func write(_ bytes: some Collection<UInt8>) throws(SystemError) {
            try Array(bytes).withUnsafeBytes { bytes in
                Result { () throws(SystemError) in try file.write(bytes) }
            }.get()
        }

        func writePart(_ part: some Collection<UInt8>) throws(SystemError) {
            try write(withUnsafeBytes(of: UInt32(part.count)) { Array($0) } + part)
        }
    }
}
#endif
