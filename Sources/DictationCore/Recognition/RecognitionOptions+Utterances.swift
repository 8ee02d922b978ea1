// What engines that cut speech into utterances have in common.
extension RecognitionOptions {
    /// The case of the text, for a model that writes only capital letters.
    public enum TextCase: String, Sendable, CaseIterable, Codable {
        /// A capital letter at the start of each utterance.
        case sentence
        /// Small letters only.
        case lower
        /// Unchanged from the model.
        case asModel
    }

    /// The pauses that end an utterance.
    public struct Endpointing: Sendable, Hashable, Codable {
        /// The silence that ends an utterance with no text.
        public var silenceWithoutText: Duration
        /// The silence that ends an utterance with text.
        public var silenceAfterText: Duration
        /// The length that ends an utterance even without a pause; `nil` means no limit.
        public var maximumLength: Duration?

        /// Creates rules.
        public init(
            silenceWithoutText: Duration = .seconds(2.4), silenceAfterText: Duration = .seconds(1.2),
            maximumLength: Duration? = nil
        ) {
            self.silenceWithoutText = silenceWithoutText
            self.silenceAfterText = silenceAfterText
            self.maximumLength = maximumLength
        }
    }
}
