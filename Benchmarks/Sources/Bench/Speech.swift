import DictationCapture
import DictationCore
import FoundationEssentials
import Glibc
import Synchronization

/// The transcribed recordings that `DICTATION_AUDIO` names.
enum Speech {
    struct Recording {
        var name: String
        var path: String
        var kind: String
        var words: String
    }

    static func recordings() throws -> [Recording] {
        guard let folder = getenv("DICTATION_AUDIO").map({ String(cString: $0) }) else {
            throw DictationError(
                .fileUnreadable, "There is no speech to measure with.",
                recovery: "Set DICTATION_AUDIO to a folder with recordings and their manifest.tsv.")
        }
        let table = try String(contentsOfFile: folder + "/manifest.tsv", encoding: .utf8)
        return table.split(separator: "\n").dropFirst().compactMap { line in
            let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard cells.count >= 7, let words = cells.last else { return nil }
            return Recording(name: cells[0], path: folder + "/" + cells[1], kind: cells[3], words: words)
        }
    }

    static func samples(_ recording: Recording) throws -> [Int16] {
        var reader = try AudioFileReader(path: recording.path)
        let converter = try BasicConverter(from: reader.format, to: .speech)
        var samples: [Int16] = []
        while let buffer = try reader.read() { samples += try converter.convert(buffer).int16Samples }
        return samples
    }
}

/// Figures that several tasks take down.
final class Watch: Sendable {
    private let figures = Mutex<[Double]>([])
    var all: [Double] { figures.withLock { $0 } }
    func add(_ figure: Double) { figures.withLock { $0.append(figure) } }
}
