import CDictationHelper
import DictationCore
import DictationSystem

/// The memory that a program and its helper share: a ring of audio for each session.
///
/// The positions in a ring are counts of bytes, which travel in messages. So no number in the memory has to be trusted,
/// and the memory holds nothing but audio that the program wrote and the helper reads. Its size is sealed, because the
/// system ends a process that touches memory beyond the end.
// `bytes` never changes. Each ring belongs to one session, and the program writes to it before it sends the position.
final class SharedMemory: @unchecked Sendable {
    static let slotCount = 64
    /// The size of a ring: eight seconds of speech.
    static let slotSize = 1 << 18
    static let size = slotCount * slotSize
    /// The number of bytes that a program sends before it waits: two seconds of speech. The helper tells what the
    /// engine took after half as many.
    static let window: UInt64 = 1 << 16

    let descriptor: Int32
    private let bytes: UnsafeMutableRawBufferPointer

    /// Makes memory that the program can write.
    init() throws(SystemError) {
        descriptor = dictation_helper_make_memory(UInt(Self.size), HelperRole.memory + 1)
        guard descriptor >= 0 else { throw SystemError("memfd_create") }
        do throws(SystemError) {
            bytes = try Self.map(descriptor, PROT_READ | PROT_WRITE)
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Opens the memory of a helper, which it can only read.
    init(reading descriptor: Int32) throws(SystemError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size == Self.size else { throw SystemError("fstat") }
        self.descriptor = descriptor
        bytes = try Self.map(descriptor, PROT_READ)
    }

    deinit {
        munmap(bytes.baseAddress, bytes.count)
        close(descriptor)
    }

    private static func map(
        _ descriptor: Int32, _ protection: Int32
    ) throws(SystemError) -> UnsafeMutableRawBufferPointer {
        let address = mmap(nil, size, protection, MAP_SHARED, descriptor, 0)
        guard let address, address != MAP_FAILED else { throw SystemError("mmap") }
        return UnsafeMutableRawBufferPointer(start: address, count: size)
    }

    /// Writes bytes to a ring. There must be room for them.
    func write(_ source: UnsafeRawBufferPointer, to slot: Int, at position: UInt64) {
        let (first, start) = Self.parts(slot, position, source.count)
        UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + first])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<first]))
        let ring = slot * Self.slotSize
        UnsafeMutableRawBufferPointer(rebasing: bytes[ring..<ring + source.count - first])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[first...]))
    }

    /// Copies bytes from a ring.
    func read(into target: UnsafeMutableRawBufferPointer, from slot: Int, at position: UInt64) {
        let (first, start) = Self.parts(slot, position, target.count)
        UnsafeMutableRawBufferPointer(rebasing: target[..<first])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + first]))
        let ring = slot * Self.slotSize
        UnsafeMutableRawBufferPointer(rebasing: target[first...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[ring..<ring + target.count - first]))
    }

    /// Returns how many of the bytes come before the ring's end, and where they begin.
    private static func parts(_ slot: Int, _ position: UInt64, _ count: Int) -> (first: Int, start: Int) {
        let offset = Int(position % UInt64(slotSize))
        return (min(count, slotSize - offset), slot * slotSize + offset)
    }
}

extension SystemError {
    /// The error for a helper that can't be started.
    var asStartFailure: DictationError {
        DictationError(
            .engineFailed, "The helper process of the engine can't be started.",
            recovery: "Check that DICTATION_HELPER, or dictation-helper beside the program, may be run.",
            underlying: underlying)
    }
}
