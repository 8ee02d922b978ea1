package import DictationCore

/// What a service asks of a keyboard.
package enum FieldOrder: Sendable, Hashable {
    /// Answered with ``FieldReport/outcome(number:_:)``.
    case write(OrderedText)
    /// Text that may still change; an empty one hides it. `nil` is the field that has the focus.
    case show(String, in: String?)
}

/// A text that a service wants in a field.
package struct OrderedText: Sendable, Hashable, Codable {
    package var number: Int
    package var text: String
    /// The text's take; `nil` if no take of this service has it.
    package var take: TakeID?
    /// The field; `nil` is the one that has the focus.
    package var field: String?

    package init(number: Int, text: String, take: TakeID? = nil, field: String? = nil) {
        (self.number, self.text, self.take, self.field) = (number, text, take, field)
    }
}

/// What a keyboard tells.
package enum FieldReport: Sendable, Hashable {
    /// Another field has the focus; `nil` if none has it.
    case focus(String?)
    case outcome(number: Int, TextDelivery.Outcome)
}

/// A keyboard's side of its connection to a service that writes into its fields. The offer ends with the value.
package struct FieldOffer: Sendable {
    /// Waits for what the service asks.
    package let next: @Sendable () async throws(DictationError) -> FieldOrder
    /// Returns at once. What is told arrives in its order.
    package let tell: @Sendable (FieldReport) -> Void
}

/// A service that writes into the fields of keyboards.
package protocol FieldWriting: DictationControl {
    /// Offers a keyboard's fields.
    func offerFields() async throws(DictationError) -> FieldOffer
}

/// A destination that writes through the keyboards of a service.
package protocol FieldDestination: TextDestination {
    func bound(to keyboards: ConnectedKeyboards) -> Self
}
