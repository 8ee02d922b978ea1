import DictationCapture
import DictationCore
import Glibc

/// A process of its own for what must not share one with the tests: being killed, being measured.
@main struct CaptureProbe {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        switch arguments.first {
        case "spool": try await spool(in: arguments.dropFirst().first ?? "")
        default:
            say("usage: CaptureProbe spool FOLDER")
            exit(2)
        }
    }

    /// Spools a take until it is killed, and says how many frames are safe.
    private static func spool(in folder: String) async throws {
        let writer = try await WaveSpool(folder: folder).begin()
        var timeline = AudioTimeline()
        var frames: Int64 = 0
        for number in 0... {
            let count = 100 + number * 37 % 400
            let samples = (0..<count).map { Int16(truncatingIfNeeded: Int(frames) + $0) }
            let buffer = AudioBuffer(samples).moved(to: timeline.advance(by: Int64(count), of: .speech).lowerBound)
            try await writer.append(.buffer(buffer))
            frames += Int64(count)
            if number % 50 == 49 {
                let range = timeline.advance(by: 1_000, of: .speech)
                try await writer.append(.gap(AudioGap(range: range, frameCount: 1_000, cause: .stalled)))
            }
            say("\(frames)")
        }
    }
}

/// Prints a line at once, whatever becomes of the process afterwards.
func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
}
