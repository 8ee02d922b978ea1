import DictationCapture
import DictationCore
import Glibc

extension CaptureProbe {
    /// Reads changed copies of files: `read COUNT SEED FILE…`. Says how many ran and what came of them.
    static func read(_ arguments: [String]) {
        guard arguments.count > 2, let count = Int(arguments[0]), let seed = UInt64(arguments[1]) else {
            say("usage: read COUNT SEED FILE…")
            exit(2)
        }
        let originals = arguments.dropFirst(2).map(contents)
        guard originals.allSatisfy({ !$0.isEmpty }) else {
            say("a file is empty or can't be read")
            exit(2)
        }
        var random = Random(state: seed)
        var outcomes: [String: Int] = [:]
        let path = "/dev/shm/dictation-fuzz-\(getpid())"
        for number in 0..<count {
            var bytes = originals[number % originals.count]
            random.change(&bytes)
            let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            _ = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            close(file)
            outcomes[outcome(of: path), default: 0] += 1
            if number % 50_000 == 49_999 { say("\(number + 1) inputs") }
        }
        unlink(path)
        let summary = outcomes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        say("fuzzed \(count) inputs with seed \(seed): \(summary)")
    }

    private static func outcome(of path: String) -> String {
        do throws(DictationError) {
            var reader = try AudioFileReader(path: path)
            var frames = 0
            while frames < 1 << 16, let buffer = try reader.read() {
                frames += buffer.frameCount
                guard buffer.frameCount > 0, buffer.format == reader.format else { fatal("a bad buffer") }
            }
            return "read"
        } catch {
            guard error.code == .fileUnreadable, error.recovery != nil else { fatal("a bad error: \(error)") }
            return "refused"
        }
    }

    private static func fatal(_ what: String) -> Never {
        say("FAILED: \(what)")
        exit(3)
    }

    private static func contents(_ path: String) -> [UInt8] {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = Glibc.read(file, &bytes, bytes.count)
        return Array(bytes[..<max(0, count)])
    }
}

private struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Flips bits, writes numbers that lie, cuts, repeats: mostly near the beginning, where the headers are.
    mutating func change(_ bytes: inout [UInt8]) {
        for _ in 0..<Int.random(in: 1...8, using: &self) where !bytes.isEmpty {
            let reach = Bool.random(using: &self) ? min(128, bytes.count) : bytes.count
            let place = Int.random(in: 0..<reach, using: &self)
            switch Int.random(in: 0..<7, using: &self) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &self)
            case 1: bytes[place] = UInt8.random(in: .min ... .max, using: &self)
            case 2: bytes[place] = [0, 0x7F, 0x80, 0xFF].randomElement(using: &self) ?? 0
            case 3: for index in place..<min(bytes.count, place + 4) { bytes[index] = 0xFF }
            case 4: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...64, using: &self)))
            case 5: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 32)], at: place)
            default: if Int.random(in: 0..<8, using: &self) == 0 { bytes.removeSubrange(place...) }
            }
        }
    }
}
