import DictationCapture

/// The options that choose a part of a recording.
extension Options {
    static let channels = Option<RecordingChannels>(
        "channels", "CHANNELS",
        "mixed, separate, or the number of one channel. With separate, each channel is a speaker. Default: mixed.",
        completion: .words(["mixed", "separate", "1", "2"]), expects: "mixed, separate or a number from 1 to 64"
    ) { text in
        switch text {
        case "mixed": .mixed
        case "separate": .separate
        default: Int(text).flatMap { (1...64).contains($0) ? .one($0) : nil }
        }
    }
    static let track = Option<Int>(
        number: "track", "N", "Use this audio track of a video. Default: 1, the first.", in: 1...99)
    static let recording = [channels.spec, track.spec]
}
