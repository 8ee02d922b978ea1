#if ModelCatalog
import DictationCore

/// Chooses the next mirror and the wait before it. Uses no clock and no network.
struct RetrySchedule {
    enum Step: Equatable {
        case attempt(mirror: Int, after: Duration)
        case giveUp
    }

    enum Failure {
        /// Another try may succeed.
        case transient
        /// This mirror will never work.
        case final
    }

    private let maximumRounds: Int
    private let backOff: BackOff
    private(set) var mirror = 0
    private let mirrorCount: Int
    private var excluded: Set<Int> = []
    private var failedInRound: Set<Int> = []
    private var rounds = 0

    init(mirrorCount: Int, _ options: DownloadOptions) {
        self.mirrorCount = mirrorCount
        maximumRounds = options.maximumRounds
        backOff = options.backOff
    }

    /// Returns the next step after a failure. A mirror that delivered new bytes is tried again before the others.
    mutating func next(after failure: Failure, madeProgress: Bool) -> Step {
        if madeProgress {
            rounds = 0
            failedInRound = []
        }
        switch failure {
        case .transient:
            if madeProgress { return .attempt(mirror: mirror, after: backOff.delay(afterFailures: 1)) }
            failedInRound.insert(mirror)
        case .final:
            excluded.insert(mirror)
        }
        let order = (1...max(1, mirrorCount)).map { (mirror + $0) % max(1, mirrorCount) }
        let usable = order.filter { !excluded.contains($0) }
        guard let first = usable.first else { return .giveUp }
        if let fresh = usable.first(where: { !failedInRound.contains($0) }) {
            mirror = fresh
            return .attempt(mirror: fresh, after: .zero)
        }
        rounds += 1
        guard rounds < maximumRounds else { return .giveUp }
        failedInRound = []
        mirror = first
        return .attempt(mirror: first, after: backOff.delay(afterFailures: rounds))
    }
}
#endif
