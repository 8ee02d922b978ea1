public import DictationCore
import DictationSystem

/// How far a batch is, for people and for machines.
public struct BatchProgress: Sendable, Hashable {
    /// The number of items, or of those of the shard; `nil` while it is not known.
    public var total: Int?
    /// The length of all items together; `nil` if the manifest does not tell.
    public var totalDuration: Duration?
    /// The number of items that have a result, including failed ones and those of earlier runs.
    public private(set) var done: Int
    /// The number of items that failed.
    public private(set) var failed: Int
    /// The length of the audio of all results.
    public private(set) var audio: Duration
    private let earlierDone: Int
    private let earlierAudio: Duration
    /// How long this run has worked.
    public var elapsed = Duration.zero

    /// Creates the progress of a batch that has some results already.
    public init(after finished: ResultFile.FinishedItems = ResultFile.FinishedItems()) {
        (done, failed, audio) = (finished.count, finished.failed, finished.duration)
        (earlierDone, earlierAudio) = (finished.count, finished.duration)
    }

    /// Adds a result.
    public mutating func add(_ result: BatchResult) {
        done += 1
        if result.transcript.error != nil { failed += 1 }
        audio += result.transcript.duration
    }

    /// Seconds of audio for each second of this run, with all cores together.
    public var speed: Double { elapsed > .zero ? (audio - earlierAudio) / elapsed : 0 }

    /// The fraction done, from 0 to 1; `nil` if the total is unknown.
    public var fraction: Double? {
        guard let total, total > 0 else { return nil }
        return min(1, Double(done) / Double(total))
    }

    /// The time until the end at the speed so far; `nil` while it can't be told.
    public var timeLeft: Duration? {
        guard let total, elapsed > .zero else { return nil }
        // A manifest may declare any length.
        if let totalDuration, speed > 0 {
            return Duration(recordingSeconds: max(.zero, totalDuration - audio).seconds / speed)
        }
        let perItem = done > earlierDone ? elapsed / (done - earlierDone) : nil
        return perItem.map { $0 * max(0, total - done) }
    }

    /// The progress on one line, for people.
    public var line: String {
        var parts = ["\(done)" + (total.map { " of \($0)" } ?? "") + " done"]
        parts.append(Self.length(audio, decimals: 1))
        if speed > 0 { parts.append("\(Self.decimal(speed, speed < 10 ? 1 : 0))× real time") }
        if let timeLeft { parts.append("\(Self.clock(timeLeft)) left") }
        if failed > 0 { parts.append("\(failed) failed") }
        return parts.joined(separator: ", ")
    }

    /// The progress as JSON on one line.
    public var json: String {
        JSONText.encoded(
            Numbers(
                total: total, done: done, failed: failed, hours: audio.seconds / 3_600, speed: speed,
                secondsLeft: timeLeft?.seconds))
    }

    private struct Numbers: Encodable {
        var total: Int?
        var done: Int
        var failed: Int
        var hours: Double
        var speed: Double
        var secondsLeft: Double?
    }

    /// The progress in Prometheus' text format, for the text file collector of its node exporter.
    ///
    /// - Parameter shard: The shard, which becomes a label.
    public func prometheus(shard: BatchShard) -> String {
        let label = "shard=\"\(shard)\""
        var text = MetricsText(prefix: "dictation_batch_")
        text.add(
            "items_total", "counter", "Items with a result.",
            [(label + ",status=\"done\"", Double(done - failed)), (label + ",status=\"failed\"", Double(failed))])
        text.add("audio_seconds_total", "counter", "Length of the audio of all results.", [(label, audio.seconds)])
        text.add("speed_ratio", "gauge", "Seconds of audio for each second of this run.", [(label, speed)])
        if let total { text.add("items", "gauge", "Items of the shard.", [(label, Double(total))]) }
        if let timeLeft { text.add("seconds_left", "gauge", "Time until the end.", [(label, timeLeft.seconds)]) }
        return text.text
    }

    /// Writes the progress in Prometheus' text format to a file. A reader sees all of it, or the text before.
    public func write(prometheus path: String, shard: BatchShard) throws(DictationError) {
        let place = try UserPath(followingLinksOf: path)
        // A new file in its place would do away with a device such as /dev/null.
        if let status = place.folder.status(of: place.name), status.kind != .file, status.kind != .link {
            throw DictationError(
                .invalidInput, "“\(visible(path))” is not a file.", recovery: "Give the path of a file.")
        }
        if let old = try OpenFile.reading(path) {
            var start = [UInt8](repeating: 0, count: 16)
            let count = try old.read(into: &start)
            guard count == 0 || start.starts(with: "# HELP dictation".utf8) else {
                throw DictationError(
                    .invalidInput, "“\(visible(path))” is another file than that of a batch's progress.",
                    recovery: "Give the path of a new file.")
            }
        }
        try place.folder.write(prometheus(shard: shard).utf8, to: place.name)
    }

    /// Returns a length in hours, or in seconds where the hours would be rounded to nothing.
    static func length(_ length: Duration, decimals: Int) -> String {
        let hours = decimal(length.seconds / 3_600, decimals)
        guard length > .zero, hours == decimal(0, decimals) else { return hours + " h" }
        return decimal(length.seconds, length < .seconds(10) ? 1 : 0) + " s"
    }

    static func decimal(_ number: Double, _ decimals: Int) -> String {
        guard number.isFinite else { return "–" }
        let factor = decimals == 0 ? 1 : decimals == 1 ? 10.0 : 100
        let value = Int64(min(1e15, (abs(number) * factor).rounded()))
        let text = decimals == 0 ? "\(value)" : "\(value / Int64(factor)).\(padded(value % Int64(factor), decimals))"
        return (number < 0 ? "-" : "") + text
    }

    private static func padded(_ number: Int64, _ count: Int) -> String {
        String(repeating: "0", count: max(0, count - "\(number)".utf8.count)) + "\(number)"
    }

    private static func clock(_ duration: Duration) -> String {
        let seconds = Int64(duration.seconds)
        return "\(seconds / 3_600):\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2))"
    }
}
