import FoundationEssentials
import Glibc

/// What one benchmark measured: every run's figure, and every run's of what it is compared with.
struct Measurement: Codable {
    /// What was measured beside it, in turns with it.
    struct Peer: Codable {
        var name: String
        var runs: [Double]
    }

    var name: String
    var unit: String
    var runs: [Double]
    var peer: Peer?

    /// How many times the peer's figure ours is.
    var ratio: Double? {
        guard let peer, peer.runs.median > 0 else { return nil }
        return runs.median / peer.runs.median
    }

    /// Takes both figures in turns, so that what slows the machine slows both.
    static func inTurns(
        _ name: String, _ unit: String, runs: Int, against peer: String, ours: () async throws -> Double,
        theirs: () async throws -> Double
    ) async throws -> Measurement {
        var (own, other): ([Double], [Double]) = ([], [])
        for _ in 0..<runs {
            own.append(try await ours())
            other.append(try await theirs())
        }
        return Measurement(name: name, unit: unit, runs: own, peer: Peer(name: peer, runs: other))
    }
}

extension [Double] {
    var median: Double { part(0.5) }

    /// The figure that such a part of all lies under.
    func part(_ part: Double) -> Double {
        guard !isEmpty else { return 0 }
        let sorted = sorted()
        let place = part * Double(count - 1)
        let (low, high) = (sorted[Int(place)], sorted[Swift.min(count - 1, Int(place) + 1)])
        return low + (high - low) * (place - place.rounded(.down))
    }
}

/// The processor time that this process and its ended children have used, in seconds.
func processorSeconds(_ who: __rusage_who = RUSAGE_SELF) -> Double {
    var usage = rusage()
    getrusage(Int32(who.rawValue), &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// The memory that this process has resident, in megabytes.
func residentMegabytes() -> Double {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return Double(pages * sysconf(Int32(_SC_PAGESIZE))) / 1e6
}
