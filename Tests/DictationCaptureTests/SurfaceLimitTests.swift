import DictationCapture
import DictationCore
import Foundation
import Testing

/// Numbers that no caller means, and that end no process.
@Suite struct SurfaceLimitTests {
    private let folder = TemporaryFolder()
    private static let times: [Duration] = [
        .seconds(Int64.min), .seconds(-1), .zero, .nanoseconds(1), .microseconds(1), .seconds(1_000_000_000),
        .seconds(Int64.max), Duration(attoseconds: .max), Duration(attoseconds: .min),
    ]

    @Test(arguments: ["a.wav", "a.mp3", "a.m4a"]) func aReaderTakesAnyTime(_ name: String) async throws {
        let path = try await Made.tone(name, in: folder)
        let whole = try Sound(reading: path).left.count
        for time in Self.times {
            do {
                let count = try Sound(reading: path, from: time).left.count
                #expect(time >= .seconds(1) ? count == 0 : abs(count - whole) < 2, "from \(time): \(count)")
            } catch { #expect(error.recovery != nil, "\(error)") }
        }
    }

    @Test(arguments: ["a.wav", "a.m4a"]) func aReaderReadsAnyNumberOfFrames(_ name: String) async throws {
        let path = try await Made.tone(name, in: folder)
        for limit in [Int.min, -1, 0, 1, .max] {
            var reader = try AudioFileReader(path: path)
            let first = try #require(try reader.read(frames: limit))
            #expect(!first.isEmpty && (limit < 2 || limit == .max || first.frameCount <= limit))
        }
    }

    @Test func aCapturerTakesAnyBufferDuration() async throws {
        let path = try await Made.tone("a.wav", in: folder, ["-t", "0.1"])
        for duration in Self.times {
            let capturer = FileCapturer(path: path, bufferDuration: duration)
            var frames = 0
            for try await event in try await capturer.start(CaptureOptions()) {
                if case .buffer(let buffer) = event { frames += buffer.frameCount }
            }
            #expect(frames == 4_800, "\(duration): \(frames)")
            await capturer.stop(.full)
        }
    }
}
