import DictationCore

/// A stretch of a take that can be read.
enum SpooledPiece: Sendable {
    case audio(WaveFile, start: Duration)
    case gap(AudioGap)

    var end: Duration {
        switch self {
        case .audio(let file, let start): start + file.format.duration(ofFrames: file.frameCount)
        case .gap(let gap): gap.range.upperBound
        }
    }

    /// The pieces of the take in a folder, and whether it was closed.
    static func all(in folder: String) throws(DictationError) -> (pieces: [SpooledPiece], isComplete: Bool) {
        var pieces: [SpooledPiece] = []
        var isComplete = false
        for entry in try SpoolJournal.entries(at: folder + "/" + SpoolJournal.fileName) {
            switch entry {
            case .segment(let name, let start):
                guard !name.contains("/") else {
                    throw DictationError(
                        .fileUnreadable, "The journal in “\(folder)” is damaged.", recovery: "Discard the take.")
                }
                pieces.append(.audio(try WaveFile(path: folder + "/" + name, lastsToEndOfFile: true), start: start))
            case .gap(let gap): pieces.append(.gap(gap))
            case .end: isComplete = true
            }
        }
        return (pieces, isComplete)
    }
}

/// Reads the pieces of a take one buffer after another.
struct SpoolReading {
    private var pieces: ArraySlice<SpooledPiece>
    private var frame: Int64 = 0

    init(_ pieces: [SpooledPiece]) { self.pieces = pieces[...] }

    mutating func next() -> Result<CaptureEvent?, DictationError> {
        while let piece = pieces.first {
            switch piece {
            case .gap(let gap):
                pieces.removeFirst()
                return .success(.gap(gap))
            case .audio(let file, let start):
                do throws(DictationError) {
                    let count = Int(file.format.frames(in: .milliseconds(100)))
                    let buffer = try file.read(from: frame, count: count)
                    frame += Int64(buffer.frameCount)
                    if !buffer.isEmpty { return .success(.buffer(buffer.moved(to: start + buffer.start))) }
                    pieces.removeFirst()
                    frame = 0
                } catch {
                    pieces = []
                    return .failure(error)
                }
            }
        }
        return .success(nil)
    }
}
