import FoundationEssentials
import Glibc

/// What one benchmark measured: every run's figure, and what it is a figure of.
struct Measurement: Codable {
    var name: String
    var unit: String
    var runs: [Double]

    var median: Double {
        let sorted = runs.sorted()
        guard let last = sorted.last else { return 0 }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2)
            ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted.count == 1 ? last : sorted[middle]
    }

    /// A line of the table: name, median, and how far the runs lie apart.
    var line: String {
        let spread = "\(Self.rounded(runs.min() ?? 0)) … \(Self.rounded(runs.max() ?? 0))"
        return [Self.padded(name, 52), Self.padded(Self.rounded(median), 12), Self.padded(unit, 22), spread].joined()
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    private static func rounded(_ value: Double) -> String {
        let digits = value >= 100 ? 1.0 : value >= 1 ? 100.0 : 10_000.0
        return "\((value * digits).rounded() / digits)"
    }
}

/// The processor time that this process has used, in seconds.
func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The memory that this process has resident, in bytes.
func residentBytes() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * sysconf(Int32(_SC_PAGESIZE))
}
