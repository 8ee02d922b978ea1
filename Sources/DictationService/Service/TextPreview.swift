import DictationCore

/// Shows the text of a take at its destinations while it may still change.
struct TextPreview {
    private let profiles: TakeProfiles
    private var take: TakeID?
    private var destinations = DestinationChain()
    private var focus: DestinationChain.Focus?
    private var shown = ""

    init(_ profiles: TakeProfiles) { self.profiles = profiles }

    /// Follows a publisher until it is closed.
    mutating func follow(_ publisher: StatusPublisher) async {
        do throws(DictationError) {
            for try await status in publisher.updates() { await show(status) }
        } catch {}
    }

    private mutating func show(_ status: ServiceStatus) async {
        if take != status.take {
            await show("")
            take = status.take
            let chosen = take.map { profiles.profile(of: $0) }
            focus = await chosen?.focus?.value
            destinations = focus == nil ? DestinationChain() : chosen?.profile.destinations ?? DestinationChain()
        }
        await show(status.isActive || status.state == .finalizing ? status.text : "")
    }

    private mutating func show(_ text: String) async {
        guard text != shown else { return }
        shown = text
        await destinations.preview(text, in: focus)
    }
}
