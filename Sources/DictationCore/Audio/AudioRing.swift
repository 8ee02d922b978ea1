import Synchronization

/// A preallocated queue of audio in one format, from one writing thread to one reading thread, without locks.
///
/// The reader gets the same buffers with the same times. Writing allocates nothing and never waits.
package final class AudioRing: @unchecked Sendable {  // The counters say which side may touch a byte or a cut.
    private struct Cut {
        var start: Duration
        var frameCount: Int
        var byteCount: Int
    }

    package let format: AudioFormat
    private let bytes: UnsafeMutableRawBufferPointer
    private let cuts: UnsafeMutableBufferPointer<Cut>
    private var bytesWritten = 0
    private let cutsWritten = Atomic(0)
    private let bytesRead = Atomic(0)
    private let cutsRead = Atomic(0)

    /// Creates a ring that holds up to `frameCapacity` frames in up to `bufferCapacity` buffers.
    package init(format: AudioFormat, frameCapacity: Int, bufferCapacity: Int) {
        self.format = format
        bytes = .allocate(byteCount: max(1, frameCapacity * max(0, format.bytesPerFrame)), alignment: 64)
        cuts = .allocate(capacity: max(1, bufferCapacity))
        cuts.initialize(repeating: Cut(start: .zero, frameCount: 0, byteCount: 0))
    }

    deinit {
        bytes.deallocate()
        cuts.deallocate()
    }

    /// Whether there is nothing to read. After `false`, ``read()`` returns everything written before.
    package var isEmpty: Bool { cutsRead.load(ordering: .relaxed) == cutsWritten.load(ordering: .acquiring) }

    /// Copies frames into the ring. Returns `false` and copies nothing if they don't all fit.
    package func write(_ source: UnsafeRawBufferPointer, start: Duration) -> Bool {
        let written = cutsWritten.load(ordering: .relaxed)
        guard written - cutsRead.load(ordering: .acquiring) < cuts.count,
            bytesWritten - bytesRead.load(ordering: .acquiring) + source.count <= bytes.count
        else { return false }
        let offset = bytesWritten % bytes.count
        let first = min(source.count, bytes.count - offset)
        UnsafeMutableRawBufferPointer(rebasing: bytes[offset..<offset + first])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<first]))
        bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[first...]))
        bytesWritten += source.count
        cuts[written % cuts.count] = Cut(
            start: start, frameCount: source.count / max(1, format.bytesPerFrame), byteCount: source.count)
        cutsWritten.store(written + 1, ordering: .releasing)
        return true
    }

    /// Removes and returns the oldest buffer.
    package func read() -> AudioBuffer? {
        let read = cutsRead.load(ordering: .relaxed)
        guard read != cutsWritten.load(ordering: .acquiring) else { return nil }
        let cut = cuts[read % cuts.count]
        let position = bytesRead.load(ordering: .relaxed)
        let offset = position % bytes.count
        let first = min(cut.byteCount, bytes.count - offset)
        let buffer = AudioBuffer(format: format, start: cut.start, frameCount: cut.frameCount) { target in
            target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + first]))
            UnsafeMutableRawBufferPointer(rebasing: target[first...])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<(cut.byteCount - first)]))
        }
        bytesRead.store(position + cut.byteCount, ordering: .releasing)
        cutsRead.store(read + 1, ordering: .releasing)
        return buffer
    }
}
