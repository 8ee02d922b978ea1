import DictationCore
import DictationSystem

/// A piece of a saved take: audio or a gap.
enum SpooledPiece: Sendable {
    case audio(path: String, range: Range<Duration>)
    case gap(AudioGap)

    /// The times at which a piece may start. A century is longer than any take, and short enough to never overflow.
    private static let places = Duration.zero...(.seconds(100 * 366 * 86_400))

    var end: Duration {
        switch self {
        case .audio(_, let range): range.upperBound
        case .gap(let gap): gap.range.upperBound
        }
    }

    /// Returns the pieces of the take in a folder, and whether the take was closed.
    ///
    /// No file stays open, because a take with a thousand gaps has a thousand files. A file that a power failure
    /// emptied becomes a gap up to the next piece. The other files keep their audio.
    static func all(in folder: String) throws(DictationError) -> (pieces: [SpooledPiece], isComplete: Bool) {
        var pieces: [SpooledPiece] = []
        var isComplete = false
        var format = AudioFormat.speech
        var damageStart: Duration?
        func endDamage(at end: Duration) {
            defer { damageStart = nil }
            guard let start = damageStart, start < end else { return }
            let count = format.frames(in: end - start)
            pieces.append(.gap(AudioGap(range: start..<end, frameCount: count, cause: .damaged)))
        }
        for entry in try SpoolJournal.entries(at: folder + "/" + SpoolJournal.fileName) {
            switch entry {
            case .segment(let name, let start):
                guard (try? FileName(name)) != nil, places.contains(start) else {
                    throw DictationError(
                        .fileUnreadable, "The journal in “\(folder)” is damaged.", recovery: "Discard the take.")
                }
                let path = folder + "/" + name
                guard let file = try? WaveFile(path: path, lastsToEndOfFile: true) else {
                    damageStart = damageStart ?? start
                    continue
                }
                endDamage(at: start)
                format = file.format
                let end = start + file.format.duration(ofFrames: file.frameCount)
                pieces.append(.audio(path: path, range: start..<max(start, end)))
            case .gap(let gap):
                endDamage(at: gap.range.lowerBound)
                pieces.append(.gap(gap))
            case .end: isComplete = true
            }
        }
        if !isComplete, SpoolJournal.isIncomplete(in: folder) {
            // How long the take went on is not known.
            let end = pieces.last?.end ?? .zero
            let range = end..<end + .milliseconds(1)
            pieces.append(
                .gap(AudioGap(range: range, frameCount: format.frames(in: .milliseconds(1)), cause: .notKept)))
        }
        return (pieces, isComplete)
    }
}

/// Reads the pieces of a take, one buffer at a time.
struct SpoolReading {
    private var pieces: ArraySlice<SpooledPiece>
    private var file: WaveFile?
    private var frame: Int64 = 0

    init(_ pieces: [SpooledPiece]) { self.pieces = pieces[...] }

    mutating func next() -> Result<CaptureEvent?, DictationError> {
        while let piece = pieces.first {
            switch piece {
            case .gap(let gap):
                pieces.removeFirst()
                return .success(.gap(gap))
            case .audio(let path, let range):
                do throws(DictationError) {
                    let file = try opened(path)
                    let count = Int(file.format.frames(in: .milliseconds(100)))
                    let buffer = try file.read(from: frame, count: count)
                    frame += Int64(buffer.frameCount)
                    if !buffer.isEmpty { return .success(.buffer(buffer.moved(to: range.lowerBound + buffer.start))) }
                    pieces.removeFirst()
                    self.file = nil
                    frame = 0
                } catch {
                    pieces = []
                    return .failure(error)
                }
            }
        }
        return .success(nil)
    }

    private mutating func opened(_ path: String) throws(DictationError) -> WaveFile {
        if let file { return file }
        let opened = try WaveFile(path: path, lastsToEndOfFile: true)
        file = opened
        return opened
    }
}
