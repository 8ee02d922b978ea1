import DictationCore
import DictationSystem

/// Turns the steps of a script into moves. It uses no clock.
struct CaptureScript: PlayedSource {
    /// Audio that is being played, and the position in it.
    private enum Source {
        case sound(ScriptedSound, framesLeft: Int64, frame: Int64)
        case samples(AudioBuffer, next: Int)
        case file(WaveFile, next: Int64)
    }

    private var steps: ArraySlice<ScriptedCapturer.Step>
    private var files: [String: WaveFile] = [:]
    private var format: AudioFormat
    private let bufferDuration: Duration
    private let endsWithScript: Bool
    private let device: AudioDevice?
    private var source: Source?
    private var pending: ArraySlice<CaptureMove> = []
    private var hasEnded = false

    /// Creates a player of a script. Opens the script's files first, so that a bad file fails before the capture
    /// begins.
    init(
        _ script: [ScriptedCapturer.Step], format: AudioFormat, bufferDuration: Duration, endsWithScript: Bool,
        device: AudioDevice?
    ) throws(DictationError) {
        steps = script[...]
        self.format = try format.validated()
        self.bufferDuration = bufferDuration
        self.endsWithScript = endsWithScript
        self.device = device
        for case .file(let path) in script.map(\.kind) where files[path] == nil {
            files[path] = try WaveFile(path: path)
        }
    }

    mutating func next() -> CaptureMove? {
        while !hasEnded {
            if let move = pending.popFirst() { return move }
            if let move = continueSource() { return move }
            if let step = steps.popFirst() {
                begin(step.kind)
            } else if endsWithScript {
                hasEnded = true
            } else {
                source = .sound(.quiet, framesLeft: .max, frame: 0)
            }
        }
        return nil
    }

    private mutating func begin(_ step: ScriptedCapturer.Step.Kind) {
        switch step {
        case .sound(let sound, let duration):
            source = .sound(sound, framesLeft: format.frames(in: duration), frame: 0)
        case .samples(let buffer): source = .samples(buffer, next: 0)
        case .file(let path): source = files[path].map { .file($0, next: 0) }
        case .lost(let cause, let duration, let interruption):
            let loss = CaptureMove(outcome: .lost(cause, format), duration: duration)
            pending =
                interruption.map {
                    [
                        CaptureMove(outcome: .event(.interrupted($0))), loss,
                        CaptureMove(outcome: .event(.resumed(device))),
                    ]
                } ?? [loss]
        case .nothing(let duration): pending = [CaptureMove(outcome: .nothing, duration: duration)]
        case .format(let format):
            do { self.format = try format.validated() } catch { pending = [CaptureMove(outcome: .fail(error))] }
        case .event(let event): pending = [CaptureMove(outcome: .event(event))]
        case .fail(let error): pending = [CaptureMove(outcome: .fail(error))]
        case .end: hasEnded = true
        }
    }

    private mutating func continueSource() -> CaptureMove? {
        guard let source else { return nil }
        self.source = nil
        switch source {
        case .sound(let sound, let framesLeft, let frame):
            let count = min(framesLeft, framesPerBuffer(format))
            guard count > 0 else { return nil }
            self.source = .sound(sound, framesLeft: framesLeft - count, frame: frame + count)
            return audio(sound.buffer(from: frame, count: Int(count), in: format))
        case .samples(let buffer, let next):
            let piece = buffer.slice(
                next..<max(next, min(buffer.frameCount, next + Int(framesPerBuffer(buffer.format)))))
            guard !piece.isEmpty else { return nil }
            self.source = .samples(buffer, next: next + piece.frameCount)
            return audio(piece)
        case .file(let file, let next):
            do {
                let piece = try file.read(from: next, count: Int(framesPerBuffer(file.format)))
                guard !piece.isEmpty else { return nil }
                self.source = .file(file, next: next + Int64(piece.frameCount))
                return audio(piece)
            } catch {
                return CaptureMove(outcome: .fail(error))
            }
        }
    }

    private func framesPerBuffer(_ format: AudioFormat) -> Int64 {
        min(1 << 24, max(1, format.frames(in: bufferDuration)))
    }

    private func audio(_ buffer: AudioBuffer) -> CaptureMove {
        CaptureMove(outcome: .audio(buffer), duration: buffer.duration)
    }
}
