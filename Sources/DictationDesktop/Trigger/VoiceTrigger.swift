public import DictationCore
public import DictationService
import Synchronization

/// Starts a take when somebody speaks, or says a wake word, and ends it after a silence.
///
///     let microphone = ServiceMicrophone(capturer)
///     let service = DictationService(session: DictationSession(engine: engine, capturer: microphone))
///     let listening = Task {
///         await VoiceTrigger(.voice, microphone: microphone).run(with: service) { result in
///             if case .success(let text) = result { print(text.text) }
///         }
///     }
///     listening.cancel()
///
/// While it runs and no take is under way, the microphone is open, and the desktop shows that. What is heard stays in the
/// memory of this process, for four seconds at most: nothing goes to the disk or to another program before a take begins.
/// A take begins with the first sound of the voice, or right after the wake word, so no word is lost.
///
/// A take that a key or another program starts works as always. Whoever stops the take of a trigger gets its text.
public struct VoiceTrigger: Sendable {
    /// What begins a take.
    public enum Sign: Sendable {
        /// Any voice.
        case voice
        /// One of a few phrases, which an engine finds that has the feature `keyphrases`.
        ///
        /// - Parameters:
        ///   - phrases: The phrases. Two words or more give few false alarms.
        ///   - engine: The engine.
        ///   - locale: The language of the phrases.
        case wakeWords([RecognitionTask.Keyphrase], engine: any SpeechEngine, locale: SpeechLocale = "en-US")
    }

    /// What begins a take.
    public var sign: Sign
    /// The silence that ends a take.
    public var silence: Duration
    /// The name of the takes' profile; `nil` is the usual one.
    public var profile: String?
    /// The device to listen to; `nil` is the usual one.
    public var device: AudioDevice.ID?
    private let microphone: ServiceMicrophone
    private let converters: any FormatConverterProvider
    private let runtime = DictationRuntime.current

    /// How long to wait after the microphone or the engine failed.
    private static let pause = Duration.seconds(5)

    /// Creates a trigger. It does nothing before it runs.
    ///
    /// - Parameters:
    ///   - sign: What begins a take.
    ///   - microphone: The microphone, which is the service's as well.
    ///   - converters: The converters from the microphone's audio format to that of the engine for wake words. The default
    ///     can't change the sample rate: give `SampleRateConverter.Provider()` for a microphone of 48 kHz.
    ///   - silence: The silence that ends a take.
    ///   - profile: The name of the takes' profile; `nil` is the usual one.
    ///   - device: The device to listen to; `nil` is the usual one. Give that of the profile.
    public init(
        _ sign: Sign, microphone: ServiceMicrophone,
        converters: any FormatConverterProvider = BasicConverter.Provider(),
        silence: Duration = .seconds(2), profile: String? = nil, device: AudioDevice.ID? = nil
    ) {
        self.sign = sign
        self.microphone = microphone
        self.converters = converters
        self.silence = silence
        self.profile = profile
        self.device = device
    }

    /// Listens, again and again, until the task is cancelled.
    ///
    /// - Parameters:
    ///   - control: The service.
    ///   - receive: Gets the text of each take that a silence ended, and each error.
    public func run(
        with control: any DictationControl,
        _ receive: @escaping @Sendable (Result<DictatedText, DictationError>) async -> Void = { _ in }
    ) async {
        while !Task.isCancelled {
            do throws(DictationError) {
                try await waitUntilIdle(control)
                guard let tap = try await hears() else { continue }
                if let text = try await dictate(tap, control) { await receive(.success(text)) }
            } catch {
                guard !Task.isCancelled else { return }
                await receive(.failure(error))
                try? await runtime.sleep(Self.pause)
            }
        }
    }

    // MARK: The take

    private func waitUntilIdle(_ control: any DictationControl) async throws(DictationError) {
        var statuses = try await control.statusUpdates().makeAsyncIterator()
        while let status = try await statuses.next(), status.isActive || status.state == .finalizing {}
    }

    /// Holds a take until a silence; its text, unless somebody else ended it.
    private func dictate(
        _ tap: MicrophoneTap, _ control: any DictationControl
    ) async throws(DictationError) -> DictatedText? {
        let hold: DictationHold
        do throws(DictationError) { hold = try await control.hold(profile: profile) } catch {
            await microphone.stopListening(tap)
            // A key was quicker.
            if error.code == .alreadyRunning { return nil }
            throw error
        }
        await waitForSilence(hold.take, control)
        return try await hold.release().text
    }

    /// Waits until a take has been silent for long enough, or is over.
    private func waitForSilence(_ take: TakeID, _ control: any DictationControl) async {
        guard var statuses = try? await control.statusUpdates().makeAsyncIterator() else { return }
        var lastVoice = Duration.zero
        while let status = try? await statuses.next() {
            // The first status may be older than the take.
            if let shown = status.take, shown < take { continue }
            guard status.take == take, status.isActive else { return }
            if status.level >= DictationSession.InputThresholds().speech { lastVoice = status.elapsed }
            if status.elapsed - lastVoice >= silence { return }
        }
    }

    // MARK: Listening

    /// Listens until the sign comes.
    ///
    /// - Returns: The tap of the microphone, which is still open; `nil` if a take began for another reason.
    private func hears() async throws(DictationError) -> MicrophoneTap? {
        switch sign {
        case .voice: try await hearsVoice()
        case .wakeWords(let phrases, let engine, let locale): try await hears(phrases, engine, locale)
        }
    }

    private func hearsVoice() async throws(DictationError) -> MicrophoneTap? {
        let outcome = Watched<Outcome?>(nil)
        let detector = Mutex(VoiceDetector())
        return try await listen(outcome, beginsWithSound: true) { buffer in
            if let start = detector.withLock({ $0.hear(buffer) }) { outcome.note(.heard(start)) }
        }
    }

    private func hears(
        _ phrases: [RecognitionTask.Keyphrase], _ engine: any SpeechEngine, _ locale: SpeechLocale
    ) async throws(DictationError) -> MicrophoneTap? {
        let outcome = Watched<Outcome?>(nil)
        let heard = FedCapturer()
        let session = DictationSession(
            engine: engine, capturer: heard, converters: converters,
            configuration: DictationSession.Configuration(recognition: .wakeWords(phrases, locale: locale)))
        let events = session.events()
        let spotting = runtime.task {
            for await event in events {
                switch event.kind {
                case .text(let change):
                    guard let phrase = change.finalResults.first ?? change.volatileTail.first else { continue }
                    outcome.note(.heard(phrase.range.upperBound))
                case .ended(let transcript): outcome.note(.gone(transcript.error ?? .spottingEnded))
                default: continue
                }
            }
        }
        defer { spotting.cancel() }
        try await session.start()
        let tap = await Result.of { () async throws(DictationError) in
            // The user has to hear the cue before going on to speak.
            try await listen(outcome, beginsWithSound: microphone.cue?.isAudible != true) { heard.feed.write($0) }
        }
        await session.cancel()
        return try tap.get()
    }

    /// How listening ends.
    fileprivate enum Outcome: Sendable {
        /// The take begins at a time.
        case heard(Duration)
        /// A take has the microphone, or it failed.
        case gone(DictationError?)
    }

    /// Listens until there is an outcome.
    private func listen(
        _ outcome: Watched<Outcome?>, beginsWithSound: Bool, hear: @escaping @Sendable (AudioBuffer) -> Void
    ) async throws(DictationError) -> MicrophoneTap? {
        let end: @Sendable (DictationError?) -> Void = { outcome.note(.gone($0)) }
        guard let tap = try await microphone.listen(CaptureOptions(device: device), end: end, hear: hear) else {
            return nil
        }
        switch await outcome.first({ $0 }) {
        case .heard(let start):
            if beginsWithSound { tap.begin(at: start) }
            return tap
        case .gone(let error):
            await microphone.stopListening(tap)
            if let error { throw error }
        case nil: await microphone.stopListening(tap)
        }
        return nil
    }
}

extension Watched<VoiceTrigger.Outcome?> {
    /// Notes an outcome, of which the first counts.
    fileprivate func note(_ outcome: VoiceTrigger.Outcome) { change { $0 = $0 ?? outcome } }
}

extension DictationError {
    fileprivate static let spottingEnded = DictationError(
        .engineFailed, "The engine for wake words has ended.", recovery: "Start the service again.")
}

/// The audio that a trigger passes on to its engine.
private final class FedCapturer: AudioCapturer {
    let feed = CaptureFeed()
    var pacing: CaptureStream.Pacing { .live }

    func start(_ options: CaptureOptions) async throws(DictationError) -> CaptureStream { feed.stream }
    func stop(_ mode: CaptureOptions.StopMode) async { feed.finish() }
}
