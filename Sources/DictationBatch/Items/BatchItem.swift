public import DictationCore

/// One recording of a batch, or a part of a recording.
///
/// A ``BatchManifest`` creates items. A program can also create its own:
///
/// ```swift
/// let item = BatchItem(path: "interview.wav", offset: .seconds(60), duration: .seconds(20))
/// ```
public struct BatchItem: Sendable, Hashable {
    /// The name that identifies the item in its batch.
    public var id: String
    /// The path of the recording.
    public var path: String
    /// The time in the recording at which the item begins.
    public var offset: Duration
    /// The length of the item; `nil` means the rest of the recording.
    public var duration: Duration?
    /// The number of the only channel to transcribe, from 1; `nil` means all.
    public var channel: Int?
    /// The text that was said, if somebody knows it, to count word errors.
    public var reference: String?
    /// The item's line in its manifest; `nil` for an item that is only a path.
    public var line: BatchManifest.Line?
    /// The reason why the item can't be transcribed, such as a line that is not JSON. Its result is this error.
    public var fault: DictationError?

    /// Creates an item.
    ///
    /// - Parameters:
    ///   - path: The path of the recording.
    ///   - id: The item's name. The default is the path, with the offset and the channel if there are any.
    ///   - offset: The time at which the item begins.
    ///   - duration: The length of the item; `nil` means the rest of the recording.
    ///   - channel: The number of the only channel to transcribe, from 1; `nil` means all.
    ///   - reference: The text that was said, if somebody knows it.
    public init(
        path: String, id: String? = nil, offset: Duration = .zero, duration: Duration? = nil, channel: Int? = nil,
        reference: String? = nil
    ) {
        self.path = path
        self.offset = offset
        self.duration = duration
        self.reference = reference
        self.channel = channel
        self.id =
            id ?? path + (offset > .zero ? "@\(offset.seconds)" : "") + (channel.map { " channel \($0)" } ?? "")
    }
}

extension BatchManifest {
    /// A line of a manifest, as it was written.
    public struct Line: Sendable, Hashable {
        /// The format of the line.
        public let format: BatchManifest.Format
        /// The JSON object.
        let json: JSONObject
    }
}

extension BatchItem {
    /// About how much memory the item needs.
    var byteCount: Int { 256 + 2 * path.utf8.count + (reference?.utf8.count ?? 0) + (line?.json.byteCount ?? 0) }
}

extension BatchManifest {
    /// The formats of a manifest.
    public enum Format: String, Sendable, Hashable, Codable {
        /// A path in each line.
        case paths
        /// NeMo's JSON lines with the path `audio_filepath`.
        case nemo
        /// Lhotse's cuts, one in each line.
        case lhotse
    }
}

extension Duration {
    /// The seconds, rounded to nanoseconds.
    package var seconds: Double { Double(nanoseconds) / 1e9 }

    /// Creates a duration from seconds, or `nil` if they are no time of a recording.
    package init?(recordingSeconds seconds: Double) {
        guard seconds.isFinite, seconds >= 0, seconds < 1e9 else { return nil }
        self = .nanoseconds(Int64((seconds * 1e9).rounded()))
    }
}
