import Synchronization

/// The models that an engine has loaded, each under a key. Sessions share them, and a retention says how long they are kept.
///
///     final class Lexicon: Sendable { let words = ["one", "two"] }
///
///     func words(of locale: String, in models: LoadedModels<String, Lexicon>) async throws -> [String] {
///         let lease = try await models.lease(locale) { () throws(DictationError) in Lexicon() }
///         return lease.model.words
///     }
///
/// A session keeps the lease for as long as it uses the model.
public final class LoadedModels<Key: Hashable & Sendable, Model: AnyObject & Sendable>: Sendable {
    private let retention: ModelRetention
    private let runtime = DictationRuntime.current
    private let thread: any TaskExecutor
    private let models = Mutex<[Key: Retained<Model?>]>([:])

    /// Creates a place for models, with a thread that loads them.
    ///
    /// - Parameter retention: How long a model is kept after its last lease.
    public convenience init(_ retention: ModelRetention) {
        self.init(retention, on: DictationRuntime.current.blockingExecutor("model-load"))
    }

    package init(_ retention: ModelRetention, on thread: any TaskExecutor) {
        (self.retention, self.thread) = (retention, thread)
    }

    /// Returns a model for use, and loads it if need be.
    ///
    /// - Parameters:
    ///   - key: The model's key.
    ///   - load: Loads the model. It may block. Loads run one after the other, so nothing is loaded twice.
    /// - Throws: The error of `load`, or ``DictationError/Code/cancelled``.
    public func lease(
        _ key: Key, load: @escaping @Sendable () throws(DictationError) -> Model
    ) async throws(DictationError) -> Lease {
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

    /// A model in use. The model is kept at least until the lease is released.
    public final class Lease: Sendable {
        /// The model.
        public let model: Model
        private let use: Retained<Model?>.Use

        fileprivate init(_ model: Model, _ use: Retained<Model?>.Use) { (self.model, self.use) = (model, use) }
    }
}
