import DictationCore
import DictationSystem
import DictationTesting
import Foundation
import Glibc

@testable import DictationEngines

/// A helper that can't be trusted, connected to the code with which a program uses a helper.
struct HostileHelper {
    private static let format = AudioFormat.speech
    private static let piece = AudioBuffer(silence: 160, format: .speech)

    /// Has a program use a hostile helper until one of them ends the connection.
    ///
    /// - Parameter files: Gets the files that the connection opens.
    /// - Returns: The number of packets that the program read, and what went wrong.
    static func connection(
        seed: UInt64, messages: Int, files: inout Set<DescribedFile>
    ) async throws -> (count: Int, problems: [String]) {
        let memory = try SharedMemory()
        let pair = try HelperSocketPair()
        let opened = [memory.descriptor, pair.ours.descriptor, pair.theirs]
        files.formUnion(opened.compactMap { DescribedFile($0) })
        let process = HelperProcess(pair.ours, memory, HelperProcess.Limits(memory: 1 << 30))
        let problems = Watched<[String]>([])
        let channels = try (0..<3).map { _ in
            let watermark = Watched(Duration.zero)
            let results = ResultSink { update in
                let time = update.finalizedThrough ?? .zero
                if time < .zero || time > .seconds(100) { problems.change { $0.append("final through \(time)") } }
                watermark.change { $0 = max($0, time) }
            }
            return try process.makeChannel(format, into: results)
        }.compactMap(\.self)
        async let sent = blocking { Self.play(pair.theirs, seed, messages, memory) }
        async let reading: Void = blocking {
            guard let output = try? ProgramPipe(.fromProgram) else { return }
            output.closeTheirs()
            let said = process.converse(output)
            process.end(said) { nil }
            // Whoever still sends is told that nobody reads.
            shutdown(pair.ours.descriptor, Int32(SHUT_RD))
        }
        await withTaskGroup(of: Void.self) { group in
            for channel in channels { group.addTask { await use(channel) } }
            group.addTask {
                while let answer = try? await process.call(.format(.liveDictation())) { _ = answer }
            }
            group.addTask {
                while let channel = try? await process.open(
                    .liveDictation(), workers: nil, format: format, into: ResultSink { _ in })
                {
                    channel.close()
                }
            }
        }
        await reading
        let count = await sent - unread(pair.ours.descriptor)
        for state in channels.map(\.state.value)
        where state.taken > state.sent || state.finalized > state.asked || state.end == nil {
            problems.change { $0.append("more was done than asked, or no end: \(state)") }
        }
        return (count, problems.value)
    }

    /// Uses a session until it ends.
    private static func use(_ channel: HelperChannel) async {
        var number = 0
        while true {
            number += 1
            let start = format.duration(ofFrames: Int64(number * piece.frameCount))
            let buffer = AudioBuffer(silence: piece.frameCount, format: format, start: start)
            let end =
                number % 7 == 0 ? try? await channel.finalize() : try? await channel.send(buffer)
            if end != nil { return }
        }
    }

    private static func unread(_ socket: Int32) -> Int {
        var byte: UInt8 = 0
        var count = 0
        while recv(socket, &byte, 1, Int32(MSG_DONTWAIT)) > 0 { count += 1 }
        return count
    }

    /// Plays the helper, and returns the number of packets that it sent.
    private static func play(_ socket: Int32, _ seed: UInt64, _ messages: Int, _ memory: SharedMemory) -> Int {
        var peer = HostilePeer(seed: seed, socket: socket, rarity: 200)
        var audio: [UInt32: [UInt64]] = [:]
        var finals: [UInt32: [UInt64]] = [:]
        var calls: [(number: UInt32, isOpen: Bool, progress: Double)] = []
        for _ in 0..<messages {
            for message in peer.received() {
                switch message.kind {
                case .audio: audio[message.session, default: []].append(message.number)
                case .finalize: finals[message.session, default: []].append(message.number)
                case .call:
                    let call = HelperJSON.decode(HelperCall.self, message.body)
                    let isOpen = if case .open = call { true } else { false }
                    calls.append((message.session, isOpen, 0))
                default: break
                }
            }
            if peer.chance(20) { peer.noise(500).withUnsafeBytes { memory.write($0, to: 0, at: 3) } }
            var message = HelperMessage(kind: .pong)
            switch Int.random(in: 0..<6, using: &peer.random) {
            case 0:
                if let session = audio.keys.randomElement(using: &peer.random), audio[session]?.isEmpty == false {
                    message = HelperMessage(
                        kind: .taken, session: session, number: audio[session]?.removeFirst() ?? 0)
                }
            case 1:
                if let session = finals.keys.randomElement(using: &peer.random), finals[session]?.isEmpty == false {
                    message = HelperMessage(
                        kind: .finalized, session: session, number: finals[session]?.removeFirst() ?? 0)
                }
            case 2 where !calls.isEmpty:
                let call = calls.removeFirst()
                let error = DictationError(.timedOut, "Not yet.")
                let answer: HelperAnswer = call.isOpen && peer.chance(2) ? .failed(error) : .format(format)
                message = HelperMessage(kind: .answer, session: call.number, body: HelperJSON.encode(answer) ?? [])
            case 3 where !calls.isEmpty:
                calls[0].progress = .random(in: calls[0].progress...1, using: &peer.random)
                message = HelperMessage(
                    kind: .progress, session: calls[0].number, number: calls[0].progress.bitPattern)
            case 4: message = update(for: audio.keys.randomElement(using: &peer.random) ?? 1, &peer)
            default: break
            }
            guard peer.send(message) else { break }
        }
        shutdown(socket, Int32(SHUT_RDWR))
        return peer.sentCount
    }

    private static func update(for session: UInt32, _ peer: inout HostilePeer) -> HelperMessage {
        let end = Duration.milliseconds(Int.random(in: 0...900, using: &peer.random))
        let result = SpeechResult(
            range: .zero..<end, text: "go", words: [.init("go", range: .zero..<end, confidence: 0.5)])
        let update: SpeechUpdate =
            [.volatile(result), .final(result), .finalized(through: end), .revoked(.zero..<end)]
            .randomElement(using: &peer.random) ?? .volatile(result)
        return HelperMessage(kind: .update, session: session, body: HelperUpdate.encode(update) ?? [])
    }
}

/// Runs blocking code on a thread of its own.
func blocking<Answer: Sendable>(_ body: @escaping @Sendable () -> Answer) async -> Answer {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}
