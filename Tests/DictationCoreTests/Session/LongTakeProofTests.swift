import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// Each test runs in its own process, so that it measures the take alone.
@Suite struct LongTakeProofTests {
    @Test(.ownThread) func anHourOfDictationTakesAMoment() async {
        let child = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let began = clock()
            let count = try await LongTake.dictate(for: .seconds(3_600), bufferDuration: .milliseconds(100))
            let seconds = Double(clock() - began) / Double(1_000_000)
            print("an hour of dictation in virtual time: \(count) results in \(seconds) s of processor time")
            #expect(count == 1_800)
            #expect(seconds < 10, "ten times what it takes without optimization")
        }
        show(child)
    }

    @Test(.ownThread) func tenHoursOfChattyDictationKeepNothingButTheirText() async {
        let child = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let memory = Watched<[Int]>([])
            let count = try await LongTake.dictate(for: .seconds(36_000), bufferDuration: .seconds(1), listeners: 3) {
                memory.change { $0.append(LongTake.residentBytes()) }
            }
            let (first, last) = (memory.value[0], memory.value[memory.value.count - 1])
            // A segment of text is a struct and two arrays. Nothing else may stay in memory.
            let perSegment = Double(last - first) / Double(count)
            print("ten hours: \(count) segments, resident after a minute \(first) bytes, at the end \(last) bytes,")
            print("\(Int(perSegment)) bytes for each segment of text")
            #expect(count == 18_000)
            #expect(perSegment < 1_000)
        }
        show(child)
    }

    @Test(.ownThread) func aTakeWithoutTextKeepsNothing() async {
        let child = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let memory = Watched<[Int]>([])
            let script: ScriptedEngine.Script = [
                .volatile("so", at: .milliseconds(300)), .volatile("so far", at: .milliseconds(600)),
                .revoke(at: .milliseconds(900)), .repeats(every: .seconds(1)),
            ]
            _ = try await LongTake.dictate(
                for: .seconds(36_000), bufferDuration: .seconds(1), script: script, listeners: 3
            ) { memory.change { $0.append(LongTake.residentBytes()) } }
            let (first, last) = (memory.value[0], memory.value[memory.value.count - 1])
            print("ten hours without text: resident after a minute \(first) bytes, at the end \(last) bytes")
            #expect(last - first < 2 * 1_024 * 1_024)
        }
        show(child)
    }
}

/// Prints the output of a child process, which would be lost otherwise.
private func show(_ child: ExitTest.Result?) {
    print(String(decoding: child?.standardOutputContent ?? [], as: UTF8.self), terminator: "")
}

enum LongTake {
    /// Dictates in virtual time with listeners that never read, and returns the number of segments.
    static func dictate(
        for length: Duration, bufferDuration: Duration, script: ScriptedEngine.Script = .counting, listeners: Int = 0,
        everyMinute note: @escaping @Sendable () -> Void = {}
    ) async throws -> Int {
        let format = AudioFormat(sampleRate: 1_000)
        return try await VirtualTime.run(realTimeLimit: .seconds(600)) { clock in
            let capturer = ScriptedCapturer(
                [.tone(100, for: length + .seconds(60))], format: format, bufferDuration: bufferDuration)
            let session = DictationSession(
                engine: ScriptedEngine(script, audioFormat: format), capturer: capturer)
            let idle = (0..<listeners).map { _ in session.events() }
            try await session.start()
            while clock.now.offset < length {
                await clock.advance(by: .seconds(60))
                note()
            }
            let count = await session.stop().segments.count
            withExtendedLifetime(idle) {}
            return count
        }
    }

    /// Returns the size of the process's resident memory.
    static func residentBytes() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
