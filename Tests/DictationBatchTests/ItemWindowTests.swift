import Testing

@testable import DictationBatch

struct ItemWindowTests {
    /// A group of 256 long lines would fill the memory.
    @Test func itemsWithLongLinesWaitInSmallGroups() {
        var window = ItemWindow(limit: 256)
        let item = BatchItem(path: "a", reference: String(repeating: "x", count: 5 << 20))
        var count = 0
        while window.hasRoom {
            window.put(item)
            count += 1
        }
        #expect(count == 4)
        // The group is taken, so there is room for another one, and no more.
        _ = window.take()
        while window.hasRoom {
            window.put(item)
            count += 1
        }
        #expect(count == 8)
        window.close()
        var rest = 0
        while window.take() != nil { rest += 1 }
        #expect(rest == 7 && window.isOver)
    }
}
