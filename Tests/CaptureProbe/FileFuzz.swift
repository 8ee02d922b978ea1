#if ALSA && SampleRate && SoundFile
import DictationCapture
import DictationCore
import Glibc

extension CaptureProbe {
    /// Reads changed copies of files: `read FOLDER FIRST COUNT SEED FILE…`. Says how many ran and what came of them.
    ///
    /// An input follows from its number and the seed alone. The folder holds the one that is being read, and its number,
    /// for who finds this process dead.
    static func read(_ arguments: [String]) {
        guard arguments.count > 4, let first = Int(arguments[1]), let count = Int(arguments[2]), count > 0,
            let seed = UInt64(arguments[3])
        else {
            say("usage: read FOLDER FIRST COUNT SEED FILE…")
            exit(2)
        }
        let originals = arguments.dropFirst(4).map { Specimen(path: $0) }
        guard originals.allSatisfy({ !$0.bytes.isEmpty }) else {
            say("a file is empty or can't be read")
            exit(2)
        }
        let path = arguments[0] + "/input"
        let progress = open(arguments[0] + "/number", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        var outcomes: [String: [String: Int]] = [:]
        let descriptors = descriptorCount()
        var slowest = Duration.zero
        for number in first..<first + count {
            let digits = Array("\(number)\n".utf8)
            _ = digits.withUnsafeBytes { pwrite(progress, $0.baseAddress, $0.count, 0) }
            let original = originals[number % originals.count]
            var random = FuzzRandom(state: seed &* 0x2545_F491_4F6C_DD1D &+ UInt64(number) << 20)
            let bytes = random.changed(original, with: originals)
            let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            _ = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            close(file)
            // What takes longer than this hangs.
            alarm(60)
            let raw = original.kind == "raw" ? random.rawFormat() : nil
            let began = ContinuousClock.now
            outcomes[original.kind, default: [:]][outcome(of: path, raw: raw), default: 0] += 1
            slowest = max(slowest, ContinuousClock.now - began)
            if number % 10_000 == 9_999 {
                let held = descriptorCount()
                guard held <= descriptors else { broken("\(held) open files, of which \(descriptors) are right") }
                if number % 100_000 == 99_999 { say("through \(number + 1)") }
            }
            guard waitpid(-1, nil, WNOHANG) == -1, errno == ECHILD else { broken("a program that still runs") }
        }
        alarm(0)
        for (kind, counts) in outcomes.sorted(by: { $0.key < $1.key }) {
            say("\(kind) " + counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: " "))
        }
        var usage = rusage()
        getrusage(Int32(RUSAGE_CHILDREN.rawValue), &usage)
        // The greatest memory of any program of FFmpeg, which shares most of it with others.
        if usage.ru_maxrss > 0 {
            say("largest \(usage.ru_maxrss / 1_024) MB, slowest \(slowest / .milliseconds(1)) ms")
        }
        guard usage.ru_maxrss < 600 * 1_024 else { broken("a program of more than 600 MB") }
        say("inputs \(count)")
    }

    private static func outcome(of path: String, raw: AudioFormat?) -> String {
        do throws(DictationError) {
            var reader = try AudioFileReader(path: path, raw: raw)
            var frames = 0
            while frames < 1 << 14, let buffer = try reader.read(frames: 1_000 + frames % 3_000) {
                guard buffer.start == buffer.format.duration(ofFrames: Int64(frames)), buffer.frameCount > 0,
                    buffer.format == reader.format, AudioFormat.sampleRates.contains(buffer.format.sampleRate),
                    AudioFormat.channelCounts.contains(buffer.format.channelCount)
                else { broken("a bad buffer") }
                frames += buffer.frameCount
            }
            return "read"
        } catch {
            guard error.code == .fileUnreadable || raw != nil && error.code == .unsupportedFormat,
                !error.message.isEmpty, error.recovery != nil
            else { broken("a bad error: \(error)") }
            return "refused"
        }
    }

    private static func broken(_ what: String) -> Never {
        say("BROKEN: \(what)")
        exit(3)
    }
}

/// A good file that bad ones are made of.
struct Specimen {
    let kind: String
    let bytes: [UInt8]

    init(path: String) {
        kind = path.split(separator: ".").last.map(String.init) ?? ""
        let file = open(path, O_RDONLY)
        guard file >= 0 else {
            bytes = []
            return
        }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = Glibc.read(file, &buffer, buffer.count)
        bytes = Array(buffer[..<max(0, count)])
    }
}

struct FuzzRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A copy of a file that is changed, cut, or nothing but chance.
    mutating func changed(_ original: Specimen, with others: [Specimen]) -> [UInt8] {
        var bytes = original.bytes
        switch Int.random(in: 0..<100, using: &self) {
        case 0: return Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &self)))
        case 1: return noise(Int.random(in: 0...4_096, using: &self))
        case 2: return bytes.prefix(Int.random(in: 4...64, using: &self)) + noise(2_000)
        case 3:
            let tail = others.randomElement(using: &self)?.bytes ?? []
            bytes = bytes.prefix(Int.random(in: 0...bytes.count, using: &self)) + tail
        default: break
        }
        for _ in 0..<Int.random(in: 1...8, using: &self) where !bytes.isEmpty { change(&bytes) }
        // Without its checksum made right again, a changed Ogg page would be thrown away before it is looked into.
        if Int.random(in: 0..<4, using: &self) > 0 { OggPages.sign(&bytes) }
        return bytes
    }

    /// Flips bits, writes numbers that lie, cuts, repeats: mostly near the beginning, where the headers are.
    private mutating func change(_ bytes: inout [UInt8]) {
        let reach = Bool.random(using: &self) ? min(128, bytes.count) : bytes.count
        let place = Int.random(in: 0..<reach, using: &self)
        switch Int.random(in: 0..<9, using: &self) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &self)
        case 1: bytes[place] = UInt8.random(in: .min ... .max, using: &self)
        case 2: bytes[place] = [0, 0x7F, 0x80, 0xFF].randomElement(using: &self) ?? 0
        case 3: for index in place..<min(bytes.count, place + 4) { bytes[index] = 0xFF }
        case 4: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...64, using: &self)))
        case 5: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 32)], at: place)
        case 6...7:
            let number: UInt32 =
                [0, 1, 0x7FFF, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE, 0x0100_0000].randomElement(using: &self)
                ?? 0
            let isBig = Bool.random(using: &self)
            for index in 0..<4 where place + index < bytes.count {
                bytes[place + index] = UInt8(truncatingIfNeeded: number >> UInt32(8 * (isBig ? 3 - index : index)))
            }
        default: if Int.random(in: 0..<8, using: &self) == 0 { bytes.removeSubrange(place...) }
        }
    }

    private mutating func noise(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }

    /// What someone may say that raw samples are, mostly something that they can be.
    mutating func rawFormat() -> AudioFormat {
        let isSenseless = Int.random(in: 0..<8, using: &self) == 0
        let rates = isSenseless ? [0, -1, 1, 1 << 31, .max] : [8_000, 16_000, 48_000, 192_000]
        let channels = isSenseless ? [0, -1, 1, 1 << 31, .max] : [1, 2, 6]
        return AudioFormat(
            sampleRate: rates.randomElement(using: &self) ?? 0, channelCount: channels.randomElement(using: &self) ?? 0,
            sampleType: AudioFormat.SampleType.allCases.randomElement(using: &self) ?? .int16)
    }
}

/// The pages of an Ogg file, as far as a checksum goes.
private enum OggPages {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index) << 24) { sum, _ in sum << 1 ^ (sum & 0x8000_0000 != 0 ? 0x04C1_1DB7 : 0) }
    }

    /// Makes the checksum of every page right.
    static func sign(_ bytes: inout [UInt8]) {
        var start = 0
        while start + 27 <= bytes.count, bytes[start..<start + 4].elementsEqual("OggS".utf8) {
            let segments = Int(bytes[start + 26])
            guard start + 27 + segments <= bytes.count else { return }
            let body = bytes[start + 27..<start + 27 + segments].reduce(0) { $0 + Int($1) }
            let end = min(bytes.count, start + 27 + segments + body)
            for index in start + 22..<start + 26 { bytes[index] = 0 }
            let sum = bytes[start..<end].reduce(UInt32(0)) { $0 << 8 ^ table[Int($0 >> 24 ^ UInt32($1))] }
            for index in 0..<4 { bytes[start + 22 + index] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * index)) }
            start = end
        }
    }
}
#endif
