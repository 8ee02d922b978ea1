import DictationCore
import Synchronization

/// The models that an engine has loaded, each under a key. The engine's retention says how long they are kept.
final class LoadedModels<Key: Hashable & Sendable, Model: AnyObject & Sendable>: Sendable {
    private let retention: ModelRetention
    private let runtime = DictationRuntime.current
    private let models = Mutex<[Key: Retained<Model?>]>([:])

    init(_ retention: ModelRetention) { self.retention = retention }

    /// Returns a model for use, and loads it if need be. Loads run one after the other on the thread, so that nothing is
    /// loaded twice.
    func lease(
        _ key: Key, on thread: any TaskExecutor, load: @escaping @Sendable () throws(DictationError) -> Model
    ) async throws(DictationError) -> Lease<Model> {
        let retained = retained(key)
        let use = retained.use()
        if let model = retained.change({ $0 }) { return Lease(model, use) }
        let model = try await BlockingWork(on: thread).run { () throws(DictationError) in
            if let model = retained.change({ $0 }) { return model }
            let model = try load()
            retained.change { $0 = model }
            return model
        }
        return Lease(model, use)
    }

    private func retained(_ key: Key) -> Retained<Model?> {
        models.withLock { models in
            if let known = models[key] { return known }
            let new = Retained<Model?>(nil, retention, runtime: runtime)
            models[key] = new
            return new
        }
    }
}

/// A model in use.
final class Lease<Model: AnyObject & Sendable>: Sendable {
    let model: Model
    private let use: Retained<Model?>.Use

    init(_ model: Model, _ use: Retained<Model?>.Use) {
        self.model = model
        self.use = use
    }
}
