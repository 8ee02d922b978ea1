public import DictationCore
import DictationText
public import FoundationEssentials

/// The text of a take that a service recorded.
public struct DictatedText: Sendable, Hashable {
    /// The take. The numbers begin again at 1 when the service is started again.
    public var take: TakeID
    /// The time at which the take ended, in whole seconds.
    public var date: Date
    /// The transcript, as the service's text processors wrote it.
    public var transcript: Transcript

    /// The name of the take's profile; `nil` for the usual one.
    public var profile: String?
    /// Where the text belongs, as the profile says; `nil` if it does not say.
    public var destination: String?
    /// The name of the kept audio whose text this is, if that was recognized again.
    public var audio: String?
    /// What became of the text at the profile's destinations; `nil` if it was not delivered to any.
    public var delivery: TextDelivery?
    /// Why the text is not in the journal; `nil` if it is, or if nobody keeps one.
    public var journalError: DictationError?

    /// Creates a text.
    public init(take: TakeID, date: Date = .now, transcript: Transcript) {
        self.take = take
        self.date = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
        self.transcript = transcript
    }

    /// The text.
    public var text: String { transcript.text }
    /// Whether all audio became text; see `Transcript.isComplete`.
    public var isComplete: Bool { transcript.isComplete }
    /// The audio that has no text, with times and causes, for people; `nil` if none is missing. See `Transcript.loss`.
    public var loss: String? { transcript.loss }
    /// The error that ended the take; `nil` for a take that was stopped.
    public var error: DictationError? { transcript.error }
}

extension DictatedText: Codable {
    private enum CodingKeys: CodingKey {
        case take, date, profile, destination, audio, delivery, journalError, text, isComplete, loss, error, transcript
    }

    /// Reads a text from its take, date and transcript.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let written = try container.decode(String.self, forKey: .date)
        guard let date = try? Date(written, strategy: .iso8601) else {
            throw DecodingError.dataCorruptedError(
                forKey: .date, in: container, debugDescription: "not a date such as 2026-11-23T09:30:00Z")
        }
        self.init(
            take: try container.decode(TakeID.self, forKey: .take), date: date,
            transcript: try container.decode(Transcript.self, forKey: .transcript))
        profile = try container.decodeIfPresent(String.self, forKey: .profile)
        destination = try container.decodeIfPresent(String.self, forKey: .destination)
        audio = try container.decodeIfPresent(String.self, forKey: .audio)
        delivery = try container.decodeIfPresent(TextDelivery.self, forKey: .delivery)
        journalError = try container.decodeIfPresent(DictationError.self, forKey: .journalError)
    }

    /// Writes the text, also by itself, for readers that don't need the transcript.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(take, forKey: .take)
        try container.encode(date.ISO8601Format(), forKey: .date)
        try container.encodeIfPresent(profile, forKey: .profile)
        try container.encodeIfPresent(destination, forKey: .destination)
        try container.encodeIfPresent(audio, forKey: .audio)
        try container.encodeIfPresent(delivery, forKey: .delivery)
        try container.encodeIfPresent(journalError, forKey: .journalError)
        try container.encode(text, forKey: .text)
        try container.encode(isComplete, forKey: .isComplete)
        try container.encodeIfPresent(loss, forKey: .loss)
        try container.encodeIfPresent(error, forKey: .error)
        try container.encode(transcript, forKey: .transcript)
    }
}
