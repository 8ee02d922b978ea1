import DictationCore
import DictationSystem

extension StringProtocol {
    /// The text for an element or a quoted attribute of a page: markup is shown as text. Control characters and
    /// characters that turn text around are spaces.
    var inHTML: String { onOneLine.inMarkup(quotes: true) }
}

extension Duration {
    /// The seconds with up to three decimals, as a script reads them.
    var secondsInHTML: String {
        let (whole, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        guard rest > 0 else { return "\(whole)" }
        let decimals = digits(rest, count: 3)
        return "\(whole)." + decimals.prefix(decimals.utf8.count - decimals.reversed().prefix { $0 == "0" }.count)
    }

    /// The time as a person reads it: `1:05`, or `1:00:05`.
    var onClock: String {
        let seconds = milliseconds / 1_000
        let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
        return (hours > 0 ? "\(hours):" + digits(minutes, count: 2) : "\(minutes)") + ":"
            + digits(seconds % 60, count: 2)
    }
}
