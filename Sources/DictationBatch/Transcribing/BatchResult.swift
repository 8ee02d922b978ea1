public import DictationCore

/// What became of an item.
public struct BatchResult: Sendable {
    /// The item.
    public let item: BatchItem
    /// The text. Its times begin with the item, not with the recording.
    ///
    /// Its error says why the item failed. It then has the text until there.
    public let transcript: Transcript
    /// How long the work on the item took.
    public let workTime: Duration

    /// Creates a result.
    public init(item: BatchItem, transcript: Transcript, workTime: Duration) {
        self.item = item
        self.transcript = transcript
        self.workTime = workTime
    }
}
