#if PocketSphinx
import CPocketSphinx
import DictationCore
import Synchronization

/// The decoders of an engine. The pool loads a decoder when a session first needs it, lends it to one session at a time
/// and keeps it for as long as the retention says.
final class SphinxPool: Sendable {
    private struct State: ~Copyable {
        var idle: [SphinxConfiguration: [IdleDecoder]] = [:]
        var known: Set<SphinxConfiguration> = []
        var users = 0
        var generation = 0
    }

    private let state = Mutex(State())
    private let retention: ModelRetention
    private let runtime: DictationRuntime
    private static let idleLimit = 8

    init(retention: ModelRetention) {
        self.retention = retention
        runtime = .current
    }

    /// Whether the pool has a user or an idle decoder.
    var holdsDecoders: Bool { state.withLock { $0.users > 0 || $0.idle.values.contains { !$0.isEmpty } } }

    /// Whether a decoder with this configuration was loaded before.
    func isKnown(_ configuration: SphinxConfiguration) -> Bool {
        state.withLock { $0.known.contains(configuration) }
    }

    /// Whether a decoder with this configuration is idle.
    func hasIdle(_ configuration: SphinxConfiguration) -> Bool {
        state.withLock { $0.idle[configuration]?.isEmpty == false }
    }

    /// Takes an idle decoder, or loads one, which blocks for about half a second.
    func take(_ configuration: SphinxConfiguration) throws(DictationError) -> SphinxDecoder {
        configuration.model.place?.markUsed()
        let idle = state.withLock { $0.idle[configuration]?.popLast() }
        if let decoder = idle?.take() { return decoder }
        let decoder = try SphinxDecoder(configuration)
        state.withLock { _ = $0.known.insert(configuration) }
        return decoder
    }

    /// Takes a decoder back. Drops it when its utterance can't end or when enough decoders are idle.
    func give(_ decoder: consuming SphinxDecoder) {
        var decoder = decoder
        do throws(DictationError) { try decoder.end() } catch { return }
        let configuration = decoder.configuration
        let idle = IdleDecoder(decoder)
        state.withLock { state in
            guard state.idle.values.reduce(0, { $0 + $1.count }) < Self.idleLimit else { return }
            state.idle[configuration, default: []].append(idle)
        }
    }

    /// Counts a user of the decoders until the returned object is released.
    func use() -> Use {
        state.withLock { state in
            state.users += 1
            state.generation += 1
        }
        return Use(pool: self)
    }

    /// Keeps the decoders in memory for as long as it lives.
    final class Use: Sendable {
        private let pool: SphinxPool
        fileprivate init(pool: SphinxPool) { self.pool = pool }
        deinit { pool.endUse() }
    }

    private func endUse() {
        let generation = state.withLock { state -> Int? in
            state.users -= 1
            return state.users == 0 ? state.generation : nil
        }
        guard let generation else { return }
        if retention == .whileInUse { unload(generation) } else { linger(generation) }
    }

    /// Notes that a decoder was loaded ahead of its first use. If no use follows, the decoder lingers no longer than it
    /// would after a use.
    func prepared() {
        linger(
            state.withLock { state in
                state.generation += 1
                return state.generation
            })
    }

    private func linger(_ generation: Int) {
        guard case .lingering(let time) = retention else { return }
        runtime.task { [runtime, weak self] in
            do { try await runtime.sleep(time) } catch { return }
            self?.unload(generation)
        }
    }

    private func unload(_ generation: Int) {
        // The decoders are freed outside of the lock, because freeing them takes a while.
        _ = state.withLock { state -> [SphinxConfiguration: [IdleDecoder]] in
            guard state.users == 0, state.generation == generation else { return [:] }
            state.known = []
            defer { state.idle = [:] }
            return state.idle
        }
    }
}

/// A decoder on loan from the pool. The pool gets the decoder back when the loan is released.
final class SphinxLoan {
    private let configuration: SphinxConfiguration
    private let pool: SphinxPool
    private let use: SphinxPool.Use
    private var decoder: SphinxDecoder?

    init(_ configuration: SphinxConfiguration, pool: SphinxPool) {
        self.configuration = configuration
        self.pool = pool
        use = pool.use()
    }

    deinit {
        if let decoder = decoder.take() { pool.give(decoder) }
    }

    /// Takes the decoder from the pool, unless the loan already has it.
    func load() throws(DictationError) {
        if decoder == nil { decoder = try pool.take(configuration) }
    }

    /// Lends the decoder to a closure. A decoder that failed does not return to the pool.
    func use<Answer>(
        _ body: (inout SphinxDecoder) throws(DictationError) -> Answer
    ) throws(DictationError) -> Answer {
        try load()
        guard var decoder = decoder.take() else { throw .sphinx("ps_init", code: -1, while: "loading a decoder") }
        let answer = try body(&decoder)
        self.decoder = consume decoder
        return answer
    }
}

/// A decoder that no session uses.
private final class IdleDecoder: Sendable {
    private let decoder: Mutex<SphinxDecoder?>
    init(_ decoder: consuming SphinxDecoder) { self.decoder = Mutex(decoder) }
    func take() -> SphinxDecoder? { decoder.withLock { $0.take() } }
}
#endif
