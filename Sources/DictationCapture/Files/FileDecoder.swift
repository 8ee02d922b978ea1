#if SoundFile
import DictationCore

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
}
#endif
