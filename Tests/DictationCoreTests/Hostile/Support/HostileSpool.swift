import DictationCore
import Synchronization

/// A spool in memory whose calls can be slow, fail or hang.
final class HostileSpool: AudioSpool {
    enum Call: String, CaseIterable, Sendable { case begin, append, close, read, readEvent, discard, takes }
    enum Fault: String, CaseIterable, Sendable { case failing, slow, hanging, deaf }

    struct Disk: Sendable {
        var events: [String: [CaptureEvent]] = [:]
        var closed: Set<String> = []
        var order: [String] = []
    }

    let disk = Held(Disk())
    let faults = Held<[Call: Fault]>([:])
    /// Opening it ends the calls that ignore cancellation.
    let gate = Gate()
    let openWriters = Count()
    private let numbers = Count()
    private let runtime = DictationRuntime.current

    init(_ faults: [Call: Fault] = [:]) { self.faults.value = faults }

    func change(_ body: (inout Disk) -> Void) { disk.change(body) }

    func pass(_ call: Call) async throws(DictationError) {
        switch faults.value[call] {
        case nil: return
        case .failing: throw DictationError(.storageFull, "\(call.rawValue) fails.", recovery: "Don't.")
        case .slow: await runtime.rest(.milliseconds(700))
        case .hanging:
            do { try await runtime.sleep(.seconds(100_000)) } catch {
                throw DictationError(.cancelled, "\(call.rawValue) was cancelled.")
            }
        case .deaf: await gate.wait()
        }
    }

    func makeWriter() async throws(DictationError) -> any AudioSpoolWriter {
        try await pass(.begin)
        let id = "take \(numbers.next())"
        change {
            $0.events[id] = []
            $0.order.append(id)
        }
        openWriters.next()
        return Writer(id: id, spool: self)
    }

    func takes() async throws(DictationError) -> [SpooledTake] {
        try await pass(.takes)
        let disk = disk.value
        return disk.order.filter { disk.events[$0] != nil }.map { id in
            SpooledTake(id: id, duration: disk.duration(of: id), isComplete: disk.closed.contains(id))
        }
    }

    func read(_ id: SpooledTake.ID) async throws(DictationError) -> CaptureStream {
        try await pass(.read)
        guard let events = disk.value.events[id] else {
            throw DictationError(.invalidInput, "There is no take \(id).", recovery: "Choose another.")
        }
        return stream { [self] index throws(DictationError) in
            try await pass(.readEvent)
            return index < events.count ? events[index] : nil
        }
    }

    func discard(_ id: SpooledTake.ID) async throws(DictationError) {
        try await pass(.discard)
        change { $0.events[id] = nil }
    }

    final class Writer: AudioSpoolWriter {
        let id: SpooledTake.ID
        private let spool: HostileSpool
        private let isOpen = Mutex(true)

        init(id: SpooledTake.ID, spool: HostileSpool) { (self.id, self.spool) = (id, spool) }
        deinit { end() }

        private func end() {
            let wasOpen = isOpen.withLock { isOpen in
                defer { isOpen = false }
                return isOpen
            }
            if wasOpen { spool.openWriters.drop() }
        }

        func append(_ event: CaptureEvent) async throws(DictationError) {
            try await spool.pass(.append)
            guard isOpen.withLock({ $0 }) else { throw DictationError(.inputAfterEnd, "It is closed.") }
            switch event {
            case .buffer, .gap: spool.change { $0.events[id]?.append(event) }
            default: break
            }
        }

        func close() async throws(DictationError) {
            try await spool.pass(.close)
            spool.change { $0.closed.insert(id) }
            end()
        }
    }
}

extension HostileSpool.Disk {
    func duration(of id: String) -> Duration {
        (events[id] ?? []).reduce(.zero) { end, event in
            switch event {
            case .buffer(let buffer): max(end, buffer.end)
            case .gap(let gap): max(end, gap.range.upperBound)
            default: end
            }
        }
    }
}
