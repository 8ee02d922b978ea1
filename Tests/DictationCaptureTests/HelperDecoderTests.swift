#if SoundFile
import DictationCore
import DictationSystem
import DictationTesting
import Foundation
import TestSupport
import Testing

@testable import DictationCapture

/// Recordings that a helper decodes.
@Suite(.timeLimit(.minutes(10))) struct HelperDecoderTests {
    private let folder = TemporaryFolder()

    private struct Decoded: Equatable {
        var format: AudioFormat?
        var frameCount: Int64?
        var starts: [Duration] = []
        var samples: [UInt8] = []
        var error: DictationError?
    }

    private func decode(_ path: String, inHelper: Bool, from start: Duration = .zero, frames: Int = 1 << 14) -> Decoded
    {
        var decoded = Decoded()
        do throws(DictationError) {
            var reader = try AudioFileReader(path: path, from: start, inHelper: inHelper)
            (decoded.format, decoded.frameCount) = (reader.format, reader.frameCount)
            while let buffer = try reader.read(frames: frames) {
                decoded.starts.append(buffer.start)
                decoded.samples += buffer.withUnsafeBytes { Array($0) }
            }
        } catch { decoded.error = error }
        return decoded
    }

    private static let kinds = [
        ("wav", [String]()), ("flac", []), ("mp3", []), ("ogg", ["-c:a", "libvorbis"]), ("opus", ["-c:a", "libopus"]),
        ("aiff", []), ("au", []), ("w64", []), ("caf", []), ("m4a", ["-c:a", "aac"]),
    ]

    /// Whole, from a time on, cut, and with damaged bytes.
    @Test(arguments: kinds) func aHelperReadsWhatThisProcessReads(_ kind: String, _ codec: [String]) async throws {
        let path = folder("whole.\(kind)")
        let source = ["-f", "lavfi", "-i", "anoisesrc=d=6:c=pink:r=16000:a=0.3:seed=5", "-ac", "2"]
        try await Made.run(source + codec + [path])
        let whole = decode(path, inHelper: true)
        #expect(whole == decode(path, inHelper: false) && whole.error == nil && whole.starts.count > 5)
        let later = decode(path, inHelper: true, from: .milliseconds(2_345))
        #expect(later == decode(path, inHelper: false, from: .milliseconds(2_345)))
        let bytes = try Data(contentsOf: URL(filePath: path))
        var random = SplitMix64(seed: UInt64(bytes.count))
        for number in 0..<8 {
            var damaged = bytes.prefix(number == 0 ? bytes.count * 2 / 3 : bytes.count)
            for _ in 0..<number * 3 {
                damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let path = folder("damaged.\(kind)")
            try Data(damaged).write(to: URL(filePath: path))
            var (ours, helpers) = (decode(path, inHelper: false), decode(path, inHelper: true))
            // FFmpeg's messages have the order of its threads.
            ours.error?.underlying = nil
            helpers.error?.underlying = nil
            #expect(ours.error == helpers.error && ours.starts == helpers.starts, "\(kind) \(number)")
            #expect(ours.samples == helpers.samples && ours.format == helpers.format, "\(kind) \(number)")
        }
    }

    @Test func severalChannelsAndLongReadsFitThroughTheHelper() async throws {
        let path = folder("eight.wav")
        try await Made.run([
            "-f", "lavfi", "-i", "anoisesrc=d=20:r=48000:seed=3", "-ac", "8", "-c:a", "pcm_f32le", path,
        ])
        let whole = decode(path, inHelper: true, frames: 300_000)
        #expect(whole == decode(path, inHelper: false, frames: 300_000) && whole.error == nil)
    }

    @Test func aFileThatIsNoRecordingIsSaidAsBefore() throws {
        let path = folder("text.wav")
        try Data("This is no recording.".utf8).write(to: URL(filePath: path))
        #expect(decode(path, inHelper: true).error?.message == decode(path, inHelper: false).error?.message)
        let empty = folder("empty.wav")
        try Data().write(to: URL(filePath: empty))
        #expect(decode(empty, inHelper: true).error?.message == decode(empty, inHelper: false).error?.message)
    }

    /// A recording that takes its decoder over can neither reach anything nor end the program.
    @Test func aDecoderCanOnlyReadItsFileAndItsEndCostsTheRest() async throws {
        let (path, one, another) = (folder("long.wav"), AudioReadBytes(), AudioReadBytes())
        try await Made.run(["-f", "lavfi", "-i", "anoisesrc=d=600:r=48000:seed=3", "-c:a", "pcm_s16le", path])
        let decoder = try HelperDecoder(ReadableFile(path: path), raw: nil, from: .zero)
        let other = try HelperDecoder(ReadableFile(path: path), raw: nil, from: .zero)
        #expect(one.read(decoder) > 0 && another.read(other) > 0)
        // It waits for its reader, because the pipe is full.
        let helper = decoder.program.number
        let status = try String(contentsOfFile: "/proc/\(helper)/status", encoding: .utf8)
        #expect(status.contains("NoNewPrivs:\t1") && status.contains("Seccomp:\t2"), "\(status)")
        #expect(status.contains("Threads:\t1\n") && status.contains("PPid:\t\(getpid())\n"), "\(status)")
        #expect(helper != other.program.number, "One recording can't change what becomes of another.")
        kill(helper, SIGKILL)
        while one.read(decoder) > 0 {}
        guard case .failure(let failure) = decoder.ending(at: 0) else { return #expect(Bool(false), "It ended well.") }
        #expect(failure.code == .fileUnreadable)
        #expect(failure.message.contains("ended the process that decoded it"), "\(failure)")
        while another.read(other) > 0 {}
        #expect((try? other.ending(at: 600 * 48_000).get()) != nil)
    }

    /// A pipe of the program would otherwise never end for its reader.
    @Test func aHelperKeepsNothingOfTheProgramOpen() async throws {
        let (path, pipe) = (folder("short.wav"), Pipe())
        try await Made.run(["-f", "lavfi", "-i", "anoisesrc=d=1:r=16000:seed=3", "-c:a", "pcm_s16le", path])
        // As Foundation leaves it.
        let writing = dup(pipe.fileHandleForWriting.fileDescriptor)
        _ = fcntl(writing, F_SETFD, 0)
        DecoderHelper.end()
        #expect(decode(path, inHelper: true).error == nil)
        close(writing)
        try pipe.fileHandleForWriting.close()
        #expect(try pipe.fileHandleForReading.readToEnd() == nil)
    }

    /// One that was stopped is replaced when it has not answered for a while.
    @Test(.ownThread, arguments: [SIGKILL, SIGSTOP]) func aHelperThatWorksNoMoreIsReplaced(signal: Int32) async throws {
        let path = folder("short.wav")
        try await Made.run(["-f", "lavfi", "-i", "anoisesrc=d=1:r=16000:seed=3", "-c:a", "pcm_s16le", path])
        for _ in 0..<(signal == SIGKILL ? 3 : 1) {
            #expect(decode(path, inHelper: true).error == nil)
            if let number = DecoderHelper.number { kill(number, signal) }
        }
        #expect(decode(path, inHelper: true).error == nil)
    }

    @Test func aReaderThatIsReleasedLeavesNoProcess() async throws {
        let path = folder("left.wav")
        try await Made.run(["-f", "lavfi", "-i", "anoisesrc=d=600:r=48000:seed=3", "-c:a", "pcm_s16le", path])
        func readSome() throws -> pid_t {
            let decoder = try HelperDecoder(ReadableFile(path: path), raw: nil, from: .zero)
            #expect(AudioReadBytes().read(decoder) > 0 && kill(decoder.program.number, 0) == 0)
            return decoder.program.number
        }
        let number = try readSome()
        #expect(kill(number, 0) != 0 && errno == ESRCH)
    }

    /// Reads a little of a recording.
    private final class AudioReadBytes {
        private var bytes = [UInt8](repeating: 0, count: 1 << 16)
        func read(_ decoder: HelperDecoder) -> Int { bytes.withUnsafeMutableBytes { decoder.read(into: $0) } }
    }
}
#endif
