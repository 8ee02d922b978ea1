#if ModelCatalog
import DictationCore
import DictationWeb

/// Downloads one file or archive, and tries again when the network fails.
struct ModelDownload: Sendable {
    let item: CatalogModel.Download
    let part: PartFile
    let transport: any ModelTransport
    let options: DownloadOptions
    let runtime: DictationRuntime
    let work: BlockingWork
    /// Called with `true` when the download starts to wait before another try, and with `false` when it continues.
    let onStall: @Sendable (Bool) -> Void

    func run() async throws(DictationError) {
        var schedule = RetrySchedule(mirrorCount: item.mirrors.count, options)
        var furthest = part.offset
        while true {
            let hadBytes = part.offset > 0
            guard let failure = await attempt(item.mirrors[schedule.mirror]) else { return }
            if Task.isCancelled { throw .installationCancelled }
            let kind: RetrySchedule.Failure
            switch failure {
            case .cancelled: throw .installationCancelled
            case .storage(let error): throw error
            case .interrupted: kind = .transient
            case .outdated:
                try part.discard()
                kind = .transient
            case .unusable: kind = .final
            case .wrongContent:
                try part.discard()
                // The wrong bytes may come from an earlier try, not from this mirror.
                kind = hadBytes ? .transient : .final
            }
            // Progress means more bytes than ever before. A server that starts over each time makes none.
            let madeProgress = part.offset > furthest
            furthest = max(furthest, part.offset)
            let address = item.mirrors[schedule.mirror]
            guard case .attempt(_, let delay) = schedule.next(after: kind, madeProgress: madeProgress) else {
                throw failure.error(at: address)
            }
            if delay > .zero {
                onStall(true)
                do { try await runtime.sleep(delay) } catch { throw .installationCancelled }
                onStall(false)
            }
        }
    }

    /// Downloads from one mirror, and checks the result.
    private func attempt(_ address: String) async -> TransferFailure? {
        if !part.isWhole, let failure = await fetch(address) { return failure }
        if let expected = item.byteCount, part.offset < expected {
            return .interrupted("it ended after \(part.offset) of \(expected) bytes")
        }
        do throws(DictationError) {
            let part = part
            try await work.run { () throws(DictationError) in try part.sync() }
            guard let expected = item.sha256 else { return nil }
            let hash = try await work.run { () throws(DictationError) in
                try part.sha256 { Task.isCancelled }
            }
            return hash == expected
                ? nil : .wrongContent("its SHA-256 is \(hash ?? "unknown") instead of \(expected)")
        } catch {
            return error.code == .cancelled ? .cancelled : .storage(error)
        }
    }

    /// Runs one transfer, and ends it if it stalls.
    private func fetch(_ address: String) async -> TransferFailure? {
        let request = TransferRequest(
            address: address, resume: part.prepare(address), connectTimeout: options.stallTimeout)
        let transport = transport
        let part = part
        let transfer = runtime.task { await transport.fetch(request, into: part) }
        let (failure, isStalled) = await StallLimit(options, runtime).value(of: transfer) { part.received }
        return isStalled && failure == .cancelled
            ? .interrupted("it was too slow for \(options.stallTimeout)") : failure
    }
}

extension TransferFailure {
    /// Returns the failure as an error to show to users.
    func error(at address: String) -> DictationError {
        let address = WebAddress.withoutUser(address)
        return switch self {
        case .unusable(let reason):
            DictationError(
                .installationFailed, "Can't download “\(address)”: \(reason).",
                recovery: "The address is wrong. Try another mirror, or ask the catalog's publisher.")
        case .interrupted(let reason):
            DictationError(
                .installationFailed, "Can't download “\(address)”: \(reason).",
                recovery: "Check the connection and try again. It continues where it stopped.")
        case .outdated:
            DictationError(
                .installationFailed, "The file at “\(address)” keeps changing.", recovery: "Try again later.")
        case .wrongContent(let reason):
            DictationError(
                .modelInvalid, "The file at “\(address)” does not match the catalog: \(reason).",
                recovery: "Try another mirror, or ask the catalog's publisher.")
        case .storage(let error): error
        case .cancelled: .installationCancelled
        }
    }
}
#endif
