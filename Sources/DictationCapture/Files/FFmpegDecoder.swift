#if SoundFile
import DictationCore
import DictationSystem

/// Decodes a track of a recording with the program `ffmpeg`.
///
/// FFmpeg mixes and resamples too, because that costs less than moving more samples between the processes.
final class FFmpegDecoder: FileDecoder {
    let format: AudioFormat
    let frameCount: Int64?
    private let file: ReadableFile
    private let firstFrame: Int64
    private let promisedFrameCount: Int64?
    private let program: FFmpegProgram
    /// What begins the messages about the file and the track. Other messages are about tracks that are not read.
    private let contexts: [String]
    /// The number of the track's stream in the file.
    private let stream: Int
    private let isBroadcast: Bool

    /// Opens a recording.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - track: The number of the audio track, from 1.
    ///   - keepsChannels: Whether to keep all channels of the track.
    ///   - preferred: The format to convert to, or `nil` for the track's own format.
    ///   - start: The time from which to read.
    /// - Throws: `fileUnreadable` if the file is no recording with such a track, or FFmpeg is not installed.
    init(
        _ file: ReadableFile, track: Int, keepsChannels: Bool, preferred: AudioFormat?, from start: Duration
    ) throws(DictationError) {
        let recording = try FFmpegRecording(file)
        guard recording.tracks.indices.contains(track - 1) else {
            throw Self.missing(track, of: recording.tracks.count, file.path)
        }
        let chosen = recording.tracks[track - 1]
        var format = try preferred?.validated() ?? chosen.format
        // Two channels may cancel each other, which the converter sees.
        if keepsChannels || chosen.format.channelCount == 2 { format.channelCount = chosen.format.channelCount }
        let first = start + recording.lead
        // From a broadcast, FFmpeg counts the time of this track alone, unless it begins later on.
        let delay = first > .zero || !recording.countsFromTrack ? .zero : chosen.delay
        self.file = file
        firstFrame = format.frames(in: start)
        frameCount = (chosen.promisedDuration ?? recording.duration).map { format.frames(in: $0) }
        promisedFrameCount = chosen.promisedDuration.map { format.frames(in: $0) }
        contexts = ["[\(recording.formatName)]", "[\(chosen.codec)]"]
        stream = chosen.index
        isBroadcast = recording.formatName == "mpegts"
        program = try FFmpegProgram(
            // A broadcast without a part of its packets is only worth a warning to FFmpeg.
            "ffmpeg", warns: isBroadcast,
            ["-nostdin", "-threads", "1", "-timelimit", "\(DecoderLimits.seconds(for: file))", "-vn", "-sn", "-dn"]
                + (first > .zero ? ["-ss", "\(Int64(min(first / .microseconds(1), 1e18).rounded()))us"] : [])
                // FFmpeg sleeps 10 ms for each 64 kB of a broadcast in which it finds no packet, unless it may look further.
                + (isBroadcast ? ["-resync_size", "\(Int32.max)"] : [])
                + FFmpegProgram.input + [
                    "-map", "0:\(chosen.index)", "-map_metadata", "-1", "-max_error_rate", "0",
                    // Fills the time before the first sample, and where samples are missing, with silence. No mix of
                    // channels is louder than one of them.
                    "-af",
                    Self.mix(chosen.format.channelCount, to: format.channelCount)
                        + "aresample=async=1:first_pts=\(-chosen.format.frames(in: delay)):rematrix_maxval=1",
                    "-ar", "\(format.sampleRate)", "-ac", "\(format.channelCount)",
                    "-c:a", "pcm_\(format.sampleType.ffmpegName)", "-f", format.sampleType.ffmpegName,
                    // Writing each packet by itself would take half as long as decoding.
                    "-flush_packets", "0", "pipe:1",
                ], reading: file)
        self.format = format
    }

    func read(into bytes: UnsafeMutableRawBufferPointer) -> Int { program.read(into: bytes) / format.bytesPerFrame }

    func ending(at frame: Int64) -> Result<Void, DictationError> {
        let (status, messages) = program.end()
        // Encoders add up to a few packets of silence, which containers count or not.
        if let promised = promisedFrameCount, promised - frame > format.frames(in: .milliseconds(300)) {
            return .failure(shortened(file.path, at: frame, of: promised))
        }
        let complaint = messages.first(where: isComplaint) ?? (status == 0 ? hole : nil)
        let end = ContainerEnd(file)
        if end == .anotherRecording || status == 0 && complaint == nil {
            return error(end, of: file.path, after: frame).map { .failure($0) } ?? .success(())
        }
        if frame == firstFrame { return .failure(FFmpegRecording.refused(file.path, "ffmpeg", status, messages)) }
        return .failure(
            DictationError(
                .fileUnreadable, "“\(file.path)” is damaged, and some of its audio is missing.",
                recovery: Self.damageAdvice,
                underlying: .init(domain: "ffmpeg", code: Int(status ?? 0), message: complaint)))
    }

    /// Says where a broadcast has no packets, which FFmpeg does not always notice; `nil` if it has all, and for other files.
    private var hole: String? {
        guard isBroadcast,
            let hole = BroadcastHole(in: file, stream: stream, after: format.duration(ofFrames: firstFrame))
        else { return nil }
        let (start, end) = (hole.range.lowerBound / .seconds(1), hole.range.upperBound / .seconds(1))
        return "no packets from \(start) to \(end) s"
    }

    /// Whether a message says that audio of the track is missing.
    private func isComplaint(_ line: String) -> Bool {
        if line.contains("[warning] ") {
            return line.lowercased().contains("corrupt")
                && (line.contains("stream = \(stream),") || line.hasSuffix("in stream \(stream)"))
        }
        let line = line.replacing("[error] ", with: "").replacing("[fatal] ", with: "")
        return !line.hasPrefix("[") || contexts.contains { line.hasPrefix($0) }
    }

    /// The filter that mixes more channels than loudspeakers have places. FFmpeg would leave out some of them.
    private static func mix(_ count: Int, to wanted: Int) -> String {
        guard count > 8, wanted == 1 else { return "" }
        return "pan=mono|c0=" + (0..<count).map { "\(1 / Double(count))*c\($0)" }.joined(separator: "+") + ","
    }

    private static func missing(_ track: Int, of count: Int, _ path: String) -> DictationError {
        guard count > 0 else {
            return DictationError(
                .fileUnreadable, "“\(path)” has no audio.", recovery: "Use a recording with an audio track.")
        }
        let tracks = count == 1 ? "one audio track" : "\(count) audio tracks"
        return DictationError(
            .fileUnreadable, "“\(path)” has \(tracks), and no audio track \(track).",
            recovery: count == 1 ? "Leave the track out." : "Choose a track from 1 to \(count).")
    }
}

extension AudioFormat.SampleType {
    /// The name of the type in FFmpeg, in little-endian byte order.
    fileprivate var ffmpegName: String {
        switch self {
        case .int16: "s16le"
        case .int24: "s24le"
        case .int32: "s32le"
        case .float32: "f32le"
        case .float64: "f64le"
        }
    }
}
#endif
