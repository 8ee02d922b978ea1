#if Server
import FoundationEssentials

extension DictationServer.Configuration {
    /// What a server's clients may use at most.
    public struct Limits: Sendable, Hashable {
        /// The bytes of one request.
        public var requestByteCount = 256 << 20
        /// The duration of one recording, and of one live stream.
        public var audioDuration = Duration.seconds(4 * 3_600)
        /// The recordings that are transcribed at once; usually one on each core. From 2 on, one more runs if its client has
        /// no other, so that long recordings of one client don't keep another waiting.
        public var recordings = max(1, ProcessInfo.processInfo.activeProcessorCount)
        /// The recordings that wait for their turn.
        public var waitingRecordings = 64
        /// The live streams at once.
        public var streams = 64
        /// The share of each client: recordings, and also live streams, that it may have at once. Recordings that wait
        /// count too.
        public var perClient = 32
        /// The bytes of all messages of live streams that are larger than 64 KiB, while they arrive and are worked on. A
        /// message waits until there is room for it. One message has at most 16 MiB.
        public var messageByteCount = 32 << 20
        /// The bytes of uploaded recordings that the server holds, from their first bytes until they are transcribed.
        public var uploadByteCount = 2 << 30
        /// The share of each client in ``uploadByteCount``.
        public var uploadByteCountPerClient = 1 << 30
        /// The connections at once. If all are taken, one that rests gives way to the next newcomer. Some are kept free of
        /// work, so that `/health` and `/ready` are always answered.
        public var connections = 256
        /// How long a client may send nothing. A recording must arrive with at least 512 bytes per second on the average of
        /// this time.
        public var idleTimeout = Duration.seconds(60)

        /// Creates the usual limits.
        public init() {}
    }
}
#endif
