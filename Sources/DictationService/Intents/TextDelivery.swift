public import DictationCore

/// What became of a text at the destinations that were tried, in their order.
public struct TextDelivery: Sendable, Hashable, Codable {
    /// What became of a text at one destination.
    public struct Attempt: Sendable, Hashable, Codable {
        /// The destination's name.
        public var destination: String
        /// The outcome.
        public var outcome: TextDelivery.Outcome

        /// Creates a description.
        public init(_ destination: String, _ outcome: TextDelivery.Outcome) {
            (self.destination, self.outcome) = (destination, outcome)
        }

        private enum CodingKeys: CodingKey { case destination }

        /// Reads an attempt.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            destination = try container.decode(String.self, forKey: .destination)
            outcome = try TextDelivery.Outcome(from: decoder)
        }

        /// Writes the attempt: `{"destination":"wtype","outcome":"delivered"}`.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(destination, forKey: .destination)
            try outcome.encode(to: encoder)
        }
    }

    /// The text's take.
    public var take: TakeID
    /// The attempts. The last one may have delivered the text.
    public var attempts: [Attempt]

    /// Creates a description.
    public init(take: TakeID, attempts: [Attempt]) { (self.take, self.attempts) = (take, attempts) }

    /// The name of the destination that has the whole text; `nil` if none has it.
    public var destination: String? { attempts.last { $0.outcome == .delivered }?.destination }
}
