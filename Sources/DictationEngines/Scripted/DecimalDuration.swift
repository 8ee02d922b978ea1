/// Times as decimal numbers of seconds, exact to the attosecond.
extension Duration {
    private static let attosecondsPerSecond: Int128 = 1_000_000_000_000_000_000

    /// Creates a time from a decimal number without sign or exponent. Returns `nil` for any other text or too many
    /// digits.
    init?(decimal text: String, unitsPerSecond: Int128 = 1) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard let whole = parts.first, parts.count <= 2, (1...18).contains(whole.count) else { return nil }
        let fraction = parts.count == 2 ? parts[1] : "0"
        guard (1...18).contains(fraction.count) else { return nil }
        var attoseconds: Int128 = 0
        for digit in whole + fraction + String(repeating: "0", count: 18 - fraction.count) {
            guard digit.isASCII, let value = digit.wholeNumberValue else { return nil }
            attoseconds = attoseconds * 10 + Int128(value)
        }
        self.init(attoseconds: attoseconds / unitsPerSecond)
    }

    /// The time as a decimal number of seconds.
    var decimalSeconds: String {
        let total = attoseconds
        let (whole, rest) = total.magnitude.quotientAndRemainder(dividingBy: Self.attosecondsPerSecond.magnitude)
        let sign = total < 0 ? "-" : ""
        guard rest > 0 else { return "\(sign)\(whole)" }
        let digits = String(rest)
        let padded = String(repeating: "0", count: 18 - digits.count) + digits
        let significant = padded.reversed().drop { $0 == "0" }.reversed()
        return "\(sign)\(whole).\(String(significant))"
    }
}
