public import DictationCore
public import DictationText

/// How a service dictates: the engine, its options, and what becomes of the text.
///
/// A caller chooses a profile by its name, for instance with `DictationIntent.start(profile:)`. `ServiceSettings` makes
/// profiles from the user's settings.
public struct DictationProfile: Sendable {
    /// The engine that recognizes the speech.
    public var engine: any SpeechEngine
    /// The name of the engine's model, for the status.
    public var model: String?
    /// The options and time limits of a take.
    public var configuration: DictationSession.Configuration
    /// What turns recognized text into written text, in order.
    public var processors: [any TextProcessor]
    /// Keeps a take's audio until its text is complete; `nil` keeps no audio.
    ///
    /// Give each profile a spool of its own. Then ``DictationService/DictationService/recover()`` recognizes audio with
    /// the profile it was recorded for.
    public var spool: (any AudioSpool)?
    /// Where the text belongs, in words that the caller understands. The service only passes it on.
    public var destination: String?
    /// Where the service delivers the text of each take. With an empty chain, only its caller gets the text.
    public var destinations: DestinationChain

    /// Creates a profile.
    public init(
        engine: any SpeechEngine, model: String? = nil,
        configuration: DictationSession.Configuration = DictationSession.Configuration(),
        processors: [any TextProcessor] = [], spool: (any AudioSpool)? = nil, destination: String? = nil,
        destinations: DestinationChain = DestinationChain()
    ) {
        self.engine = engine
        self.model = model
        self.configuration = configuration
        self.processors = processors
        self.spool = spool
        self.destination = destination
        self.destinations = destinations
    }

    var setup: TakeSetup { TakeSetup(engine: engine, configuration: configuration, spool: spool) }
}

/// The profiles of a service.
public struct DictationProfiles: Sendable {
    /// The profile of callers that name none.
    public var usual: DictationProfile
    /// The other profiles. A profile that can't be used has the error that its callers get.
    public var named: [String: Result<DictationProfile, DictationError>]

    /// Creates profiles.
    public init(usual: DictationProfile, named: [String: Result<DictationProfile, DictationError>] = [:]) {
        self.usual = usual
        self.named = named
    }

    /// Returns the profile of a name.
    ///
    /// - Throws: `invalidInput` if there is none.
    func profile(named name: String) throws(DictationError) -> DictationProfile {
        guard let profile = named[name] else {
            let names = named.keys.sorted().map { "“\($0)”" }.joined(separator: ", ")
            throw DictationError(
                .invalidInput, "There is no profile “\(name)”.",
                recovery: (names.isEmpty ? "" : "There are \(names). ") + "Leave the profile out to use the usual one.")
        }
        return try profile.get()
    }
}
