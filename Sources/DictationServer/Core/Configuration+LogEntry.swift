#if Server
import DictationText
public import FoundationEssentials

extension DictationServer.Configuration {
    /// What became of one request or live stream, for a log.
    public struct LogEntry: Sendable, Hashable, Encodable {
        /// The interface of a server.
        public enum Interface: String, Sendable, Hashable, Encodable, CaseIterable {
            /// HTTP, for recordings.
            case http
            /// The realtime interface.
            case realtime
            /// Wyoming.
            case wyoming
        }

        /// The time of the end.
        public var time = Date()
        /// The interface.
        public var interface: Interface
        /// The numeric address of the client.
        public var client: String
        /// The path of the request; `nil` for a live stream.
        public var path: String?
        /// The model; `nil` if there was none.
        public var model: String?
        /// The status of HTTP; 200 for a live stream without an error.
        public var status: Int
        /// The duration of the audio, in seconds.
        public var audioSeconds = 0.0
        /// How long the request waited for its turn, in seconds.
        public var queueSeconds = 0.0
        /// How long the request took after its turn had come, in seconds.
        public var workSeconds = 0.0
        /// The error in full, for the operator; `nil` for none.
        public var error: String?
        /// What the text lacks; `nil` for a complete one, and for none.
        public var loss: String?
        /// The recognized text; `nil` unless the configuration asks for it.
        public var text: String?

        /// The entry as JSON, on one line. What a client can make long is cut.
        public var json: String { JSONWriter.encode(self) }

        private enum CodingKeys: CodingKey {
            case time, interface, client, path, model, status, audioSeconds, queueSeconds, workSeconds, error, loss,
                text
        }

        private static let nameLimit = 200
        private static let errorLimit = 1_000

        /// Writes the entry, with the time as ISO 8601 has it.
        public func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(time.formatted(.iso8601), forKey: .time)
            try values.encode(interface, forKey: .interface)
            try values.encode(client.cut(to: Self.nameLimit), forKey: .client)
            try values.encodeIfPresent(path?.cut(to: Self.nameLimit), forKey: .path)
            try values.encodeIfPresent(model?.cut(to: Self.nameLimit), forKey: .model)
            try values.encode(status, forKey: .status)
            try values.encode(audioSeconds, forKey: .audioSeconds)
            try values.encode(queueSeconds, forKey: .queueSeconds)
            try values.encode(workSeconds, forKey: .workSeconds)
            try values.encodeIfPresent(error?.cut(to: Self.errorLimit), forKey: .error)
            try values.encodeIfPresent(loss?.cut(to: Self.errorLimit), forKey: .loss)
            try values.encodeIfPresent(text, forKey: .text)
        }
    }
}
#endif
