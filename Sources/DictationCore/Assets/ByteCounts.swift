extension Int64 {
    /// Returns the sum of the counts, or `nil` if a count is unknown or the sum is too large.
    package static func sum(_ counts: [Int64?]) -> Int64? {
        var sum: Int64 = 0
        for count in counts {
            guard let count, case (let next, false) = sum.addingReportingOverflow(count) else { return nil }
            sum = next
        }
        return sum
    }
}
