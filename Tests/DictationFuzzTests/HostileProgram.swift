import DictationCore
import DictationSystem
import DictationTesting
import Foundation

@testable import DictationEngines

/// A program that can't be trusted, connected to a real helper.
struct HostileProgram {
    private var peer: HostilePeer
    private let memory: SharedMemory
    private var sessions: [UInt32: (slot: Int, position: UInt64, time: Duration)] = [:]
    /// The slots of the sessions that the helper has not opened yet.
    private var opening: [UInt32: Int] = [:]
    private var lastNumber: UInt32 = 0

    /// Starts a helper and talks to it until one of them ends the connection.
    ///
    /// - Returns: The number of packets that the helper read, and what went wrong.
    static func connection(seed: UInt64, messages: Int) throws -> (count: Int, problems: [String]) {
        let memory = try SharedMemory()
        let pair = try HelperSocketPair()
        let helper = try start(connection: pair.theirs, memory: memory.descriptor)
        pair.closeTheirs()
        var program = HostileProgram(
            peer: HostilePeer(seed: seed, socket: pair.ours.descriptor, rarity: 1_500), memory: memory)
        let (count, isAnswered) = program.talk(messages)
        if !isAnswered { helper.kill() }
        shutdown(pair.ours.descriptor, Int32(SHUT_RDWR))
        let status = helper.wait()
        guard isAnswered else { return (count, ["the helper hung"]) }
        return (count, [0, HelperRole.misuse].contains(status) ? [] : ["the helper ended with \(status ?? 0)"])
    }

    /// Starts the helper, which lies beside the program of the tests.
    static func start(connection: Int32, memory: Int32) throws -> RunningProgram {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = URL(filePath: own).deletingLastPathComponent().appending(path: "dictation-helper").path
        return try HelperRole.engine.program(
            at: program, files: [.nothing, .inherited, .inherited, .descriptor(connection), .descriptor(memory)]
        ).start()
    }

    /// Sends messages. Returns the number that the helper read, and whether it always answered.
    private mutating func talk(_ messages: Int) -> (count: Int, isAnswered: Bool) {
        var count = 0
        if !peer.chance(10) {
            _ = peer.send(call(.load(HelperLoadRequest(engine: HelperJSON.text(EngineDescription.scripted())))))
            while true {
                guard let messages = wait() else { return (1, false) }
                if messages.isEmpty { return (1, true) }
                if messages.contains(where: { $0.kind == .answer }) { break }
            }
        }
        while count < messages {
            let before = peer.sentCount
            for _ in 0..<16 { if !peer.send(next()) { return (count + 1, true) } }
            // The pong says that the helper has read everything before it.
            guard peer.send(HelperMessage(kind: .ping)) else { return (count + 1, true) }
            while true {
                guard let messages = wait() else { return (count, false) }
                if messages.isEmpty { return (count + 1, true) }
                if messages.contains(where: { $0.kind == .pong }) { break }
            }
            count += peer.sentCount - before
        }
        return (count, true)
    }

    /// Waits for messages; none when the helper has gone, `nil` when it says nothing for a long time.
    private mutating func wait() -> [HelperMessage]? {
        var wait = pollfd(fd: peer.socket, events: Int16(POLLIN), revents: 0)
        while poll(&wait, 1, 60_000) < 0, errno == EINTR {}
        guard wait.revents != 0 else { return nil }
        let messages = peer.received()
        for message in messages where message.kind == .answer {
            if let slot = opening.removeValue(forKey: message.session) { sessions[message.session] = (slot, 0, .zero) }
        }
        return messages
    }

    private mutating func call(_ call: HelperCall) -> HelperMessage {
        lastNumber += 1
        return HelperMessage(kind: .call, session: lastNumber, body: HelperJSON.encode(call) ?? [])
    }

    private mutating func next() -> HelperMessage {
        let session = sessions.keys.randomElement(using: &peer.random) ?? 1
        switch Int.random(in: 0..<40, using: &peer.random) {
        case 0: return call(.format(.liveDictation()))
        case 1: return call(.prepare(.wakeWords(["hey"])))
        case 2 where sessions.count + opening.count < 8:
            let slot = Int.random(in: 0..<SharedMemory.slotCount, using: &peer.random)
            opening[lastNumber + 1] = slot
            let request = HelperSessionRequest(
                session: lastNumber + 1, slot: slot, options: .liveDictation(), workers: peer.chance(4) ? 2 : nil)
            return call(.open(request))
        case 3:
            sessions[session] = nil
            return HelperMessage(kind: .close, session: session)
        case 4: return HelperMessage(kind: .endInput, session: session)
        case 5: return HelperMessage(kind: .finalize, session: session, number: UInt64(lastNumber))
        case 6: return HelperMessage(kind: .ping)
        default: return audio(session)
        }
    }

    /// Audio in its place. The memory changes while the helper reads it.
    private mutating func audio(_ session: UInt32) -> HelperMessage {
        guard var state = sessions[session] else { return HelperMessage(kind: .ping) }
        let frames = Int.random(in: 1...400, using: &peer.random)
        let count = UInt32(frames * AudioFormat.speech.bytesPerFrame)
        peer.noise(64).withUnsafeBytes { memory.write($0, to: state.slot, at: state.position) }
        state.position += UInt64(count)
        let start = state.time
        state.time += AudioFormat.speech.duration(ofFrames: Int64(frames))
        sessions[session] = state
        let size = withUnsafeBytes(of: count.littleEndian) { Array($0) }
        return HelperMessage(kind: .audio, session: session, number: state.position, time: start, body: size)
    }
}
