/// Destinations in the order in which a text tries them.
///
///     func deliver(_ text: DictatedText) async {
///         let chain = DestinationChain([OutputDestination(), ClipboardDestination()])
///         let delivery = await chain.deliver(text)
///         print(delivery.destination ?? "nowhere")
///     }
///
/// The first destination that takes the text ends the way. Put the clipboard last: it always takes the text, and the
/// user has to paste it.
public struct DestinationChain: Sendable {
    /// The destinations.
    public var destinations: [any TextDestination]

    /// Creates a chain.
    public init(_ destinations: [any TextDestination] = []) { self.destinations = destinations }

    /// Whether the chain delivers nothing.
    public var isEmpty: Bool { destinations.isEmpty }

    /// What had the focus at a moment, as each destination tells it.
    public struct Focus: Sendable {
        fileprivate var fields: [FocusedField?]
    }

    /// Returns what has the focus now. Ask when a take begins.
    public func focus() async -> Focus {
        var fields: [FocusedField?] = []
        for destination in destinations { fields.append(await destination.focusedField()) }
        return Focus(fields: fields)
    }

    /// Shows text that may still change, where that is possible.
    public func preview(_ text: String, in focus: Focus? = nil) async {
        for (index, destination) in destinations.enumerated() {
            await destination.preview(text, in: focus?.field(index))
        }
    }

    /// Delivers a text to the first destination that takes it.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - focus: What had the focus when the take began; `nil` delivers to whatever has the focus now.
    /// - Returns: What became of the text at each destination that was tried. An empty text tries none.
    public func deliver(_ text: DictatedText, in focus: Focus? = nil) async -> TextDelivery {
        var delivery = TextDelivery(take: text.take, attempts: [])
        var isRefused = false
        for (index, destination) in destinations.enumerated() where !text.text.isEmpty {
            if isRefused, destination.followsFocus { continue }
            let outcome = await destination.deliver(text, into: focus?.field(index))
            delivery.attempts.append(TextDelivery.Attempt(destination.name, outcome))
            switch outcome {
            case .delivered, .incomplete: return delivery
            case .refused: isRefused = true
            case .noField, .unavailable: break
            }
        }
        return delivery
    }
}

extension DestinationChain {
    /// Waits until everything that a text displaced for a while is back.
    func settle() async { for destination in destinations { await destination.settle() } }
}

extension DestinationChain.Focus {
    fileprivate func field(_ index: Int) -> FocusedField? { fields.indices.contains(index) ? fields[index] : nil }
}
