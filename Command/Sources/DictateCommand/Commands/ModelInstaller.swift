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
                panel?.show(Self.lines(progress, id))
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

    /// The name on a line of its own, because a long one would hide the numbers or be cut.
    static func lines(_ progress: ModelAsset.Progress, _ id: ModelAsset.ID) -> [LivePanel.Line] {
        let part = progress.fraction.map { "\(bar($0, columns: 20)) \(percent($0))  " } ?? ""
        let total = progress.totalBytes.map { " / \(megabytes($0))" } ?? ""
        // The files are still unpacked and checked after the last byte.
        let isOver = progress.fraction == 1
        let rate = isOver ? nil : progress.bytesPerSecond.map { "  \(megabytes(Int64(max(0, min($0, 1e15)))))/s" }
        let left = isOver ? nil : progress.timeLeft.map { "  \(clock($0)) left" }
        let numbers = "\(part)\(megabytes(progress.completedBytes))\(total)\(rate ?? "")\(left ?? "")"
        return [.init(text: id), .init(text: numbers)]
    }
}

/// Bytes as megabytes with one decimal.
func megabytes(_ bytes: Int64) -> String { "\(tenths(bytes) / 10) MB" }

/// The sum of sizes as megabytes; `nil` if one is unknown. It is the sum of the rounded numbers that are shown for them.
func megabytes(sumOf sizes: [Int64?]) -> String? {
    let known = sizes.compactMap { $0.map(tenths) }
    return known.count == sizes.count ? "\(max(0, known.reduce(0, +)) / 10) MB" : nil
}

private func tenths(_ bytes: Int64) -> Double { (Double(bytes) / 100_000).rounded() }

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
