import DictationCapture
import DictationCore
import DictationTesting
import Testing

@Suite struct AudioInputTests {
    private struct Foreign: Error, CustomStringConvertible {
        let description = "the cable is loose"
    }

    private let buffers = (0..<3).map { AudioBuffer(silence: 1_600, format: .speech, start: .milliseconds(100 * $0)) }

    private func starts(_ input: AudioInput) async throws(DictationError) -> [Duration] {
        var starts: [Duration] = []
        for try await buffer in input { starts.append(buffer.start) }
        return starts
    }

    @Test func anyStreamOfBuffersIsAnInput() async throws {
        let expected = buffers.map(\.start)
        #expect(try await starts(AudioInput(buffers)) == expected)
        let (stream, continuation) = AsyncStream<AudioBuffer>.makeStream()
        for buffer in buffers { continuation.yield(buffer) }
        continuation.finish()
        #expect(try await starts(AudioInput(stream)) == expected)
        #expect(try await starts(AudioInput(AudioInput(buffers))) == expected)
    }

    @Test func aForeignErrorSaysWhatItWas() async throws {
        let (stream, continuation) = AsyncThrowingStream<AudioBuffer, any Error>.makeStream()
        continuation.yield(buffers[0])
        continuation.finish(throwing: Foreign())
        let error = await #expect(throws: DictationError.self) { try await starts(AudioInput(stream)) }
        #expect(error?.code == .inputFailed && error?.message.contains("the cable is loose") == true)
    }

    @Test func anErrorOfOursStaysWhatItIs() async throws {
        let lost = DictationError(.deviceLost, "It is gone.")
        let stream = AsyncThrowingStream<AudioBuffer, any Error> { $0.finish(throwing: lost) }
        await #expect(throws: lost) { try await starts(AudioInput(stream)) }
    }

    @Test func aStreamThatCountsForItselfIsTranscribed() async throws {
        struct Counting: AudioCapturer {
            let pacing = CaptureStream.Pacing.onDemand
            func start(_ options: CaptureOptions) async throws(DictationError) -> CaptureStream {
                CaptureStream {
                    var left = 3
                    return { () async throws(DictationError) in
                        left -= 1
                        return left < 0 ? nil : .buffer(AudioBuffer(silence: 16_000, format: .speech))
                    }
                }
            }
            func stop(_ mode: CaptureOptions.StopMode) async {}
        }
        #expect(try await WordEngine().transcribe(Counting()).text() == "word 1 word 2 word 3")
    }
}
