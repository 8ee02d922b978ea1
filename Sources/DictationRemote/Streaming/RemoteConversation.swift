#if Remote
import DictationCore

/// What an engine and its server tell each other over one connection: bytes of the server come in, updates and bytes for
/// the server come out. It does no input or output of its own.
///
/// The audio between two calls of ``finalize()`` is a stretch. The server gets it without gaps.
protocol RemoteConversation: AnyObject {
    /// Whether the server takes audio before it has said anything.
    var isReadyAtOnce: Bool { get }
    /// The bytes to send.
    var output: [UInt8] { get }
    /// Removes bytes from the front of the output, after they were sent.
    func sent(_ count: Int)
    /// Takes bytes of the server, and adds what they mean. Also before a failure: a server may end the connection at once
    /// after a result.
    func receive(_ bytes: UnsafeRawBufferPointer, into events: inout [RemoteEvent]) throws(RemoteFailure)
    /// Adds audio to the output.
    func send(_ audio: AudioBuffer)
    /// Adds the request to make the stretch final.
    func finalize()
    /// Adds a message that an honest server answers at once, if there is such a message.
    func ping()
    /// Adds the end of the connection.
    func close()
}

/// What a server's bytes mean.
enum RemoteEvent: Sendable, Hashable {
    /// The server takes audio now.
    case opened
    /// The server recognized something.
    case update(SpeechUpdate)
    /// The stretch is final. The connection can be used for another one, or not.
    case finished(canGoOn: Bool)
}

extension SpeechResult {
    /// The result with the times of its words in order and within its own, whatever the server says.
    var tidied: SpeechResult {
        var tidied = self
        var last = range.lowerBound
        for index in words.indices {
            guard let told = words[index].range else { continue }
            let start = min(max(told.lowerBound, last), range.upperBound)
            tidied.words[index].range = start..<min(max(told.upperBound, start), range.upperBound)
            last = start
        }
        return tidied
    }
}

/// The times of a stretch of audio that a server gets without gaps.
struct StretchClock: Sendable {
    private let format: AudioFormat
    private var clock: DecoderSession.FrameClock
    private(set) var start: Duration?
    private(set) var end: Duration = .zero

    init(_ format: AudioFormat) {
        self.format = format
        clock = DecoderSession.FrameClock(format: format)
    }

    /// Counts audio.
    mutating func feed(_ audio: AudioBuffer) {
        if start == nil { start = audio.start }
        clock.feed(frames: audio.frameCount, at: audio.start)
        end = max(end, audio.end)
    }

    /// Returns the time of a second of the stretch. It lies in the stretch, whatever the server says.
    func time(ofSecond second: Double) -> Duration {
        let frames = (second * Double(format.sampleRate)).rounded()
        let frame = frames.isFinite ? Int64(max(0, min(frames, 1e15))) : 0
        return min(max(clock.time(ofFrame: frame), start ?? .zero), end)
    }

    /// The number of seconds in the stretch.
    var seconds: Double { Double(clock.frames) / Double(format.sampleRate) }
}
#endif
