#if SoundFile
import DictationCore
import DictationSystem
import FoundationEssentials

/// The audio tracks of a recording, as `ffprobe` sees them.
struct FFmpegRecording {
    /// One audio track.
    struct Track {
        /// The number of the stream in the file.
        var index: Int
        /// The name of the codec.
        var codec: String
        /// The format that keeps every sample.
        var format: AudioFormat
        /// The time from the beginning of the file to the beginning of the track.
        var delay: Duration
        /// The time from the beginning of the file to the end of the track, if the file declares it.
        var promisedDuration: Duration?
    }

    /// The name of the file's format.
    let formatName: String
    /// The audio tracks, in the order of the file.
    let tracks: [Track]
    /// The duration of the whole file, or `nil` if it is unknown. It may be an estimate.
    let duration: Duration?
    /// The time in the file before the time zero, which some encoders need to begin. FFmpeg counts from its beginning.
    let lead: Duration

    /// Whether FFmpeg counts the time from the beginning of the track that it reads, and not of the file.
    var countsFromTrack: Bool { formatName == "mpeg" || formatName == "mpegts" }

    /// Examines a file.
    ///
    /// - Throws: `fileUnreadable` if the file is no recording, or FFmpeg is not installed.
    init(_ file: ReadableFile) throws(DictationError) {
        let program = try FFmpegProgram(
            "ffprobe",
            [
                "-of", "json", "-select_streams", "a", "-show_entries",
                "stream=index,codec_name,sample_fmt,sample_rate,channels,start_time,duration,nb_frames:"
                    + "stream_tags=DURATION:"
                    + "format=format_name,start_time,duration",
            ] + FFmpegProgram.input, reading: file)
        var json = [UInt8](repeating: 0, count: 1 << 20)
        let count = json.withUnsafeMutableBytes { program.read(into: $0) }
        let (status, messages) = program.end()
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        guard status == 0, let report = try? decoder.decode(Report.self, from: Data(json[..<count])),
            let name = report.format?.formatName
        else { throw Self.refused(file.path, "ffprobe", status, messages) }
        formatName = name
        let start = report.format?.startTime.flatMap(Duration.init(seconds:)) ?? .zero
        lead = max(.zero, .zero - start)
        let first = max(.zero, start)
        // Matroska declares the time of its end, and other formats the time between beginning and end.
        let length = report.format?.duration.flatMap(Duration.init(seconds:))
        duration = name.hasPrefix("matroska") ? length?.after(first) : length
        let isExact = !Self.estimatedFormats.contains(name)
        tracks = (report.streams ?? []).compactMap { $0.track(inFileFrom: first, isExact: isExact) }
    }

    /// The formats without a length. FFmpeg estimates it from the file's size.
    private static let estimatedFormats: Set = [
        "aac", "ac3", "amr", "dts", "eac3", "loas", "mp3", "mpeg", "mpegts", "truehd",
    ]

    /// Returns the error for a file without audio that can be decoded.
    static func refused(
        _ path: String, _ program: String, _ status: Int32?, _ messages: [String]
    ) -> DictationError {
        let underlying = DictationError.Underlying(
            domain: program, code: Int(status ?? 0), message: messages.last)
        if messages.contains(where: { $0.contains("not on whitelist") }) {
            return DictationError(
                .fileUnreadable, "“\(path)” is a picture, a playlist or another file without audio of its own.",
                recovery: "Use the recording itself. Raw samples need a header, or in Swift the format as `raw:`.",
                underlying: underlying)
        }
        return DictationError(
            .fileUnreadable, "“\(path)” is not a recording that can be read.",
            recovery:
                "Check that it plays, or get it again. Raw samples need a header, or in Swift the format as `raw:`.",
            underlying: underlying)
    }
}

/// The report of `ffprobe`.
private struct Report: Decodable {
    struct Stream: Decodable {
        struct Tags: Decodable {
            var duration: String?

            private enum CodingKeys: String, CodingKey { case duration = "DURATION" }
        }

        var index: Int?
        var codecName: String?
        var sampleFmt: String?
        var sampleRate: String?
        var channels: Int?
        var startTime: String?
        var duration: String?
        var nbFrames: String?
        var tags: Tags?

        /// Returns the track, or `nil` if FFmpeg can't decode it.
        func track(inFileFrom start: Duration, isExact: Bool) -> FFmpegRecording.Track? {
            guard let index, let codecName, let channels, let rate = sampleRate.flatMap({ Int($0) }),
                let format = try? AudioFormat(
                    sampleRate: rate, channelCount: channels, sampleType: .init(ffmpegName: sampleFmt ?? "")
                ).validated()
            else { return nil }
            let first = startTime.flatMap(Duration.init(seconds:)) ?? start
            let end = duration.flatMap(Duration.init(seconds:)).map { first - start + $0 }
            // FFmpeg takes the length of a file that was cut, and keeps the number of samples in its header.
            let samples = codecName.hasPrefix("pcm_") ? nbFrames.flatMap { Int64($0) } : nil
            let counted = samples.map { first - start + format.duration(ofFrames: $0) }
            let declared = end ?? tags?.duration.flatMap(Duration.init(clock:))?.after(start)
            let promised = [declared, counted].compactMap(\.self).max()
            return .init(
                index: index, codec: codecName, format: format, delay: max(.zero, first - start),
                promisedDuration: isExact ? promised : nil)
        }
    }

    struct Format: Decodable {
        var formatName: String?
        var startTime: String?
        var duration: String?
    }

    var streams: [Stream]?
    var format: Format?
}

extension AudioFormat.SampleType {
    /// Creates the type that holds every sample of one of FFmpeg's types.
    fileprivate init(ffmpegName name: String) {
        switch name.prefix(3) {
        case "u8", "u8p", "s16": self = .int16
        case "s32": self = .int32
        case "dbl", "s64": self = .float64
        default: self = .float32
        }
    }
}

extension Duration {
    /// Creates a duration from seconds in decimals, unless it is longer than a year.
    init?(seconds text: String) {
        guard let seconds = Double(text), seconds.magnitude < 366 * 86_400 else { return nil }
        self = .seconds(seconds)
    }

    /// Returns the time from the start to this time, or `nil` if there is none.
    fileprivate func after(_ start: Duration) -> Duration? { self > start ? self - start : nil }

    /// Creates a duration from `00:00:20.019000000`.
    fileprivate init?(clock text: String) {
        let parts = text.split(separator: ":").compactMap { Double($0) }
        guard parts.count == 3 else { return nil }
        self.init(seconds: "\(parts[0] * 3_600 + parts[1] * 60 + parts[2])")
    }
}
#endif
