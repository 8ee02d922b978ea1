import DictationCore
import Synchronization

/// A gate that holds waiting tasks, even cancelled ones, until it is opened.
final class Gate: Sendable {
    private let state = Mutex<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            defer { state = (true, []) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

/// A count that any task may change.
final class Count: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    @discardableResult
    func next() -> Int {
        count.withLock { count in
            defer { count += 1 }
            return count
        }
    }

    func drop() { count.withLock { $0 -= 1 } }
}

/// A value that any task may change.
final class Held<Value: Sendable>: Sendable {
    private let held: Mutex<Value>

    init(_ value: Value) { held = Mutex(value) }

    var value: Value {
        get { held.withLock { $0 } }
        set { held.withLock { $0 = newValue } }
    }

    func change<Answer: Sendable>(_ body: (inout Value) -> Answer) -> Answer {
        held.withLock { value in
            var copy = value
            let answer = body(&copy)
            value = copy
            return answer
        }
    }
}

extension DictationRuntime {
    /// Sleeps, and ends early without an error when the task is cancelled.
    func rest(_ duration: Duration) async { try? await sleep(duration) }
}

extension Duration {
    var inSeconds: Double { self / .seconds(1) }
}

/// Returns a configuration whose limits are shorter than the tests' takes.
func shortLimits(_ change: (inout DictationSession.Configuration) -> Void = { _ in }) -> DictationSession.Configuration
{
    var recognition = RecognitionOptions.liveDictation()
    recognition.finalizationTimeout = .seconds(1)
    var configuration = DictationSession.Configuration(
        recognition: recognition, tail: .milliseconds(200), backlog: .seconds(60), openTimeout: .seconds(2),
        warmUpTimeout: .seconds(3), stopTimeout: .seconds(2))
    change(&configuration)
    return configuration
}
