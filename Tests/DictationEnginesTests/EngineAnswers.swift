import DictationCore
import FoundationEssentials
import Glibc
import Testing

extension SpeechEngine {
    /// All updates for some audio. A buffer is given once all results before it are read, so that however busy the
    /// machine is, none takes the place of another that waits.
    func results(_ buffers: [AudioBuffer], _ options: RecognitionOptions) async throws -> [SpeechUpdate] {
        let session = try await makeSession(options)
        try session.start(
            AudioInput { [waiting = session.results] in
                var next = buffers.makeIterator()
                return { () async throws(DictationError) in
                    while waiting.waiting > 0, (try? await DictationRuntime.current.sleep(.milliseconds(1))) != nil {}
                    return next.next()
                }
            })
        var results: [SpeechUpdate] = []
        for try await update in session.results { results.append(update) }
        #expect(try await session.finish() == .complete)
        return results
    }

    /// The final text of some audio.
    func text(_ buffers: [AudioBuffer], _ options: RecognitionOptions) async throws -> String {
        try await results(buffers, options).heardText
    }
}

extension [SpeechUpdate] {
    var finals: [SpeechResult] { compactMap(\.finalResult) }
    var volatiles: [SpeechResult] { compactMap { if case .volatile(let result) = $0 { result } else { nil } } }
    /// The time through which results are final.
    var finalizedThrough: Duration { compactMap(\.finalizedThrough).max() ?? .zero }
    var heardText: String { finals.map(\.text).joined(separator: " ") }
    var words: [SpeechResult.Word] { finals.flatMap(\.words) }
}

/// The memory that is this process's own, not files'.
func residentKilobytes() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    return line?.split(separator: " ").compactMap { Int($0) }.first ?? 0
}

/// The processor time of this process so far.
func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Prints what a child process printed, which is not seen otherwise.
func show(_ child: ExitTest.Result?) {
    print(String(decoding: child?.standardOutputContent ?? [], as: UTF8.self), terminator: "")
}
