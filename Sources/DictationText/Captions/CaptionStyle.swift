/// The size of captions, and the time for which they are shown.
public struct CaptionStyle: Sendable, Hashable {
    /// The columns per line. A Chinese, Japanese or Korean character takes two.
    public var columns: Int
    /// The lines per caption.
    public var lines: Int
    /// The most speech that a caption covers.
    public var maximumDuration: Duration
    /// The shortest time for which a caption is shown, unless the next caption starts earlier.
    public var minimumDuration: Duration
    /// The longest pause inside a caption. After a longer pause, and after lost audio, a new caption starts.
    public var maximumPause: Duration
    /// The columns that a viewer reads in a second. A caption with more stays longer, until the next caption starts. 0
    /// means no limit.
    public var columnsPerSecond: Int

    /// Creates a style. The defaults are usual in broadcasting for Latin scripts.
    public init(
        columns: Int = 42, lines: Int = 2, maximumDuration: Duration = .seconds(7),
        minimumDuration: Duration = .seconds(1), maximumPause: Duration = .seconds(1), columnsPerSecond: Int = 17
    ) {
        self.columns = columns
        self.lines = lines
        self.maximumDuration = maximumDuration
        self.minimumDuration = minimumDuration
        self.maximumPause = maximumPause
        self.columnsPerSecond = columnsPerSecond
    }
}
