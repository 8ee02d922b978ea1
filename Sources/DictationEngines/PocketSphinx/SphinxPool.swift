#if PocketSphinx
import CPocketSphinx
import DictationCore
import Synchronization

/// The decoders of an engine: loaded when first needed, lent to one session at a time, kept as the retention says.
final class SphinxPool: Sendable {
    private struct Decoders: Sendable {
        var idle: [SphinxConfiguration: [IdleDecoder]] = [:]
        var known: Set<SphinxConfiguration> = []
    }

    private let decoders: Retained<Decoders>
    private static let idleLimit = 8

    init(retention: ModelRetention) { decoders = Retained(Decoders(), retention) }

    /// Whether a decoder is lent or kept.
    var holdsDecoders: Bool {
        decoders.isInUse || decoders.change { decoders in decoders.idle.values.contains { !$0.isEmpty } }
    }

    /// Whether such a decoder could be made before.
    func isKnown(_ configuration: SphinxConfiguration) -> Bool {
        decoders.change { $0.known.contains(configuration) }
    }

    /// Whether such a decoder waits to be used.
    func hasIdle(_ configuration: SphinxConfiguration) -> Bool {
        decoders.change { $0.idle[configuration]?.isEmpty == false }
    }

    /// Returns a decoder, and loads one if none is idle. Loading blocks for half a second.
    func take(_ configuration: SphinxConfiguration) throws(DictationError) -> SphinxDecoder {
        configuration.model.place?.markUsed()
        let idle = decoders.change { $0.idle[configuration]?.popLast() }
        if let decoder = idle?.take() { return decoder }
        let decoder = try SphinxDecoder(configuration)
        decoders.change { _ = $0.known.insert(configuration) }
        return decoder
    }

    /// Takes back a decoder that is in order.
    func give(_ decoder: consuming SphinxDecoder) {
        var decoder = decoder
        do throws(DictationError) { try decoder.end() } catch { return }
        let configuration = decoder.configuration
        let idle = IdleDecoder(decoder)
        decoders.change { decoders in
            guard decoders.idle.values.reduce(0, { $0 + $1.count }) < Self.idleLimit else { return }
            decoders.idle[configuration, default: []].append(idle)
        }
    }

    /// Keeps the decoders until the use ends.
    func use() -> some Sendable { decoders.use() }

    /// A decoder was loaded for a use that is to come; should none come, it lingers no longer than after one.
    func prepared() { decoders.linger() }
}

/// A decoder on loan from the pool, which gets it back when the loan ends.
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

    /// Takes the decoder from the pool, if that was not done yet.
    func load() throws(DictationError) {
        if decoder == nil { decoder = try pool.take(configuration) }
    }

    /// Lends the decoder. One that failed is not given to anyone else.
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

/// A decoder that waits to be used.
private final class IdleDecoder: Sendable {
    private let decoder: Mutex<SphinxDecoder?>
    init(_ decoder: consuming SphinxDecoder) { self.decoder = Mutex(decoder) }
    func take() -> SphinxDecoder? { decoder.withLock { $0.take() } }
}
#endif
