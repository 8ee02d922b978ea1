import Synchronization

/// A list of figures that several tasks add to.
final class Watch: Sendable {
    private let figures = Mutex<[Double]>([])
    var all: [Double] { figures.withLock { $0 } }
    func add(_ figure: Double) { figures.withLock { $0.append(figure) } }
}
