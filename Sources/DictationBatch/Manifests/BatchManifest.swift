public import DictationCore
import DictationSystem
import Synchronization

/// The items of a batch: a file that lists them, a folder with recordings, or a pattern such as `calls/**/*.wav`.
///
/// ```swift
/// for try await item in BatchManifest(path: "train.jsonl.zst") { print(item.id) }
/// ```
///
/// Each line of a file is an object of NeMo's manifests, a cut of Lhotse, or a path. gzip or zstd may have compressed the
/// file. A folder stands for the recordings in it and below it. Relative paths are those of files beside the manifest, or
/// else of the working folder.
///
/// A wrong line does not end the sequence: its item has a ``BatchItem/fault``. So has an item whose name came before; its
/// own name then ends with the number of the line, as in `a.wav#7`. Memory use grows by 32 bytes for each item.
public struct BatchManifest: AsyncSequence, Sendable {
    /// An item.
    public typealias Element = BatchItem
    /// The error of a manifest that can't be read.
    public typealias Failure = DictationError

    /// The path of the file or folder, or the pattern.
    public let path: String

    /// Creates a manifest. It is opened by each reader.
    public init(path: String) { self.path = path }

    /// Creates the iterator; the first call of `next()` opens the manifest.
    public func makeAsyncIterator() -> Iterator { Iterator(reading: ManifestReading(path)) }

    /// Reads the items.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let reading: ManifestReading
        private var items: ArraySlice<BatchItem> = []

        fileprivate init(reading: ManifestReading) { self.reading = reading }

        /// Returns the next item; `nil` after the last.
        public mutating func next() async throws(DictationError) -> BatchItem? {
            if items.isEmpty { items = try await reading.more()[...] }
            return items.popFirst()
        }
        /// Returns the next item; `nil` after the last.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(DictationError) -> BatchItem? {
            try await next()
        }
    }
}

// An iterator belongs to one task.
@available(*, unavailable) extension BatchManifest.Iterator: Sendable {}

/// A manifest that is being read, on a thread of its own.
private final class ManifestReading: Sendable {
    private struct State {
        var lines: LineReader?
        var files: FileSearch?
        var isOpen = false
        var isPattern = false
        var number = 0
        var names = NameSet()
    }

    private let path: String
    private let work = BlockingWork("manifest")
    private let state = Mutex(State())

    init(_ path: String) { self.path = path }

    /// Returns the next items; none after the last.
    func more() async throws(DictationError) -> [BatchItem] {
        try await work.run { [self] () throws(DictationError) in
            try state.withLock { state in
                Result { () throws(DictationError) in try more(&state) }
            }.get()
        }
    }

    private func more(_ state: inout State) throws(DictationError) -> [BatchItem] {
        if !state.isOpen {
            state.isOpen = true
            try open(&state)
        }
        var items: [BatchItem] = []
        var byteCount = 0
        while items.count < 256, byteCount < ItemWindow.byteLimit, let item = try next(&state) {
            items.append(item)
            byteCount += item.byteCount
        }
        return items
    }

    private func open(_ state: inout State) throws(DictationError) {
        if (try? Folder.existing(path)) != nil {
            state.files = try FileSearch(folder: path)
        } else if FileSearch.isPattern(path), !FileListing.hasFile(path) {
            state.files = try FileSearch(pattern: path)
            state.isPattern = true
        } else {
            let file = try ManifestFile(path)
            state.lines = LineReader { block throws(DictationError) in try file.read(into: &block) }
        }
    }

    private func next(_ state: inout State) throws(DictationError) -> BatchItem? {
        while true {
            var item: BatchItem
            if state.files != nil {
                guard let found = state.files?.next() else {
                    guard state.number > 0 || !state.isPattern else {
                        throw DictationError(
                            .invalidInput, "No file matches “\(visible(path))”.", recovery: "Check the pattern.")
                    }
                    return nil
                }
                state.number += 1
                item = BatchItem(path: found.path)
                item.fault = found.fault
            } else {
                guard let line = try state.lines?.next() else { return nil }
                state.number += 1
                switch line {
                case .text(var text):
                    // Windows begins files with the mark of UTF-8. Joined files have it in the middle.
                    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
                    // A line of zeros is what a power failure left of another one.
                    if text.allSatisfy({ $0 <= 0x20 && $0 > 0 }) { continue }
                    item = BatchItem(line: text, number: state.number, folder: folder)
                case .tooLong:
                    item = BatchItem(
                        faultyLine: state.number, "Line \(state.number) of the manifest is longer than 16 MB.")
                }
            }
            if !state.names.insert(item.id) {
                let name = item.id
                repeat { item.id += "#\(state.number)" } while !state.names.insert(item.id)
                item.fault =
                    item.fault
                    ?? DictationError(
                        .invalidInput, "Line \(state.number) of the manifest names “\(name)” again.",
                        recovery: "Remove the line, or give it an “id” of its own.")
            }
            return item
        }
    }

    private var folder: String { PathBytes(path).folderToOpen }
}
