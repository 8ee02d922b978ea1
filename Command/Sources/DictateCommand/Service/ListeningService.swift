import DictationCapture
import DictationCore
import DictationDesktop
import DictationService
import Synchronization

/// How a service tells that its microphone is open, and what else than a key begins a take, as the settings say.
final class ListeningService: Sendable {
    private struct State {
        var service: DictationService?
        var choice: TriggerChoice?
        /// How often the user has chosen.
        var count = 0
        var trigger: Task<Void, Never>?
    }

    private let microphone: ServiceMicrophone
    private let finder: ProfileEngineFinder
    private let console: Console
    private let state = Mutex(State())

    init(_ microphone: ServiceMicrophone, _ finder: ProfileEngineFinder, _ console: Console) {
        self.microphone = microphone
        self.finder = finder
        self.console = console
    }

    func begin(with service: DictationService, _ settings: ServiceSettings) async {
        state.withLock { $0.service = service }
        await follow(settings)
    }

    /// Uses new settings from the next take on. Of several at once, the last ones count.
    func follow(_ settings: ServiceSettings) async {
        do throws(DictationError) { microphone.cue = try settings.makeCue() } catch {
            microphone.cue = nil
            console.complain(error)
        }
        let choice = TriggerChoice(settings)
        let (service, number) = state.withLock { state -> (DictationService?, Int) in
            // A trigger that goes on as it is may hold a take.
            guard choice != state.choice || choice.trigger != .off && state.trigger == nil else { return (nil, 0) }
            state.choice = choice
            state.count += 1
            return (state.service, state.count)
        }
        guard let service else { return }
        await stopTrigger()
        do throws(DictationError) {
            let trigger = try await settings.makeTrigger(microphone, converters: SampleRateConverter.Provider()) {
                options throws(DictationError) in
                try await finder.engine(for: options)
            }
            if let trigger { run(trigger, with: service, number) }
        } catch {
            console.complain(error)
        }
    }

    /// Runs a trigger, unless newer settings have come meanwhile.
    private func run(_ trigger: VoiceTrigger, with service: DictationService, _ number: Int) {
        let console = console
        state.withLock { state in
            guard state.count == number else { return }
            state.trigger = DictationRuntime.current.task {
                await trigger.run(with: service) { result in
                    if case .failure(let error) = result { console.complain(error) }
                }
            }
        }
    }

    func end() async {
        state.withLock { state in
            state.service = nil
            state.count += 1
        }
        await stopTrigger()
    }

    private func stopTrigger() async {
        let trigger = state.withLock { state in
            defer { state.trigger = nil }
            return state.trigger
        }
        trigger?.cancel()
        await trigger?.value
    }
}

/// What the settings say about a trigger.
private struct TriggerChoice: Hashable {
    let trigger: ServiceSettings.Trigger
    let wakeWords: [String]
    let silence: Duration?
    let profile: String?
    let language: SpeechLocale
    let device: String?

    init(_ settings: ServiceSettings) {
        (trigger, wakeWords) = (settings.trigger, settings.wakeWords)
        (silence, profile) = (settings.triggerSilence, settings.triggerProfile)
        let used = profile.flatMap { settings.profiles[$0] } ?? settings.usual
        (language, device) = (used.language, used.device)
    }
}
