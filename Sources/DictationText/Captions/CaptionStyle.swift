/// How much text a caption holds, and for how long it is shown.
public struct CaptionStyle: Sendable, Hashable {
    /// Columns per line; a Chinese, Japanese or Korean character takes two.
    public var columns: Int
    /// Lines per caption.
    public var lines: Int
    /// A caption covers at most this much speech, where the times of the words are known.
    public var maximumDuration: Duration
    /// A caption stays at least this long, unless the next one starts earlier.
    public var minimumDuration: Duration
    /// A longer pause between two words starts a new caption.
    public var maximumPause: Duration

    /// Creates a style; the default is what broadcasters use for Latin scripts.
    public init(
        columns: Int = 42, lines: Int = 2, maximumDuration: Duration = .seconds(7),
        minimumDuration: Duration = .seconds(1), maximumPause: Duration = .seconds(1)
    ) {
        self.columns = columns
        self.lines = lines
        self.maximumDuration = maximumDuration
        self.minimumDuration = minimumDuration
        self.maximumPause = maximumPause
    }
}
