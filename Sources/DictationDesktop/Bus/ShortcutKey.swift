#if SystemBus
public import DictationCore
public import DictationService
import DictationSystem

/// A key of the desktop that is held to dictate, through the portal for global shortcuts.
///
/// The desktop asks the user for the key, once, and tells this process when it is pressed and released. KDE has this
/// portal. Where it is missing, bind a key to `dictate toggle`. Releasing the key object gives the key back.
public final class ShortcutKey: Sendable {
    enum Event: Sendable, Hashable { case pressed, released }

    private let events = Mailbox<Event, Never>()
    private let binding = Watched<Result<Void, DictationError>?>(nil)
    private let queue: MessageQueue

    private init(queue: MessageQueue) { self.queue = queue }

    deinit { queue.close() }

    /// Asks the desktop for a key, and waits until the user has agreed.
    ///
    /// - Parameters:
    ///   - description: What the key does, for the desktop's settings.
    ///   - trigger: The key to propose, such as `LOGO+d`, as the XDG specification of shortcuts writes it; `nil` leaves the
    ///     choice to the user.
    ///   - address: The address of the bus that the portal is on; `nil` is the bus of the user's session.
    /// - Throws: `unsupportedOption` if the desktop has no such portal; `cancelled` if the user or the task declines.
    public static func bind(
        _ description: String = "Dictate while the key is held", preferring trigger: String? = nil,
        at address: String? = nil
    ) async throws(DictationError) -> ShortcutKey {
        let queue = try MessageQueue()
        let key = ShortcutKey(queue: queue)
        let (events, binding) = (key.events, key.binding)
        let isStarted = SystemThread.start(named: "dictation-key") {
            let result: Result<Void, DictationError>?
            do throws(DictationError) {
                let bus = try BusConnection(address.map { .address($0) } ?? .session)
                let portal = try ShortcutPortal(bus, description, trigger) {
                    events.put($0)
                } bound: { answer in
                    binding.change { $0 = $0 ?? answer }
                }
                BusLoop.run(bus, queue, portal)
                result = .failure(.declined())
            } catch {
                result = .failure(error)
            }
            binding.change { $0 = $0 ?? result }
            events.finish()
        }
        guard isStarted else { throw .noThread }
        guard let bound = await binding.first({ $0 }) else { throw .declined(1) }
        try bound.get()
        return key
    }

    /// Holds a take while the key is held, again and again, until the desktop takes the key away or the task is cancelled.
    ///
    /// - Parameters:
    ///   - control: The service.
    ///   - profile: The name of the profile; `nil` is the usual one.
    ///   - receive: Gets the text of each take, or the error that kept it from starting. The next take does not wait
    ///     for it.
    public func dictate(
        with control: any DictationControl, profile: String? = nil,
        _ receive: @escaping @Sendable (Result<DictatedText, DictationError>) async -> Void
    ) async {
        await withDiscardingTaskGroup { group in
            var hold: DictationHold?
            while let event = await events.next() {
                switch (event, hold) {
                case (.pressed, nil):
                    do throws(DictationError) { hold = try await control.hold(profile: profile) } catch {
                        await receive(.failure(error))
                    }
                case (.released, let held?):
                    hold = nil
                    // The next take may begin while this one becomes text.
                    group.addTask {
                        do throws(DictationError) {
                            if let text = try await held.release().text { await receive(.success(text)) }
                        } catch {
                            await receive(.failure(error))
                        }
                    }
                default: break
                }
            }
        }
    }
}

#else
public import DictationCore
public import DictationService

/// A key of the desktop that is held to dictate. This build leaves it out.
@available(*, unavailable, message: "Enable the “SystemBus” trait of swift-dictation.")
public final class ShortcutKey: Sendable {
    /// Unavailable in this build.
    public static func bind(
        _ description: String = "", preferring trigger: String? = nil, at address: String? = nil
    ) async throws(DictationError) -> ShortcutKey {
        throw .notBuilt("SystemBus")
    }
    /// Unavailable in this build.
    public func dictate(
        with control: any DictationControl, profile: String? = nil,
        _ receive: @escaping @Sendable (Result<DictatedText, DictationError>) async -> Void
    ) async {}
}
#endif
