/// Lends C strings to a closure, with `nil` for each missing string.
func withCStrings<Answer>(_ strings: [String?], _ body: ([UnsafePointer<CChar>?]) -> Answer) -> Answer {
    let copies = strings.map { $0.map { Array($0.utf8CString) } }
    func lend(_ index: Int, _ lent: [UnsafePointer<CChar>?]) -> Answer {
        guard index < copies.count else { return body(lent) }
        guard let copy = copies[index] else { return lend(index + 1, lent + [nil]) }
        return copy.withUnsafeBufferPointer { lend(index + 1, lent + [$0.baseAddress]) }
    }
    return lend(0, [])
}
