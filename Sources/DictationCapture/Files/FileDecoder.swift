#if SoundFile
import DictationCore
import DictationSystem

/// Decodes the audio of one file, from a time to the end.
protocol FileDecoder: AnyObject {
    /// The format of the samples.
    var format: AudioFormat { get }
    /// The number of frames that the whole file declares, or `nil` if it declares none.
    var frameCount: Int64? { get }
    /// Fills memory with whole frames, and returns how many. It returns fewer than fit only at the end.
    func read(into bytes: UnsafeMutableRawBufferPointer) -> Int
    /// Returns how the file ends, once all frames were read: with an error if it is damaged or shortened.
    ///
    /// - Parameter frame: The number of the frame after the last one, counted from the beginning of the file.
    func ending(at frame: Int64) -> Result<Void, DictationError>
}

/// What a process that decodes a recording may use.
enum DecoderLimits {
    /// The greatest size of its address space. A program with its libraries takes less than one GB.
    static let memory: UInt64 = 4 << 30
    /// How many seconds of processor time it may take without any output, and how many it may wait without taking any.
    static let patience = (work: 60, rest: 120)
    /// How long a helper may take to begin with a recording.
    static let answerMilliseconds: Int32 = 20_000
    /// How long a helper without a recording stays.
    static let idleMilliseconds: Int32 = 10_000

    /// Returns the processor time that it may take for a file, in seconds. It is about a hundred times what decoding takes,
    /// and ends a decoder that goes round in circles after the program that started it was killed.
    static func seconds(for file: ReadableFile) -> Int64 { 120 + file.byteCount / 100_000 }
}

extension FileDecoder {
    /// The advice for a file that is damaged or shortened.
    static var damageAdvice: String { "Use what was read, or get the file again." }

    /// Returns the time of a frame for people, to a hundredth of a second.
    func seconds(_ frame: Int64) -> String {
        "\((format.duration(ofFrames: frame) / .milliseconds(10)).rounded() / 100) seconds"
    }

    /// Returns the error for a file that ends before its declared length.
    func shortened(_ path: String, at frame: Int64, of whole: Int64) -> DictationError {
        DictationError(
            .fileUnreadable,
            "“\(path)” ends too early, after \(seconds(frame)) of \(seconds(whole)).",
            recovery: Self.damageAdvice)
    }

    /// Returns the error for a file in whose container something else than the end follows the audio.
    func error(_ end: ContainerEnd, of path: String, after frame: Int64) -> DictationError? {
        let (what, recovery) =
            switch end {
            case .whole: ("", "")
            case .early: ("ends too early, after \(seconds(frame))", Self.damageAdvice)
            case .anotherRecording:
                (
                    "has another recording after \(seconds(frame)), which is not read",
                    "Convert the file, for example with “ffmpeg -i IN OUT.flac”."
                )
            case .moreBytes:
                (
                    "has more audio than its header declares, which is not read: it declares \(seconds(frame))",
                    "Get the file again, or repair its header."
                )
            }
        return end == .whole ? nil : DictationError(.fileUnreadable, "“\(path)” \(what).", recovery: recovery)
    }
}
#endif
