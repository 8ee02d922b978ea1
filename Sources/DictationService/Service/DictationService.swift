public import DictationCore
public import DictationText
import Synchronization

/// One dictation session for many callers: an app's windows, a key, a bar, other programs.
///
///     let service = DictationService(session: session, processors: [SpokenPunctuation()])
///     try await service.start()
///     try await Task.sleep(for: .seconds(5))
///     print(try await service.stop()?.text ?? "nothing was said")
///
/// The service decides what an intent means: two callers that toggle at the same moment start and stop one take. Each
/// text goes to the one caller that ended the take, or is only kept, and ``DictationIntent/last`` repeats the newest.
///
/// Offer the service to other programs with a ``ServiceListener``. They use a ``DictationClient``, which is a
/// ``DictationControl`` as well.
///
/// Releasing the service ends the take, as releasing the session does.
public final class DictationService: DictationControl {
    let session: DictationSession
    let profiles: TakeProfiles
    /// The keyboards that write its texts into fields.
    let keyboards = ConnectedKeyboards()
    let texts: TextHandler
    package let publisher: StatusPublisher
    let journal: TextJournal?
    package let runtime = DictationRuntime.current
    let events: DictationSession.Events
    /// Whether audio of an earlier service is still to become text.
    let isRecovering = Watched(false)
    private let listening: Task<Void, Never>
    private let loading: (@Sendable () async throws(DictationError) -> DictationProfiles)?
    /// The numbers of the newest load that was asked for, and of the newest one in use.
    private let loads = Mutex((asked: 0, used: 0))

    /// Creates a service around a session, with one profile.
    ///
    /// - Parameters:
    ///   - session: The session. Give it a spool, so that ``recover()`` can recognize audio whose text is missing.
    ///   - model: The name of the engine's model, for the status.
    ///   - processors: What turns recognized text into written text, in order.
    ///   - journal: Keeps the newest texts in a file; `nil` keeps no text but the last, and only in memory.
    public convenience init(
        session: DictationSession, model: String? = nil, processors: [any TextProcessor] = [],
        journal: TextJournal? = nil
    ) {
        let setup = session.setup
        let usual = DictationProfile(
            engine: setup.engine, model: model, configuration: setup.configuration, processors: processors,
            spool: setup.spool)
        self.init(session, DictationProfiles(usual: usual), journal: journal, loading: nil)
    }

    /// Creates a service with profiles, among which each caller chooses.
    ///
    /// - Parameters:
    ///   - profiles: The profiles.
    ///   - capturer: The microphone, for all profiles.
    ///   - converters: The converters from the capturer's audio format to the engines'.
    ///   - journal: Keeps the newest texts in a file; `nil` keeps no text but the last, and only in memory.
    ///   - loading: Returns the profiles again for ``reloadSettings()``.
    public convenience init(
        profiles: DictationProfiles, capturer: any AudioCapturer, converters: any FormatConverterProvider,
        journal: TextJournal? = nil,
        loading: (@Sendable () async throws(DictationError) -> DictationProfiles)? = nil
    ) {
        let usual = profiles.usual
        let session = DictationSession(
            engine: usual.engine, capturer: capturer, converters: converters, spool: usual.spool,
            configuration: usual.configuration)
        self.init(session, profiles, journal: journal, loading: loading)
    }

    private init(
        _ session: DictationSession, _ profiles: DictationProfiles, journal: TextJournal?,
        loading: (@Sendable () async throws(DictationError) -> DictationProfiles)?
    ) {
        self.session = session
        self.journal = journal
        self.loading = loading
        let takes = TakeProfiles(profiles, keyboards: keyboards)
        let publisher = StatusPublisher(ServiceStatus(profiles.usual))
        let texts = TextHandler(profiles: takes, journal: journal, publisher: publisher)
        let events = session.events()
        (self.profiles, self.publisher, self.texts, self.events) = (takes, publisher, texts, events)
        listening = runtime.task {
            var writer = StatusWriter(takes)
            for await event in events {
                publisher.show(writer.apply(event))
                switch event.kind {
                case .ended(let transcript): texts.note(.ended(event.take, transcript))
                case .cancelled: texts.note(.cancelled(event.take))
                default: break
                }
            }
        }
        runtime.task { await texts.work() }
        runtime.task {
            var preview = TextPreview(takes)
            await preview.follow(publisher)
        }
    }

    deinit {
        listening.cancel()
        publisher.close()
        texts.close()
    }

    /// Loads the engine's model ahead of the first take.
    ///
    /// - Throws: The errors of `DictationSession.prepare()`.
    public func prepare() async throws(DictationError) { try await session.prepare() }

    /// Loads the profiles again. They apply from the next take on; a take that is under way goes on as it began.
    ///
    /// - Throws: `unsupportedOption` if the service was created without a way to load them, or the error of loading.
    ///   The profiles then stay as they are.
    public func reloadSettings() async throws(DictationError) {
        guard let loading else {
            throw DictationError(
                .unsupportedOption, "This service has no settings to read again.", recovery: "Start the service again.")
        }
        let number = loads.withLock { loads in
            loads.asked += 1
            return loads.asked
        }
        let new = try await loading()
        loads.withLock { loads in
            // A load that was asked for later, and was quicker, has newer settings.
            guard number > loads.used else { return }
            loads.used = number
            profiles.all = new
            session.setup = new.usual.setup
            publisher.show(usual: new.usual)
        }
    }

    /// Carries out an intent and returns the answer. See ``DictationControl/perform(_:)``.
    public func perform(_ intent: DictationIntent) async throws(DictationError) -> DictationAnswer {
        try await answer(to: issue(intent))
    }

    /// Starts a take that is recorded until the hold is released. See ``DictationControl/hold(profile:)``.
    public func hold(profile: String? = nil) async throws(DictationError) -> DictationHold {
        try await hold(beginHold(profile: profile))
    }

    /// Returns the present status, and then its changes. See ``DictationControl/statusUpdates()``.
    public func statusUpdates() async -> ServiceStatus.Updates { publisher.updates() }

    /// Stops the take, keeps its text, and waits until all texts are in the journal and the clipboard has its contents
    /// back. Call this before exiting.
    ///
    /// A caller that stopped the take before still gets its text.
    public func close() async {
        await session.stop()
        await waitUntilSettled()
        let all = profiles.all
        for profile in [all.usual] + all.named.values.compactMap({ try? $0.get() }) {
            await profile.destinations.settle()
        }
    }

    /// Waits until the last take has finished its clean-up, and all texts are in the journal.
    ///
    /// It returns within seconds, even when the microphone or the disk hangs.
    public func waitUntilSettled() async {
        await session.waitUntilSettled()
        await events.dealtWith()
        await texts.waitUntilSettled()
    }
}
