import DictationCore

/// The items that wait for a worker, as a value.
///
/// The items are taken in groups. A group is what waits when the group before it is empty. In a group the longest items
/// are taken first, so that all workers end at about the same time. No item waits for longer ones that come after its
/// group.
struct ItemWindow: Sendable {
    let limit: Int
    /// How much memory the waiting items of a manifest with long lines may need.
    static let byteLimit = 16 << 20
    private var byteCount = 0
    private var waiting: [BatchItem] = []
    /// The present group, the longest item last.
    private var group: [BatchItem] = []
    private(set) var isClosed = false

    init(limit: Int) { self.limit = max(1, limit) }

    var hasRoom: Bool { waiting.count < limit && byteCount < Self.byteLimit && !isClosed }
    var isEmpty: Bool { waiting.isEmpty && group.isEmpty }
    /// Whether no item comes any more.
    var isOver: Bool { isEmpty && isClosed }

    mutating func put(_ item: BatchItem) {
        waiting.append(item)
        byteCount += item.byteCount
    }

    /// Says that no more items come.
    mutating func close() { isClosed = true }

    /// Removes all items, and takes no more.
    mutating func discard() { (waiting, group, isClosed) = ([], [], true) }

    /// Takes the next item. An item of unknown length counts as the longest.
    mutating func take() -> BatchItem? {
        if group.isEmpty {
            // Sorting keeps the order of equal items, and the first is taken from the end.
            group = waiting.reversed().sorted { Self.length($0) < Self.length($1) }
            (waiting, byteCount) = ([], 0)
        }
        return group.popLast()
    }

    private static func length(_ item: BatchItem) -> Duration { item.duration ?? .seconds(1_000_000_000) }
}
