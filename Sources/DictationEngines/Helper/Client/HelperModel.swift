import DictationCore
import DictationSystem
import Synchronization

/// The helper of one engine description, shared by all sessions of the app that use the description.
final class HelperModel: Sendable {
    let engine: EngineDescription
    let configuration: HelperEngine.Configuration
    private let helper: Retained<LoadedHelper?>
    private let applied = Mutex<Set<EngineCapabilities.Restriction>?>(nil)
    private let loading = DictationRuntime.current.blockingExecutor("helper-load")

    private init(_ engine: EngineDescription, _ configuration: HelperEngine.Configuration) {
        self.engine = engine
        self.configuration = configuration
        helper = Retained(nil, configuration.retention)
    }

    private struct Key: Hashable {
        let engine: EngineDescription
        let configuration: HelperEngine.Configuration
    }

    private struct Known: Sendable {
        weak var model: HelperModel?
    }

    private static let all = Mutex<[Key: Known]>([:])

    /// Returns the model that other engines with the same description share.
    static func shared(_ engine: EngineDescription, _ configuration: HelperEngine.Configuration) -> HelperModel {
        all.withLock { all in
            all = all.filter { $0.value.model != nil }
            let key = Key(engine: engine, configuration: configuration)
            if let model = all[key]?.model { return model }
            let model = HelperModel(engine, configuration)
            all[key] = Known(model: model)
            return model
        }
    }

    /// The restrictions of the newest helper, or those of this machine before there was one.
    var restrictions: Set<EngineCapabilities.Restriction> {
        applied.withLock { $0 } ?? HelperRestrictions.available
    }

    /// The process of the helper; `nil` if none runs.
    var helperProcess: HelperProcess? { helper.change { $0 }?.process }

    /// Has a helper with the engine do something. Another one does it if the first dies before it has.
    ///
    /// - Parameters:
    ///   - isAlone: Whether to start a helper that no other session uses.
    ///   - body: What to do.
    ///   - note: Called after each death.
    /// - Returns: What the body returns, and the helper that did it.
    func use<Answer>(
        alone isAlone: Bool = false, _ body: (LoadedHelper) async throws(HelperFailure) -> Answer,
        afterDeath note: (HelperDeath) -> Void = { _ in }
    ) async throws(DictationError) -> (Answer, UsedHelper) {
        let use = helper.use()
        var blame = HelperBlame()
        while true {
            let found = try await running(alone: isAlone)
            do throws(HelperFailure) {
                if !found.isLoaded {
                    let restrictions = try await found.load(engine, memory: configuration.memoryLimit).get()
                    applied.withLock { $0 = restrictions }
                }
                return (try await body(found), UsedHelper(helper: found, use: use))
            } catch {
                switch error {
                case .failed(let error):
                    // The next call may find a library or model that was installed meanwhile.
                    if !found.isLoaded { helper.change { if $0 === found { $0 = nil } } }
                    throw error
                case .cancelled: throw .hostedCallCancelled
                case .died(let death):
                    guard !death.isNoHelper, blame.died(death) == .replace else { throw .unloadable(engine, death) }
                    note(death)
                }
            }
        }
    }

    /// Returns a helper that runs. Starts one if need be.
    private func running(alone isAlone: Bool) async throws(DictationError) -> LoadedHelper {
        if !isAlone, let known = helper.change({ $0 }), known.process.isAlive, known.isLoaded { return known }
        return try await BlockingWork(on: loading).run { [self] () throws(DictationError) in
            if !isAlone, let known = helper.change({ $0 }), known.process.isAlive { return known }
            try engine.checkNewModels()
            let new = LoadedHelper(try HelperProcess.start(HelperProgram.path(), configuration.limits))
            if !isAlone { helper.change { $0 = new } }
            return new
        }
    }

    /// Keeps a helper for a while that was started before anyone uses it.
    func linger() { helper.linger() }
}

/// A helper in use. It is kept at least until this value is gone.
struct UsedHelper: Sendable {
    let helper: LoadedHelper
    fileprivate let use: Retained<LoadedHelper?>.Use
}

/// A helper with an engine. Releasing it ends the process.
final class LoadedHelper: Sendable {
    let process: HelperProcess
    typealias Loading = Result<Set<EngineCapabilities.Restriction>, HelperFailure>

    private let loaded = Mutex<Task<Loading, Never>?>(nil)
    private let hasLoaded = Mutex(false)

    init(_ process: HelperProcess) { self.process = process }

    deinit { process.kill(because: .unneeded) }

    var isLoaded: Bool { hasLoaded.withLock { $0 } }

    /// Has the helper create the engine, once, and waits for that.
    func load(_ engine: EngineDescription, memory: Int64?) async -> Loading {
        let task = loaded.withLock { loaded in
            if let loaded { return loaded }
            let task = DictationRuntime.current.task { [process] () async -> Loading in
                let request = HelperLoadRequest(
                    engine: HelperJSON.text(engine), library: SherpaOnnxLibrary.location, memory: memory)
                do throws(HelperFailure) {
                    guard case .loaded(let restrictions) = try await process.call(.load(request)) else {
                        process.kill(because: .garbage)
                        throw .died(HelperDeath(cause: .garbage))
                    }
                    return .success(restrictions)
                } catch {
                    return .failure(error)
                }
            }
            loaded = task
            return task
        }
        let result = await task.value
        if case .success = result { hasLoaded.withLock { $0 = true } }
        return result
    }
}

extension DictationError {
    static let hostedCallCancelled = DictationError(.cancelled, "The call to the engine's process was cancelled.")

    /// The error for an engine whose helpers die while they load it.
    static func unloadable(_ engine: EngineDescription, _ death: HelperDeath) -> DictationError {
        if death.isNoHelper {
            return DictationError(
                .engineFailed, "The helper could not run the engine “\(engine.engineName)”: \(death.reason).",
                recovery: "Use a dictation-helper of the same version.", underlying: death.underlying)
        }
        guard !death.isKillByAnother else {
            return DictationError(
                .engineFailed,
                "Each process that tried to load the engine “\(engine.engineName)” was killed: \(death.reason).",
                recovery: "Find out what ends them. With little memory, the system does.", underlying: death.underlying)
        }
        let folders = engine.folders.map { "“\($0)”" }.joined(separator: " and ")
        return DictationError(
            .modelInvalid,
            "The engine “\(engine.engineName)” can't load the model in \(folders.isEmpty ? "its script" : folders): "
                + "each process that tried it died, and of the last one \(death.reason).",
            recovery: "Install the model again, with all files from one source.", underlying: death.underlying)
    }
}
