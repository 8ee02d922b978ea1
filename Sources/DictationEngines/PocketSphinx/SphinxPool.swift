#if PocketSphinx
import CPocketSphinx
import DictationCore
import Synchronization

/// The decoders of an engine. The pool loads a decoder when a session first needs it, lends it to one session at a time
/// and keeps it for as long as the retention says.
final class SphinxPool: Sendable {
    private struct Decoders: Sendable {
        var idle: [SphinxConfiguration: [IdleDecoder]] = [:]
        var known: Set<SphinxConfiguration> = []
    }

    private let decoders: Retained<Decoders>
    private static let idleLimit = 8

    init(retention: ModelRetention) { decoders = Retained(Decoders(), retention) }

    /// Whether the pool has a user or an idle decoder.
    var holdsDecoders: Bool {
        decoders.isInUse || decoders.change { decoders in decoders.idle.values.contains { !$0.isEmpty } }
    }

    /// Whether a decoder with this configuration was loaded before.
    func isKnown(_ configuration: SphinxConfiguration) -> Bool {
        decoders.change { $0.known.contains(configuration) }
    }

    /// Whether a decoder with this configuration is idle.
    func hasIdle(_ configuration: SphinxConfiguration) -> Bool {
        decoders.change { $0.idle[configuration.family]?.isEmpty == false }
    }

    /// Takes an idle decoder, or loads one, which blocks for about half a second.
    func take(_ configuration: SphinxConfiguration) throws(DictationError) -> SphinxDecoder {
        configuration.model.place?.markUsed()
        let family = configuration.family
        let idle = decoders.change { $0.idle[family]?.popLast() }
        if var decoder = idle?.take(), try decoder.change(to: configuration) { return decoder }
        let decoder = try SphinxDecoder(configuration)
        // Each new grammar is tried at the beginning of its session.
        if configuration == family { decoders.change { _ = $0.known.insert(configuration) } }
        return decoder
    }

    /// Takes a decoder back. Drops it when its utterance can't end or when enough decoders are idle.
    func give(_ decoder: consuming SphinxDecoder) {
        var decoder = decoder
        do throws(DictationError) { try decoder.end() } catch { return }
        let family = decoder.configuration.family
        let idle = IdleDecoder(decoder)
        decoders.change { decoders in
            guard decoders.idle.values.reduce(0, { $0 + $1.count }) < Self.idleLimit else { return }
            decoders.idle[family, default: []].append(idle)
        }
    }

    /// Keeps the decoders in memory until the returned object is released.
    func use() -> some Sendable { decoders.use() }

    /// Notes that a decoder was loaded ahead of its first use. If no use follows, the decoder lingers no longer than it
    /// would after a use.
    func prepared() { decoders.linger() }
}

/// A decoder on loan from the pool. The pool gets the decoder back when the loan is released.
final class SphinxLoan {
    private let configuration: SphinxConfiguration
    private let pool: SphinxPool
    private let use: any Sendable
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
