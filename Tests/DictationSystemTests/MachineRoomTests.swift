import DictationCore
import DictationSystem
import Foundation
import Glibc
import Testing

/// What only one has at a time, and what programs of this package may do.
@Suite struct MachineRoomTests {
    private let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/room-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    private func opened(_ path: String) -> Descriptor { Descriptor(open(path, O_RDONLY | O_CLOEXEC)) }

    /// Runs a closure on a thread of its own, and tells whether it has ended.
    private func running(_ body: @escaping @Sendable () -> Void) -> Watched<Bool> {
        let ended = Watched(false)
        Task(executorPreference: DictationRuntime.system.blockingExecutor("room")) {
            body()
            ended.change { $0 = true }
        }
        return ended
    }

    /// A program that starts at this moment has copies of all descriptors.
    @Test func anUnlockCountsForAllCopies() throws {
        let first = opened(path)
        #expect(first.lock() == 0)
        let copy = Descriptor(dup(first.number))
        #expect(opened(path).lock() == EWOULDBLOCK)
        first.unlock()
        #expect(opened(path).lock() == 0)
        withExtendedLifetime(copy.number) {}
    }

    @Test func aReleasedFolderIsFreeForAllCopies() throws {
        var lock: FolderLock? = try FolderLock(try Folder.making(path))
        let numbers = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
        let copies = numbers.filter {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
        }.map { dup($0) }
        defer { for copy in copies { close(copy) } }
        #expect(!copies.isEmpty && opened(path).lock() == EWOULDBLOCK)
        withExtendedLifetime(lock) {}
        lock = nil
        #expect(opened(path).lock() == 0)
    }

    @Test func oneAtATimeTakesThePlaceOfASocket() async throws {
        let holder = opened(path)
        #expect(holder.lock() == 0)
        let listening = running { [path] in
            guard let (number, file) = try? SocketFile.listen(at: path + "/socket") else { return }
            file.remove()
            close(number)
        }
        try await DictationRuntime.system.sleep(.milliseconds(200))
        #expect(!listening.value, "It waits for whoever is taking the place.")
        holder.unlock()
        #expect(await listening.first { $0 ? true : nil } == true)
    }

    /// Another process still writes it, or has started a program before it closed it.
    @Test func aProgramWhoseFileIsBusyIsWaitedFor() async throws {
        let program = path + "/program"
        try FileManager.default.copyItem(atPath: "/usr/bin/true", toPath: program)
        let outcome = Watched<Int32>(-1)
        // It waits for a second, and this test may be kept from closing the file for longer than that.
        for _ in 0..<10 where outcome.value != 0 {
            let writer = open(program, O_WRONLY | O_CLOEXEC)
            let ended = running {
                let status = try? Program([program], files: [.nothing, .nothing, .nothing]).start().wait()
                outcome.change { $0 = status ?? -1 }
            }
            try await DictationRuntime.system.sleep(.milliseconds(50))
            close(writer)
            #expect(await ended.first { $0 ? true : nil } == true)
        }
        #expect(outcome.value == 0)
    }

    @Test func aProgramThatWritesWithoutEndIsKilled() throws {
        let endless = FilterProgram(arguments: ["yes"], timeout: .seconds(60), outputLimit: 1_000)
        let error = #expect(throws: DictationError.self) { try endless.runBlocking([]) }
        #expect(error?.code == .invalidInput && error?.message.contains("more than 1000 bytes") == true)
    }

    @Test func aWakerWakesWhoWaitsAndThenNobody() async {
        let waker = Waker()
        let waiting = running { waker.rest(.seconds(600)) }
        waker.wake()
        #expect(await DictationRuntime.system.within(.seconds(60)) { await waiting.first { $0 ? true : nil } } == true)
        waker.clear()
        let start = DictationRuntime.system.now()
        waker.rest(.milliseconds(100))
        #expect(DictationRuntime.system.now() - start >= .milliseconds(99))
    }

    /// Whatever this process blocks, as its threads do with the signal of a broken pipe.
    @Test func aProgramBlocksAndIgnoresNoSignal() throws {
        var (blocked, before) = (sigset_t(), sigset_t())
        for signal in [SIGTERM, SIGPIPE] { sigaddset(&blocked, signal) }
        pthread_sigmask(SIG_BLOCK, &blocked, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let program = FilterProgram(
            arguments: ["cat", "/proc/self/status"], timeout: .seconds(60), outputLimit: 1 << 16)
        let status = String(decoding: try program.runBlocking([]), as: UTF8.self)
        #expect(status.contains("SigBlk:\t0000000000000000"), "\(status)")
    }

    @Test func aProgramThatStillWritesEndsWithItsReader() throws {
        let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(null) }
        let program = try ReadingProgram(["yes"], reading: null, patience: (work: 20, rest: 5))
        var bytes = [UInt8](repeating: 0, count: 100)
        #expect(bytes.withUnsafeMutableBytes { program.read(into: $0) } == 100)
        #expect(program.end().status == -SIGPIPE)
    }

    /// Programs that read nothing must not block who gives them their input.
    @Test func aProgramThatReadsNothingEnds() throws {
        let deaf = FilterProgram(arguments: ["sleep", "0.2"], timeout: .seconds(60), outputLimit: 1_000)
        #expect(try deaf.runBlocking([UInt8](repeating: 0, count: 1 << 20)).isEmpty)
    }
}
