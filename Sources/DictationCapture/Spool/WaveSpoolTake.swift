import DictationCore

/// The files of a take while it is being written.
struct WaveSpoolTake {
    private let folder: String
    private let byteLimit: Int64
    private var journal: SpoolJournal
    private var segment: WaveFileWriter?
    private var segmentCount = 0
    private var end: Duration = .zero
    private var isClosed = false

    init(in folder: String, byteLimit: Int64) throws(DictationError) {
        self.folder = folder
        self.byteLimit = byteLimit
        journal = try SpoolJournal(in: folder)
    }

    mutating func append(_ event: CaptureEvent) -> Result<Void, DictationError> {
        do throws(DictationError) {
            guard !isClosed else {
                throw DictationError(
                    .inputAfterEnd, "The saved take is closed and takes no more audio.",
                    recovery: "Begin a new take.")
            }
            switch event {
            case .buffer(let buffer): try append(buffer)
            case .gap(let gap):
                try journal.append(.gap(gap))
                closeSegment()
                end = gap.range.upperBound
            case .interrupted, .resumed, .routeChanged: break
            }
            return .success(())
        } catch {
            // A process that is killed can't tell of it any more.
            if !isClosed { journal.markIncomplete() }
            return .failure(error)
        }
    }

    mutating func close() -> Result<Void, DictationError> {
        guard !isClosed else { return .success(()) }
        do throws(DictationError) {
            closeSegment()
            isClosed = true
            defer { journal.close() }
            try journal.append(.end)
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    private mutating func append(_ buffer: AudioBuffer) throws(DictationError) {
        guard !buffer.isEmpty else { return }
        let follows = segment?.format == buffer.format && buffer.follows(end)
        if !follows || (segment?.byteCount ?? 0) >= byteLimit { try beginSegment(buffer) }
        do throws(DictationError) { try segment?.append(buffer) } catch {
            // Later audio goes into a new file, which leaves a gap before it.
            closeSegment()
            throw error
        }
        end = buffer.end
    }

    private mutating func beginSegment(_ buffer: AudioBuffer) throws(DictationError) {
        closeSegment()
        segmentCount += 1
        let name = "\(segmentCount).wav"
        let next = try WaveFileWriter(creating: folder + "/" + name, format: buffer.format)
        try journal.append(.segment(file: name, start: buffer.start))
        segment = next
    }

    private mutating func closeSegment() {
        segment?.close()
        segment = nil
    }
}
