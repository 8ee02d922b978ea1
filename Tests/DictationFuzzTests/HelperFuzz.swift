import DictationCore

@testable import DictationEngines

/// The messages between a program and its helper. An input is a list of packets, each after its length in two bytes.
enum HelperFuzz {
    private static let second = Duration.seconds(1)
    private static let format = AudioFormat.speech

    /// Messages of a helper whose program sent two seconds of audio and asked once for finality.
    static var helperCorpus: [[UInt8]] {
        let result = SpeechResult(
            range: .zero..<second, text: "go", words: [.init("go", range: .zero..<second, confidence: 0.5)],
            alternatives: [.init("no")])
        let updates: [SpeechUpdate] = [
            .volatile(result), .revoked(.zero..<second), .final(result), .finalized(through: second * 2),
        ]
        let told = updates.map { message(.update, body: HelperUpdate.encode($0) ?? []) }
        let error = HelperJSON.encode(DictationError(.engineFailed, "It broke.")) ?? []
        let lists: [[HelperMessage]] = [
            [message(.taken, 32_000), message(.taken, 64_000)], told,
            [message(.pong), message(.finalized, 1), message(.ended)], [message(.ended, body: error)],
            // What no helper sends.
            [message(.taken, 64_001)], [message(.ping)], [message(.finalized, 2)], [message(.answer)],
            [message(.update, body: HelperUpdate.encode(.finalized(through: second * 9)) ?? [])],
        ]
        return lists.map(bytes)
    }

    /// Messages of a program with one session.
    static var programCorpus: [[UInt8]] {
        let size: [UInt8] = [0x80, 0x0C, 0, 0]
        let calls: [HelperCall] = [
            .load(HelperLoadRequest(engine: HelperJSON.text(EngineDescription.scripted()))), .format(.liveDictation()),
            .prepare(.timedTranscription()),
            .open(HelperSessionRequest(session: 1, slot: 0, options: .wakeWords(["hey"]), workers: 2)),
        ]
        let lists: [[HelperMessage]] = [
            [message(.audio, 3_200, body: size), message(.audio, 6_400, time: second, body: size)],
            [message(.finalize, 1), message(.endInput), message(.close), message(.ping)],
            calls.map { message(.call, body: HelperJSON.encode($0) ?? []) },
            // What no program sends.
            [message(.audio, 1, body: size)], [message(.audio, 3_200)], [message(.taken, 1)], [message(.call)],
        ]
        return lists.map(bytes)
    }

    private static func message(
        _ kind: HelperMessage.Kind, _ number: UInt64 = 0, time: Duration = .zero, body: [UInt8] = []
    ) -> HelperMessage {
        HelperMessage(kind: kind, session: 1, number: number, time: time, body: body)
    }

    private static func bytes(_ messages: [HelperMessage]) -> [UInt8] {
        messages.flatMap { message in
            let packet = HelperPacket.header(message, hasMore: false) + message.body
            return [UInt8(packet.count & 0xFF), UInt8(packet.count >> 8)] + packet
        }
    }

    private static let garbage = DictationError(.invalidInput, "That is no message.", recovery: "End the other side.")

    private static func each(
        _ bytes: [UInt8], _ take: (HelperMessage) -> Bool
    ) throws(DictationError) {
        var receiver = HelperReceiver(HelperSocket(-1), limit: 1 << 15)
        var rest = bytes[...]
        while let low = rest.popFirst(), let high = rest.popFirst() {
            let packet = Array(rest.prefix(Int(low) | Int(high) << 8))
            rest = rest.dropFirst(packet.count)
            switch packet.withUnsafeBytes({ receiver.admit($0) }) {
            case .nothing: continue
            case .message(let message) where take(message): continue
            case .message, .garbage, .end: throw garbage
            }
        }
    }

    /// Reads the messages as a program does, whose session never sees results out of order.
    static func readAsProgram(_ bytes: [UInt8]) throws(DictationError) -> String? {
        guard let memory else { return "no shared memory" }
        let record = Watched(ReplayRecord())
        let process = HelperProcess(HelperSocket(-1), memory, HelperProcess.Limits())
        let wrong = Watched<String?>(nil)
        let results = ResultSink { update in
            let shown = record.change { record -> (before: Duration, after: Duration, isShown: Bool) in
                let before = record.watermark
                let isShown = record.admit(update) != nil
                return (before, record.watermark, isShown)
            }
            if shown.after < shown.before || shown.after > second * 3 {
                wrong.change { $0 = "a watermark of \(shown)" }
            }
            guard shown.isShown, let result = update.result else { return }
            if result.range.upperBound > second * 3 { wrong.change { $0 = "a result at \(result.range)" } }
        }.noting { length in
            if length < .zero || length > second * 3 { wrong.change { $0 = "\(length) decoded" } }
        }
        let channel = try? process.makeChannel(format, into: results)
        guard let channel, channel.id == 1 else { return "no channel" }
        channel.state.change { ($0.sent, $0.asked, $0.fed) = (64_000, 1, second * 2) }
        try each(bytes) { process.admit($0) }
        let state = channel.state.value
        if state.taken > state.sent || state.finalized > state.asked { return "more was done than asked: \(state)" }
        return wrong.value
    }

    /// Reads the messages as a helper does, and the memory at every place that they name.
    static func readAsHelper(_ bytes: [UInt8]) throws(DictationError) -> String? {
        guard let memory else { return "no shared memory" }
        let request = HelperSessionRequest(session: 1, slot: 63, options: .liveDictation(), workers: nil)
        let session = ServedSession(request, format, HelperSocket(-1))
        try each(bytes) { message in
            guard !message.kind.isFromHelper else { return false }
            switch message.kind {
            case .call: return HelperJSON.decode(HelperCall.self, message.body) != nil
            case .audio, .finalize, .endInput: return session.perform(message, memory)
            default: return true
            }
        }
        session.close()
        return nil
    }

    private static let memory: SharedMemory? = {
        guard let memory = try? SharedMemory() else { return nil }
        let noise = (0..<SharedMemory.slotSize).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
        for slot in 0..<SharedMemory.slotCount {
            noise.withUnsafeBytes { memory.write($0, to: slot, at: UInt64(slot)) }
        }
        return memory
    }()
}
