#if SherpaOnnx
import DictationCore
import Synchronization

/// The loaded models of an engine. It keeps each model for as long as the retention says.
final class ModelKeeper<Key: Hashable & Sendable, Model: AnyObject & Sendable>: Sendable {
    private struct Entry {
        var model: Model
        var leases = 0
        /// Counts the times when the model became idle, so that a timer of an earlier time does not drop it.
        var idleTimes = 0
    }

    private let retention: ModelRetention
    private let runtime = DictationRuntime.current
    private let state = Mutex<[Key: Entry]>([:])

    init(_ retention: ModelRetention) { self.retention = retention }

    /// Returns the model of a key, or `nil` when it is not loaded.
    func loaded(_ key: Key) -> Model? { state.withLock { $0[key]?.model } }

    /// Leases a loaded model, and keeps it until the lease ends. Returns `nil` when the model is not loaded.
    func lease(_ key: Key) -> Lease<Model>? {
        let model = state.withLock { state in
            state[key]?.leases += 1
            return state[key]?.model
        }
        guard let model else { return nil }
        return Lease(model) { [weak self] in self?.giveBack(key) }
    }

    /// Leases a model, and loads it first if needed.
    ///
    /// - Parameters:
    ///   - key: The model's key.
    ///   - thread: Where to load. It must run one job after the other, so that no model is loaded twice.
    ///   - load: Loads the model.
    func lease(
        _ key: Key, on thread: any TaskExecutor, load: @escaping @Sendable () throws(DictationError) -> Model
    ) async throws(DictationError) -> Lease<Model> {
        if let lease = lease(key) { return lease }
        let loading = Task(executorPreference: thread) {
            do throws(DictationError) {
                if self.loaded(key) == nil { self.keep(try load(), key) }
                return Result<Lease<Model>?, DictationError>.success(self.lease(key))
            } catch {
                return .failure(error)
            }
        }
        guard let lease = try await loading.value.get() else {
            throw DictationError(.engineFailed, "The model was unloaded while a session was being made.")
        }
        return lease
    }

    func keep(_ model: Model, _ key: Key) { state.withLock { $0[key] = $0[key] ?? Entry(model: model) } }

    private func giveBack(_ key: Key) {
        let idleTime = state.withLock { state -> Int? in
            guard var entry = state[key] else { return nil }
            entry.leases -= 1
            entry.idleTimes += 1
            state[key] = entry
            return entry.leases == 0 ? entry.idleTimes : nil
        }
        guard let idleTime else { return }
        switch retention {
        case .processLifetime: break
        case .whileInUse: drop(key, idleTime)
        case .lingering(let time):
            runtime.task { [weak self, runtime] in
                do { try await runtime.sleep(time) } catch { return }
                self?.drop(key, idleTime)
            }
        }
    }

    private func drop(_ key: Key, _ idleTime: Int) {
        // The model is freed outside of the lock, because freeing it takes a while.
        let dropped = state.withLock { state -> Entry? in
            guard let entry = state[key], entry.leases == 0, entry.idleTimes == idleTime else { return nil }
            return state.removeValue(forKey: key)
        }
        _ = dropped
    }
}

/// A model in use. The use ends when the lease is released.
final class Lease<Model: AnyObject & Sendable>: Sendable {
    let model: Model
    private let onEnd: @Sendable () -> Void

    init(_ model: Model, onEnd: @escaping @Sendable () -> Void) {
        self.model = model
        self.onEnd = onEnd
    }

    deinit { onEnd() }
}
#endif
