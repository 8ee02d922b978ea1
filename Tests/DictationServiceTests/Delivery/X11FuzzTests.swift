import DictationCore
import DictationSystem
import DictationTesting
import Foundation
import Glibc
import Testing

@testable import DictationDesktop
@testable import DictationService

/// Random bytes instead of an X server and of the user's file of cookies. A few every day;
/// `Scripts/fuzz parsers` reads as many as it is told.
@Suite struct X11FuzzTests {
    private static let environment = ProcessInfo.processInfo.environment
    private let count = environment["DICTATION_FUZZ_INPUTS"].flatMap { Int($0) } ?? 300
    private let seed = environment["DICTATION_FUZZ_SEED"].flatMap { UInt64($0) } ?? 1

    @Test func anyServerIsUnderstoodOrRefused() throws {
        let server = FakeX11Server()
        let conversation = server.conversation
        #expect(try server.answers(with: conversation) == FakeX11Server.questionCount)
        var random = SplitMix64(seed: seed)
        var found: [Int: Int] = [:]
        for _ in 0..<count {
            let answered = try server.answers(with: random.changed(conversation))
            found[answered, default: 0] += 1
        }
        // Some break at once, some later, and some not at all.
        #expect(found[0] != nil && found[FakeX11Server.questionCount] != nil && found.count > 3, "\(found)")
        report("x11", "\(found)")
    }

    /// A server may say that the name of its maker is longer than anything.
    @Test func aServerWithALongNameIsRefused() throws {
        let server = FakeX11Server()
        for length: UInt16 in [0xFFFC, 0xFFFD, 0xFFFF] {
            #expect(try server.answers(with: server.greeting(nameLength: length)) == 0)
        }
    }

    @Test func anyFileOfCookiesIsRead() throws {
        let display = try X11Display(":7")
        let name = Array("MIT-MAGIC-COOKIE-1".utf8)
        let secret: [UInt8] = Array(0..<16)
        let file =
            entry("host", "6", "MIT-MAGIC-COOKIE-1", [9]) + entry("host", "7", "OTHER", [9])
            + entry("", "7", "MIT-MAGIC-COOKIE-1", secret)
        #expect(X11Cookie(for: display, in: file).data == secret)
        var random = SplitMix64(seed: seed)
        var found = 0
        for _ in 0..<count {
            let input = random.changed(file)
            let cookie = X11Cookie(for: display, in: input)
            #expect(cookie.name.isEmpty && cookie.data.isEmpty || cookie.name == name)
            #expect(cookie.data.count <= input.count)
            found += cookie.name.isEmpty ? 0 : 1
        }
        #expect(found > 0 && found < count)
        report("xauthority", "\(found) with a cookie")
    }

    private func entry(_ address: String, _ number: String, _ name: String, _ data: [UInt8]) -> [UInt8] {
        [Array(address.utf8), Array(number.utf8), Array(name.utf8), data].reduce([1, 0]) { bytes, field in
            bytes + [UInt8(field.count >> 8), UInt8(field.count & 0xFF)] + field
        }
    }

    private func report(_ name: String, _ result: String) {
        guard Self.environment["DICTATION_FUZZ_KEEP"] != nil else { return }
        print("fuzzed \(name): \(count) inputs, seed \(seed), \(result)")
    }
}

/// A server that says everything at once, without reading, and closes.
private struct FakeX11Server {
    private static let (root, window, protocols, ping): (UInt32, UInt32, UInt32, UInt32) = (99, 7, 300, 301)
    /// How many questions a client asks.
    static let questionCount = 5

    /// A greeting, and the answers to all questions.
    var conversation: [UInt8] {
        var ended = X11Bytes([33, 32, 10, 0])
        ended.append32(Self.root, Self.protocols, Self.ping, 0, Self.window, 0, 0)
        return greeting(nameLength: 6)
            + answer(1, at: 8, Self.window)
            + answer(2, at: 24, 4)
            + answer(3, symbols: [0x61, 0x41, 0x62, 0x42, 0, 0, 0, 0])
            + answer(4, at: 8, Self.protocols) + answer(5, at: 8, Self.ping)
            + answer(6, property: [Self.ping])
            + answer(7, at: 8, Self.protocols) + answer(8, at: 8, Self.ping)
            + ended.bytes
    }

    /// The greeting of a server whose keys have the codes 8 to 11.
    func greeting(nameLength: UInt16) -> [UInt8] {
        var body = X11Bytes([])
        body.append32(11, 0, 0, 0)
        body.append16(nameLength, 0xFFFF)
        body.bytes += [1, 1, 0, 0, 0, 0, 8, 11, 0, 0, 0, 0]
        body.appendPadded(Array("Nobody".utf8))
        body.append32(0, 0)
        body.append32(Self.root, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        var head = X11Bytes([1, 0])
        head.append16(11, 0, UInt16(body.bytes.count / 4))
        return head.bytes + body.bytes
    }

    private func answer(_ number: UInt16, at place: Int, _ value: UInt32) -> [UInt8] {
        var bytes = X11Bytes([1, 0])
        bytes.append16(number)
        while bytes.bytes.count < place { bytes.bytes.append(0) }
        bytes.append32(value)
        return bytes.bytes + Array(repeating: 0, count: 32 - bytes.bytes.count)
    }

    private func answer(_ number: UInt16, symbols: [UInt32]) -> [UInt8] {
        var bytes = X11Bytes([1, 2])
        bytes.append16(number)
        bytes.append32(UInt32(symbols.count), 0, 0, 0, 0, 0, 0)
        for symbol in symbols { bytes.append32(symbol) }
        return bytes.bytes
    }

    private func answer(_ number: UInt16, property values: [UInt32]) -> [UInt8] {
        var bytes = X11Bytes([1, 32])
        bytes.append16(number)
        bytes.append32(UInt32(values.count), 4, 0, UInt32(values.count), 0, 0, 0)
        for value in values { bytes.append32(value) }
        return bytes.bytes
    }

    /// Returns how many questions a client could ask one after another.
    func answers(with bytes: [UInt8]) throws -> Int {
        var pair: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0)
        let ours = Descriptor(pair[0])
        let theirs = pair[1]
        defer { close(theirs) }
        #expect(send(theirs, bytes, bytes.count, Int32(MSG_DONTWAIT)) == bytes.count)
        shutdown(theirs, Int32(SHUT_WR))
        var count = 0
        do throws(DictationError) {
            let connection = try X11Connection(ours, to: X11Display(":0"), X11Cookie(for: X11Display(":0"), in: []))
            _ = try connection.focus()
            count += 1
            _ = try connection.modifiers()
            count += 1
            _ = try connection.keySymbols()
            count += 1
            _ = try connection.windowWithPing(around: Self.window)
            count += 1
            if try connection.ping(Self.window, within: .zero) { count += 1 }
        } catch {
            #expect(error.recovery != nil, "\(error)")
        }
        return count
    }
}

extension SplitMix64 {
    /// Returns bytes of which some are changed, missing or added.
    fileprivate mutating func changed(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &self) where !bytes.isEmpty {
            let place = Int.random(in: bytes.indices, using: &self)
            switch Int.random(in: 0..<6, using: &self) {
            case 0, 1: bytes[place] = UInt8.random(in: .min ... .max, using: &self)
            case 2: bytes[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &self) ?? 0
            case 3: bytes.remove(at: place)
            case 4: bytes.insert(UInt8.random(in: .min ... .max, using: &self), at: place)
            default: bytes.removeSubrange(place...)
            }
        }
        return bytes
    }
}
