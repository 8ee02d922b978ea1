import DictationSystem

/// A piece of a word, and its start time.
package struct Token: Hashable, Sendable {
    /// The piece; a leading space begins a word.
    package var text: String
    /// The start, in seconds since the stream's start or last reset.
    package var time: Double
    /// The logarithm of the token's probability; `nil` when not requested.
    package var logProbability: Double?

    package init(text: String, time: Double, logProbability: Double? = nil) {
        self.text = text
        self.time = time
        self.logProbability = logProbability
    }

    static func list(
        _ texts: UnsafePointer<UnsafePointer<CChar>?>?, _ times: UnsafePointer<Float>?, count: Int,
        timeScale: Double = 1, _ logProbabilities: [Double] = []
    ) -> [Token] {
        guard let texts, count > 0 else { return [] }
        return (0..<count).map { index in
            Token(
                text: texts[index].map { String(cString: $0) } ?? "",
                time: times.map { Double($0[index]) * timeScale } ?? 0,
                logProbability: index < logProbabilities.count ? logProbabilities[index] : nil)
        }
    }
}

/// Returns the numbers of a named array in the C library's JSON, which is the only place for some of its results.
func numbers(named name: String, inJSON json: UnsafePointer<CChar>) -> [Double] {
    guard let key = strstr(json, "\"\(name)\": [") else { return [] }
    var numbers: [Double] = []
    var position = UnsafePointer(key) + name.utf8.count + 5
    while true {
        var end: UnsafeMutablePointer<CChar>?
        let number = strtod(position, &end)
        guard let end, UnsafePointer(end) != position else { return numbers }
        numbers.append(number)
        position = UnsafePointer(end)
        guard position.pointee == 0x2C else { return numbers }
        position += 1
    }
}
