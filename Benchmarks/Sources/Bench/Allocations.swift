import BenchSpeech
import CBench
import DictationCore
import FoundationEssentials
import Glibc

/// Counts the allocations for a buffer and for a result, and checks them against the limits in the repository.
enum Allocations {
    static var ofThisThread: Int { thread_allocations() }

    static func measure() async throws -> [Measurement] {
        let short = try await allocations { _ in }
        let longer = try await allocations { $0.minutes = 20 }
        let dense = try await allocations { $0.finalsPerMinute = 120 }
        let buffers = Double(10 * 60 * 10)
        let results = Double(10 * (120 - 30) * 2)
        let perResult = (dense - short) / results
        return [
            Measurement(name: "allocations: capture path, a buffer", unit: "allocations", runs: [try capture()]),
            Measurement(
                name: "allocations: a buffer's whole way to the engine", unit: "allocations",
                runs: [(longer - short - perResult * 10 * 60) / buffers]),
            Measurement(
                name: "allocations: a result's whole way to the transcript and one listener", unit: "allocations",
                runs: [perResult]),
        ]
    }

    /// Throws when a measurement is above its limit or has no limit.
    static func check(_ measurements: [Measurement], limits path: String) throws {
        let limits = try JSONDecoder().decode([String: Double].self, from: Data(contentsOf: URL(filePath: path)))
        for measurement in measurements {
            guard let limit = limits[measurement.name] else {
                throw DictationError(.invalidInput, "\(path) has no limit for “\(measurement.name)”.")
            }
            guard measurement.runs.median <= limit else {
                throw DictationError(
                    .engineFailed, "\(measurement.name): \(measurement.runs.median) is above the limit of \(limit).")
            }
        }
    }

    private static func allocations(_ change: (inout Pipeline) -> Void) async throws -> Double {
        var pipeline = Pipeline(minutes: 10)
        change(&pipeline)
        return Double(try await pipeline.take().allocations)
    }

    /// Returns the allocations of a capture thread for each buffer, after the first second.
    private static func capture() throws -> Double {
        let feed = CaptureFeed(capacity: .seconds(5), wakesFromOwnThread: true)
        let reader = Task { for try await _ in feed.stream {} }
        defer { reader.cancel() }
        let samples = [Int16](repeating: 1_000, count: 320)
        return samples.withUnsafeBytes { bytes in
            var before = 0
            for number in 0..<1_050 {
                if number == 50 { before = ofThisThread }
                feed.write(bytes, format: .speech)
                usleep(500)
            }
            return Double(ofThisThread - before) / 1_000
        }
    }
}
