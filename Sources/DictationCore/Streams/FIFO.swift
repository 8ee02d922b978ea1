/// A queue that adds and removes elements in constant time.
package struct FIFO<Element> {
    var items: [Element?] = []
    var head = 0

    package init() {}
    package init(_ elements: [Element]) { items = elements }

    package var isEmpty: Bool { head == items.count }
    package var count: Int { items.count - head }
    package var last: Element? {
        get { isEmpty ? nil : items[items.count - 1] }
        set { if !isEmpty, let newValue { items[items.count - 1] = newValue } }
    }
    package var first: Element? { isEmpty ? nil : items[head] }

    package mutating func append(_ element: Element) { items.append(element) }

    package mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = items[head]
        items[head] = nil
        head += 1
        if head == items.count {
            items.removeAll(keepingCapacity: items.count <= 1_024)
            head = 0
        } else if head > 64, head * 2 > items.count {
            items.removeFirst(head)
            head = 0
        }
        return element
    }

    package mutating func removeAll() {
        items = []
        head = 0
    }

    package mutating func removeAll(where shouldRemove: (Element) -> Bool) {
        items = items[head...].filter { $0.map { !shouldRemove($0) } ?? false }
        head = 0
    }
}

extension FIFO: Sendable where Element: Sendable {}
