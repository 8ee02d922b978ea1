import DictationCore

extension EngineCandidate {
    /// Creates a candidate that joins the models of other candidates to a ``TwoPassEngine``.
    ///
    ///     let small = EngineCandidate("small", models: [
    ///         EngineCandidate.Model(name: "fast", locales: ["en-US"]) { ScriptedEngine() }
    ///     ])
    ///     let large = EngineCandidate("large", models: [
    ///         EngineCandidate.Model(name: "good", locales: ["en-US"]) { ScriptedEngine() }
    ///     ])
    ///     let candidates = [EngineCandidate.twoPass(thorough: [large], quick: [small]), large, small]
    ///
    /// The thorough engine shows its own text while the user speaks, if it can (``TwoPassEngine/Preview/thorough``).
    ///
    /// Each thorough model is joined with each quick model that has a locale in common with it, the best first. The
    /// name of the joined model has both names, "good + fast". A finder passes over this candidate for a grammar, for
    /// keyphrases and for alignment, which are the work of one engine alone, and for a model's folder.
    ///
    /// - Parameters:
    ///   - thorough: The engines for the final text, in order of preference.
    ///   - quick: The engines for word times and the check, in order of preference.
    public static func twoPass(thorough: [EngineCandidate], quick: [EngineCandidate]) -> EngineCandidate {
        EngineCandidate(.twoPass, joining: thorough + quick) {
            let others = quick.flatMap { candidate in candidate.models().map { $0.needing(candidate.library) } }
            return thorough.flatMap { candidate in candidate.models().map { $0.needing(candidate.library) } }
                .flatMap { model in others.compactMap { model.joined(with: $0) } }
        }
    }

    /// The engines that do the work: those that the candidate joins, or its own.
    var parts: [EngineCandidate] { joined.isEmpty ? [self] : joined }

    /// Whether the candidate joins other engines to one.
    public var joinsEngines: Bool { !joined.isEmpty }
}

extension EngineCandidate.Model {
    fileprivate func needing(_ library: EngineCandidate.Library?) -> EngineCandidate.Model {
        var model = self
        if let library { model.libraries.append(library) }
        return model
    }

    /// Returns both models as one, for the locales of both; `nil` if they have none in common.
    fileprivate func joined(with quick: EngineCandidate.Model) -> EngineCandidate.Model? {
        let locales = locales.filter(quick.locales.contains)
        guard !locales.isEmpty else { return nil }
        let names = names + quick.names
        let origin: Origin =
            if case .describing(let retention, let thorough) = origin, case .describing(_, let quick) = quick.origin {
                .describing(retention) { () throws(DictationError) in
                    .twoPass(quick: try quick(), thorough: try thorough(), preview: .thorough)
                }
            } else {
                .opening { () throws(DictationError) in
                    try TwoPassEngine(quick: quick.open(), thorough: open(), preview: .thorough)
                }
            }
        var model = EngineCandidate.Model(
            name: names.isEmpty ? nil : names.joined(separator: " + "), locales: locales, origin)
        model.libraries = libraries + quick.libraries
        model.joinedNames = names
        return model
    }
}
