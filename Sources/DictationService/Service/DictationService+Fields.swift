import DictationCore

extension DictationService: FieldWriting {
    package func offerFields() -> FieldOffer {
        let orders = Mailbox<FieldOrder, Never>()
        let connection = Connection(keyboards, keyboards.connect { orders.put($0) })
        return FieldOffer { () throws(DictationError) in
            guard let order = await orders.next() else { throw .connectionLost }
            return order
        } tell: {
            connection.keyboards.note($0, of: connection.number)
        }
    }

    /// Disconnects a keyboard at the end of its lifetime.
    private final class Connection: Sendable {
        let keyboards: ConnectedKeyboards
        let number: Int
        init(_ keyboards: ConnectedKeyboards, _ number: Int) { (self.keyboards, self.number) = (keyboards, number) }
        deinit { keyboards.disconnect(number) }
    }
}
