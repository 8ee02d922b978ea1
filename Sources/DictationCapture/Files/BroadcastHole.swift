#if SoundFile
import DictationCore
import DictationSystem

/// A part of a broadcast whose packets are missing. FFmpeg joins what is around it, and says so only if a packet was cut.
struct BroadcastHole {
    /// Where the hole is, from the track's first packet on.
    let range: Range<Duration>

    /// A pause between packets that is no hole.
    private static let longestPause = Duration.milliseconds(500)
    /// The options that print the time and the length of each packet.
    private static let options = ["-show_entries", "packet=pts_time,duration_time", "-of", "csv=p=0"]

    /// Looks for the first hole in a track that ends after a time; `nil` if there is none, or if the file can't be read.
    init?(in file: ReadableFile, stream: Int, after time: Duration) {
        guard
            let program = try? FFmpegProgram(
                "ffprobe", ["-select_streams", "\(stream)"] + Self.options + FFmpegProgram.input, reading: file)
        else { return nil }
        var block = [UInt8](repeating: 0, count: 1 << 16)
        var lines = LineBuffer(limit: 1 << 10, skipsLongLines: true)
        var first: Duration?
        var end: Duration?
        while true {
            let count = block.withUnsafeMutableBytes { program.read(into: $0) }
            guard count > 0 else { return nil }
            lines.append(block[..<count])
            while case .line(let line) = lines.next() {
                guard let packet = Self.packet(line) else { continue }
                let start = first ?? packet.lowerBound
                if let end, packet.lowerBound - end > Self.longestPause, packet.lowerBound - start > time {
                    range = end - start..<packet.lowerBound - start
                    return
                }
                (first, end) = (start, packet.upperBound)
            }
        }
    }

    /// Reads a line such as `1.464000,0.064000`.
    private static func packet(_ line: [UInt8]) -> Range<Duration>? {
        let numbers = String(decoding: line, as: UTF8.self).split(separator: ",").map { Duration(seconds: String($0)) }
        guard let time = numbers.first ?? nil else { return nil }
        let length = (numbers.dropFirst().first ?? nil) ?? .zero
        return time..<time + min(max(length, .zero), .seconds(60))
    }
}
#endif
