import DictationCore

/// Waits until a condition holds; `false` when it does not within half a minute.
///
/// It counts how often it asked, and not the time: on a machine that is too busy to ask, nothing else goes on either.
public func eventually(_ condition: @escaping @Sendable () -> Bool) async -> Bool {
    var attempts = 0
    while !condition(), attempts < 6_000, (try? await DictationRuntime.system.sleep(.milliseconds(5))) != nil {
        attempts += 1
    }
    return condition()
}
