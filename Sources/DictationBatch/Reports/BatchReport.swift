import DictationCore

/// What a batch has done: hours, speed, failures and word errors.
public struct BatchReport: Sendable, Hashable, Codable {
    /// The sums of some items.
    public struct Totals: Sendable, Hashable, Codable {
        /// The number of items.
        public var items = 0
        /// The number of items that failed.
        public var failed = 0
        /// The number of items that became an empty text.
        public var withoutText = 0
        /// The hours of audio.
        public var hours = 0.0
        /// The hours that one core or more worked.
        public var workHours = 0.0
        /// The word errors of the items with a reference and without a failure; `nil` if there are none.
        public var wordErrors: WordErrorCount?

        /// Hours of audio for each hour of work.
        public var speed: Double { workHours > 0 ? hours / workHours : 0 }

        /// The sums on one line, for people.
        public var line: String {
            var parts = [
                items.counted("item"),
                BatchProgress.length(.seconds(hours * 3_600), decimals: 2),
                "\(BatchProgress.decimal(speed, 1))× real time",
            ]
            if failed > 0 { parts.append("\(failed) failed") }
            if withoutText > 0 { parts.append("\(withoutText) without text") }
            if let wordErrors { parts.append("\(BatchProgress.decimal(wordErrors.percent, 2)) % of words wrong") }
            return parts.joined(separator: ", ")
        }

        fileprivate mutating func add(_ record: BatchRecord, _ errors: WordErrorCount?) {
            items += 1
            if record.error != nil { failed += 1 } else if record.text.isEmpty { withoutText += 1 }
            hours += record.duration.seconds / 3_600
            workHours += record.workTime.seconds / 3_600
            if let errors { wordErrors = (wordErrors ?? WordErrorCount()) + errors }
        }
    }

    /// An item that failed.
    public struct Failure: Sendable, Hashable, Codable {
        /// The item's name.
        public var id: String
        /// The reason.
        public var error: String
    }

    /// The items that ended in a minute.
    public struct Minute: Sendable, Hashable, Codable {
        /// The number of items that became text.
        public var done = 0
        /// The number of items that failed.
        public var failed = 0
    }

    /// The settings of the batch.
    public var settings: BatchSettings
    /// The sums of all items.
    public private(set) var total = Totals()
    /// The sums by the value of a key of the manifest, if the report is divided by one. After a thousand values, the others
    /// are one group with the name “…”.
    public private(set) var groups: [String: Totals] = [:]
    /// The first thousand failures.
    public private(set) var failures: [Failure] = []
    /// The speed of the items: seconds of audio for each second of work. The steps fit the fastest item.
    public private(set) var speeds = BatchReport.Histogram(from: 0, width: 0.1, count: 120)
    /// The mean confidence of the items' words, in steps of 0.05.
    public private(set) var confidences = BatchReport.Histogram(from: 0, width: 0.05, count: 20)
    /// The length of the items in seconds. The steps fit the longest item.
    public private(set) var lengths = BatchReport.Histogram(from: 0, width: 1, count: 120)
    /// The items that ended in each minute since 1970.
    public private(set) var minutes: [Int: Minute] = [:]
    /// The greatest number of words of a text and of a reference whose errors are counted, because that takes time.
    public static let longestReference = 20_000

    init(_ settings: BatchSettings) { self.settings = settings }

    mutating func add(_ record: BatchRecord, group: String?) {
        let errors = Self.errors(in: record)
        total.add(record, errors)
        if let group {
            let name = groups[group] != nil || groups.count < 1_000 ? group : "…"
            groups[name, default: Totals()].add(record, errors)
        }
        minutes[Int(record.time / 60), default: Minute()].add(record)
        if let error = record.error {
            if failures.count < 1_000 { failures.append(Failure(id: record.id, error: error)) }
            return
        }
        if record.workTime > .zero { speeds.add(record.duration / record.workTime, scale: .number("×")) }
        if let confidence = record.confidence { confidences.add(min(confidence, 0.999), scale: .percent) }
        lengths.add(record.duration.seconds, scale: .time)
    }

    private static func errors(in record: BatchRecord) -> WordErrorCount? {
        guard record.error == nil, let reference = record.reference,
            max(record.text.utf8.count, reference.utf8.count) < 6 * longestReference
        else { return nil }
        var errors = WordErrorCount()
        errors.count(record.text, reference: reference)
        return errors
    }
}

extension BatchReport.Minute {
    fileprivate mutating func add(_ record: BatchRecord) { if record.error == nil { done += 1 } else { failed += 1 } }
}
