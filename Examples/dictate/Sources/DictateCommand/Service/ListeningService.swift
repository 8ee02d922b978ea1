import DictationCapture
import DictationCore
import DictationService
import Synchronization

/// How a service tells that its microphone is open, and what else than a key begins a take, as the settings say.
final class ListeningService: Sendable {
    private struct State {
        var service: DictationService?
        var settings: ServiceSettings?
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

    /// Uses new settings from the next take on.
    func follow(_ settings: ServiceSettings) async {
        let (service, old) = state.withLock { state in
            defer { state.settings = settings }
            return (state.service, state.settings)
        }
        guard let service, settings != old else { return }
        do throws(DictationError) { microphone.cue = try settings.makeCue() } catch {
            microphone.cue = nil
            console.complain(error)
        }
        await stopTrigger()
        let trigger: VoiceTrigger?
        do throws(DictationError) {
            trigger = try await settings.makeTrigger(microphone, converters: SampleRateConverters()) {
                options throws(DictationError) in
                try await finder.engine(for: options)
            }
        } catch {
            return console.complain(error)
        }
        guard let trigger else { return }
        let console = console
        let task = DictationRuntime.current.task {
            await trigger.run(with: service) { result in
                if case .failure(let error) = result { console.complain(error) }
            }
        }
        state.withLock { $0.trigger = task }
    }

    func end() async {
        await stopTrigger()
        state.withLock { $0.service = nil }
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
