import DictationCore

/// Waits until a condition holds; `false` when it does not in time.
public func eventually(
    within limit: Duration = .seconds(30), _ condition: @escaping @Sendable () -> Bool
) async -> Bool {
    let runtime = DictationRuntime.system
    return await runtime.within(limit) {
        while !condition(), (try? await runtime.sleep(.milliseconds(5))) != nil {}
        return condition()
    } ?? condition()
}
