import DictationCore
import Synchronization

/// The profiles of a service, and which of them each take has. A take keeps its profile when the profiles change.
final class TakeProfiles: Sendable {
    /// A profile and the name by which it was chosen; `nil` is the usual one.
    struct Chosen: Sendable {
        var name: String?
        var profile: DictationProfile
        /// What had the focus when the take began; `nil` for a take that only recognizes older audio again.
        var focus: Task<DestinationChain.Focus, Never>?
    }

    private struct State {
        var profiles: DictationProfiles
        var takes: [TakeID: Chosen] = [:]
    }

    private let state: Mutex<State>
    private let keyboards: ConnectedKeyboards

    init(_ profiles: DictationProfiles, keyboards: ConnectedKeyboards) {
        self.keyboards = keyboards
        state = Mutex(State(profiles: profiles.writing(through: keyboards)))
    }

    /// The profiles for the next takes.
    var all: DictationProfiles {
        get { state.withLock { $0.profiles } }
        set { state.withLock { $0.profiles = newValue.writing(through: keyboards) } }
    }

    /// Returns the profile for a caller.
    func choose(_ name: String?) throws(DictationError) -> Chosen {
        let profiles = all
        return Chosen(
            name: name,
            profile: try name.map { name throws(DictationError) in
                try profiles.profile(named: name)
            } ?? profiles.usual)
    }

    /// Notes the profile of a take that begins.
    func note(_ chosen: Chosen, for take: TakeID) { state.withLock { $0.takes[take] = chosen } }

    /// Returns the profile of a take; the usual one for a take that no caller of the service began.
    func profile(of take: TakeID) -> Chosen {
        state.withLock { $0.takes[take] ?? Chosen(profile: $0.profiles.usual) }
    }

    /// The number of takes that are not over.
    var count: Int { state.withLock { $0.takes.count } }

    /// Forgets a take that is over.
    func forget(_ take: TakeID) { state.withLock { $0.takes[take] = nil } }
}

extension DictationProfiles {
    /// The same profiles, whose texts reach a service's keyboards.
    fileprivate func writing(through keyboards: ConnectedKeyboards) -> DictationProfiles {
        func bound(_ profile: DictationProfile) -> DictationProfile {
            var profile = profile
            for (index, destination) in profile.destinations.destinations.enumerated() {
                guard let destination = destination as? any FieldDestination else { continue }
                profile.destinations.destinations[index] = destination.bound(to: keyboards)
            }
            return profile
        }
        return DictationProfiles(usual: bound(usual), named: named.mapValues { $0.map(bound) })
    }
}
