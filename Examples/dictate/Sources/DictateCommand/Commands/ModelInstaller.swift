import DictationCore
import DictationModels
import Synchronization

/// Installs models one after the other, with a progress bar. Ctrl-C cancels the current model and all later ones.
final class ModelInstaller: Sendable {
    private struct State {
        var isInterrupted = false
        var current: (any AssetInstallation)?
    }

    private let console: Console
    private let panel: LivePanel?
    private let allowsUnpinned: Bool
    private let runtime = DictationRuntime.current
    private let state = Mutex(State())

    init(_ console: Console, isQuiet: Bool, allowsUnpinned: Bool) {
        self.console = console
        self.allowsUnpinned = allowsUnpinned
        panel = isQuiet || !console.draws ? nil : LivePanel(on: console.errors)
        console.signals.look(after: panel)
        console.signals.receive { [weak self] in self?.interrupt() }
    }

    var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

    /// Installs a model. Returns whether it was missing.
    func install(_ id: ModelAsset.ID, from inventory: CatalogAssetInventory) async throws(DictationError) -> Bool {
        if isInterrupted { throw DictationError(.cancelled, "The installation was interrupted.") }
        let trust = allowsUnpinned ? try await inventory.trustWithoutHash(in: id) : nil
        guard let installation = try await inventory.request(for: id, allowingUnpinned: allowsUnpinned) else {
            return false
        }
        if let trust { console.complain("\(id): its hashes are not known; \(trust)") }
        state.withLock { $0.current = installation }
        // An interrupt may have come after the first check.
        if isInterrupted { await installation.cancel() }
        let drawing = runtime.task { [self] in
            for await progress in installation.progress {
                panel?.show([.init(text: Self.line(progress, id))])
                // A fast download reports a thousand times a second.
                guard (try? await runtime.sleep(.milliseconds(50))) != nil else { return }
            }
        }
        let installing = runtime.task { () -> DictationError? in
            do throws(DictationError) { try await installation.install() } catch { return error }
            return nil
        }
        let problem = await installing.value
        drawing.cancel()
        await drawing.value
        panel?.show([])
        if let problem { throw problem }
        return true
    }

    /// Restores the terminal, and what Ctrl-C does.
    func end() {
        console.signals.receive(nil)
        panel?.end()
    }

    private func interrupt() {
        let current = state.withLock { state in
            state.isInterrupted = true
            return state.current
        }
        if let current { runtime.task { await current.cancel() } }
    }

    private static func line(_ progress: InstallationProgress, _ id: ModelAsset.ID) -> String {
        let part = progress.fraction.map { "\(bar($0, columns: 20)) \(percent($0))  " } ?? ""
        let total = progress.totalBytes.map { " / \(megabytes($0))" } ?? ""
        let rate = progress.bytesPerSecond.map { "  \(megabytes(Int64(max(0, min($0, 1e15)))))/s" } ?? ""
        let left = progress.remaining.map { "  \(clock($0)) left" } ?? ""
        return "\(part)\(megabytes(progress.completedBytes))\(total)\(rate)\(left)  \(id)"
    }
}

/// Bytes as megabytes with one decimal.
func megabytes(_ bytes: Int64) -> String { "\(Double(bytes / 100_000) / 10) MB" }

extension CatalogAssetInventory {
    /// Requests an installation. The error for an unpinned model names the option that allows it.
    fileprivate func request(
        for id: ModelAsset.ID, allowingUnpinned: Bool
    ) async throws(DictationError) -> (any AssetInstallation)? {
        do throws(DictationError) { return try await installation(of: id, allowingUnpinned: allowingUnpinned) } catch {
            var error = error
            if error.code == .modelUnpinned {
                error.recovery =
                    "If you trust its source, use --allow-unpinned; its hashes are then recorded."
            }
            throw error
        }
    }
}
