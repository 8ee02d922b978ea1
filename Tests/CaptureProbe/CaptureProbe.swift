#if ALSA && SampleRate && SoundFile
import CAllocationCount
import DictationCapture
import DictationCore
import Glibc
import SwiftOverlayShims  // `timespec` is counted as its own in an optimised build.
import Synchronization

/// A process of its own for what must not share one with the tests: being killed, being measured, having a sound
/// system of its own.
@main struct CaptureProbe {
    static func main() async throws {
        count_capture_allocations()
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "capture" { catchTermination() }
        do {
            switch (arguments.first, arguments.count) {
            case ("spool", 2): try await spool(in: arguments[1])
            case ("reread", 3): try await reread(in: arguments[1], arguments[2])
            case ("devices", 1):
                for device in try await ALSACapturer().devices() {
                    say("\(device.isDefault ? "*" : "-") \(device.id): \(device.name)")
                }
            case ("watch", 1):
                for await devices in ALSACapturer().deviceUpdates() {
                    say("devices " + devices.map(\.id).joined(separator: " "))
                }
            case ("capture", 3...4):
                try await capture(
                    arguments[1], for: .seconds(Double(arguments[2]) ?? 1),
                    into: arguments.count > 3 ? arguments[3] : nil)
            case ("cycles", 4):
                try await cycles(arguments[1], count: Int(arguments[2]) ?? 1, arguments[3] == "warm" ? .warm : .full)
            case ("read", _):
                // FFmpeg would take most of the time.
                setenv("PATH", "/nonexistent", 1)
                read(Array(arguments.dropFirst()))
            case ("recordings", _): read(Array(arguments.dropFirst()))
            case ("children", 2): try children(arguments[1])
            case ("whole", 2): try whole(arguments[1])
            case ("refused", 2): try refused(arguments[1])
            case ("normalize", 1): await normalize()
            default:
                say(
                    "usage: spool FOLDER | reread FOLDER TAKE | devices | watch | capture DEVICE SECONDS [FILE] | "
                        + "cycles DEVICE COUNT warm|full | read … | recordings … | children FILE | whole FILE | refused FILE | normalize"
                )
                exit(2)
            }
        } catch let error as DictationError {
            say("error \(error.code.rawValue): \(error)")
            exit(1)
        }
    }

    /// Spools a take until it is killed, and says how many frames are safe.
    private static func spool(in folder: String) async throws {
        let writer = try await WaveSpool(folder: folder).makeWriter()
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

    /// Reads a spooled take with few files open at a time, and says how many frames it has.
    private static func reread(in folder: String, _ id: String) async throws {
        var limit = rlimit(rlim_cur: 32, rlim_max: 32)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        var frames = 0
        for try await event in try await WaveSpool(folder: folder).read(id) {
            if case .buffer(let buffer) = event { frames += buffer.frameCount }
        }
        say("frames \(frames)")
    }

    /// Counts what bringing ten minutes of bursts of noise to a level allocates, on the thread that is counted.
    private static func normalize() async {
        await Task(executorPreference: BlockingThread(name: "capture")) {
            let samples = UnsafeMutableBufferPointer<Float>.allocate(capacity: 1_600)
            defer { samples.deallocate() }
            var normalizer = AudioLevel.Normalizer(sampleRate: 16_000)
            var noise: UInt32 = 1
            let before = capture_allocations()
            for piece in 0..<6_000 {
                let loudness: Float = piece % 10 < 7 ? 0.02 : 0.000_2
                for index in samples.indices {
                    noise = noise &* 1_664_525 &+ 1_013_904_223
                    samples.initializeElement(
                        at: index, to: Float(Int32(bitPattern: noise)) / 2_147_483_648 * loudness)
                }
                normalizer.normalize(samples)
            }
            let count = capture_allocations() - before
            say("allocations \(count) after \(before) gain \(normalizer.currentGain.value)")
        }.value
    }

    /// A pipe that a signal writes into; both ends.
    private static let signalled: [Int32] = {
        var ends: [Int32] = [-1, -1]
        _ = pipe(&ends)
        return ends
    }()

    private static func catchTermination() {
        _ = signalled
        signal(SIGTERM) { _ in _ = write(CaptureProbe.signalled[1], "!", 1) }
    }

    /// Waits until somebody asks the process to end, but no longer than so.
    private static func waitForTermination(_ limit: Duration) {
        var entry = pollfd(fd: signalled[0], events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, Int32(limit / .milliseconds(1))) < 0, errno == EINTR {}
    }

    /// Captures for a time, says what happens when it does, and adds up at the end.
    private static func capture(_ device: String, for duration: Duration, into path: String?) async throws {
        let capturer = ALSACapturer()
        let stream = try await capturer.start(CaptureOptions(device: device))
        let began = ContinuousClock.now
        say("started")
        let stopping = Task(executorPreference: BlockingThread(name: "signal")) {
            waitForTermination(duration)
            await capturer.stop(.full)
        }
        let allocations = Mutex((early: -1, late: -1))
        var heard = Sums(path)
        var waited: Duration?
        for try await event in stream {
            heard.add(event)
            // The first buffer may be seen late; of the first second's one is not.
            if case .buffer(let buffer) = event, waited == nil || buffer.end <= .seconds(1) {
                let lateness = max(.zero, ContinuousClock.now - began - buffer.end)
                waited = min(waited ?? lateness, lateness)
            }
            let count = capture_allocations()
            let elapsed = ContinuousClock.now - began
            allocations.withLock { seen in
                if elapsed > .seconds(1.5), seen.early < 0 { seen.early = count }
                if elapsed < duration - .milliseconds(200) { seen.late = count }
            }
        }
        let elapsed = ContinuousClock.now - began
        await stopping.value
        heard.finish()
        let (early, late) = allocations.withLock { $0 }
        say("allocations \(late - early) after \(early)")
        say(
            "sums frames \(heard.frames) lost \(heard.lost) rate \(heard.format.sampleRate) "
                + "elapsed \(elapsed / .milliseconds(1)) waited \((waited ?? elapsed) / .milliseconds(1))")
    }

    /// Starts and stops many times; says what the process holds before and after.
    private static func cycles(_ device: String, count: Int, _ mode: CaptureOptions.StopMode) async throws {
        let capturer = ALSACapturer(lingering: .seconds(2))
        var frames: Int64 = 0
        var unbroken = 0
        for cycle in 0..<count {
            let stream = try await capturer.start(CaptureOptions(device: device))
            var sums = Sums(nil)
            var iterator = stream.makeAsyncIterator()
            while sums.frames == 0, let event = try await iterator.next() { sums.add(event) }
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            await capturer.stop(mode)
            while let event = try await iterator.next() { sums.add(event) }
            frames += sums.frames
            // The device counts its frames: the first of each take is 0, and the last is as many as came.
            if sums.isCounted(from: 0), sums.frames > 0 { unbroken += 1 }
            say("take \(time.tv_sec * 1_000_000_000 + time.tv_nsec) \(sums.frames)")
            if cycle == count / 10 { say("before \(await held())") }
        }
        await capturer.stop(.full)
        say("after \(await held())")
        say("cycles \(count) unbroken \(unbroken) frames \(frames)")
    }

    /// Reads a file to its end and says what that took.
    private static func whole(_ path: String) throws {
        var reader = try AudioFileReader(path: path)
        var early = 0
        while let buffer = try reader.read() {
            if early == 0, buffer.start > .seconds(60) { early = residentKilobytes() }
        }
        say(
            "read \(reader.position / .seconds(1)) s, \(early) kB after a minute and \(residentKilobytes()) kB at the end"
        )
    }

    /// Says which program reads a file, whether it ends with its reader, and which one reads the file again until
    /// somebody kills this process.
    private static func children(_ path: String) throws {
        try reading(path) { say("reading \($0)") }
        say(waitpid(-1, nil, WNOHANG) == -1 && errno == ECHILD ? "released" : "still running")
        try reading(path) { process in
            say("again \(process)")
            while true { pause() }
        }
    }

    private static func reading(_ path: String, _ body: (Substring) -> Void) throws {
        var reader = try AudioFileReader(path: path)
        _ = try reader.read()
        var bytes = [UInt8](repeating: 0, count: 256)
        let file = open("/proc/self/task/\(getpid())/children", O_RDONLY)
        let count = Glibc.read(file, &bytes, 256)
        close(file)
        body(String(decoding: bytes[..<max(0, count)], as: UTF8.self).split(separator: " ").last ?? "")
    }

    /// Opens a file as somebody who may not read it.
    private static func refused(_ path: String) throws {
        if geteuid() == 0, seteuid(65_534) != 0 { say("the user can't be changed") }
        _ = try AudioFileReader(path: path)
        say("read")
    }

    /// Threads, descriptors and kilobytes, once they have come to rest.
    private static func held() async -> String {
        // A thread that was let go of takes a moment to end.
        for _ in 0..<50 where entryCount("/proc/self/task") > 8 { try? await Task.sleep(for: .milliseconds(20)) }
        let (threads, descriptors) = (entryCount("/proc/self/task"), descriptorCount())
        return "threads \(threads) descriptors \(descriptors) kilobytes \(residentKilobytes())"
    }

    /// How many files the process holds open.
    static func descriptorCount() -> Int { entryCount("/proc/self/fd") }

    private static func entryCount(_ folder: String) -> Int {
        guard let directory = opendir(folder) else { return -1 }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return count - 2
    }

    /// How much memory the process has.
    static func residentKilobytes() -> Int {
        var usage = [UInt8](repeating: 0, count: 256)
        let file = open("/proc/self/statm", O_RDONLY)
        let length = Glibc.read(file, &usage, 255)
        close(file)
        let pages = String(decoding: usage[..<max(0, length)], as: UTF8.self).split(separator: " ")
        return (pages.count > 1 ? Int(pages[1]) ?? 0 : 0) * 4
    }
}

/// What was captured, added up.
struct Sums {
    private(set) var frames: Int64 = 0
    private(set) var lost: Int64 = 0
    private(set) var format = AudioFormat.speech
    private var expected: Int64?
    private var breaks = 0
    private var start: Int64 = -1
    private var file: Int32 = -1

    init(_ path: String?) {
        if let path { file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600) }
    }

    mutating func add(_ event: CaptureEvent) {
        switch event {
        case .buffer(let buffer):
            format = buffer.format
            let seconds = frames / Int64(buffer.format.sampleRate)
            frames += Int64(buffer.frameCount)
            let now = frames / Int64(buffer.format.sampleRate)
            if now > seconds { say("captured \(now) s") }
            for sample in buffer.int16Samples {
                if start < 0 { start = Int64(sample) }
                if let expected, Int64(sample) != expected & 0x7FFF { breaks += 1 }
                expected = Int64(sample) + 1
            }
            if file >= 0 { _ = buffer.withUnsafeBytes { write(file, $0.baseAddress, $0.count) } }
        case .gap(let gap):
            lost += gap.frameCount
            say("gap \(gap.cause) \(gap.frameCount) at \(gap.range.lowerBound / .milliseconds(1))")
        case .interrupted(let cause): say("interrupted \(cause)")
        case .resumed: say("resumed")
        case .routeChanged: say("route changed")
        }
    }

    func isCounted(from first: Int64) -> Bool { start == first && breaks == 0 }

    func finish() {
        if file >= 0 { close(file) }
        say("counter starts \(start) breaks \(breaks)")
    }
}

/// Prints a line at once, whatever becomes of the process afterwards.
func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
}
#else
/// Measures what only a build with these traits has.
@main struct CaptureProbe {
    static func main() {}
}
#endif
