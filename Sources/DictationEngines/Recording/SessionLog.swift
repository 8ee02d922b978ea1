import DictationCore
import FoundationEssentials
import Synchronization

/// Turns the events of one session into lines for the log, in order.
final class SessionLog: Sendable {
    private struct State {
        var fed: Duration = .zero
        /// Audio without gaps that is not written yet.
        var audio: (start: Duration, end: Duration, bytes: Data)?
    }

    /// The approximate length of audio in a line.
    private static let lineLength: Duration = .milliseconds(500)

    private let number: Int
    private let log: RecordingLog
    private let runtime: DictationRuntime
    private let began: Duration
    private let state = Mutex(State())

    init(number: Int, log: RecordingLog, runtime: DictationRuntime) {
        self.number = number
        self.log = log
        self.runtime = runtime
        began = runtime.now()
    }

    func audio(_ buffer: AudioBuffer) async {
        await log.room()
        state.withLock { state in
            state.fed = max(state.fed, buffer.end)
            if let audio = state.audio, !buffer.follows(audio.end) { writeAudio(&state) }
            var audio = state.audio ?? (buffer.start, buffer.start, Data())
            buffer.withUnsafeBytes { audio.bytes.append(contentsOf: $0) }
            audio.end = buffer.end
            state.audio = audio
            if audio.end - audio.start >= Self.lineLength { writeAudio(&state) }
        }
    }

    func inputEnded(_ error: DictationError?) {
        write(.inputEnd) { $0.error = error.map { RecordedError($0) } }
    }

    func called(_ call: String, through time: Duration? = nil) {
        write(.call) {
            $0.call = call
            $0.through = time.map { Seconds($0) }
        }
    }

    func update(_ update: SpeechUpdate) async {
        await log.room()
        write(.update) { $0.update = RecordedUpdate(update) }
    }

    func ended(_ error: DictationError?) {
        write(.end) { $0.error = error.map { RecordedError($0) } }
    }

    private func write(_ kind: RecordingLine.Kind, _ fill: (inout RecordingLine) -> Void) {
        state.withLock { state in
            writeAudio(&state)
            var line = RecordingLine(kind, session: number)
            line.fed = Seconds(state.fed)
            line.elapsed = Seconds(runtime.now() - began)
            fill(&line)
            log.write(line)
        }
    }

    private func writeAudio(_ state: inout State) {
        guard let audio = state.audio else { return }
        state.audio = nil
        var line = RecordingLine(.audio, session: number)
        line.start = Seconds(audio.start)
        line.bytes = audio.bytes
        log.write(line)
    }
}
