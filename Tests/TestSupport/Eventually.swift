import DictationCore

/// Waits until a condition holds; `false` when it does not within half a minute.
public func eventually(_ condition: @escaping @Sendable () -> Bool) async -> Bool {
    let runtime = DictationRuntime.system
    return await runtime.within(.seconds(30)) {
        while !condition(), (try? await runtime.sleep(.milliseconds(5))) != nil {}
        return condition()
    } ?? condition()
}
