import DictationCore
import DictationSystem
import Foundation
import Testing

@testable import DictationCapture

/// What is agreed on with a device through the real libasound.
@Suite struct NegotiationTests {
    private let folder = TemporaryFolder()

    private func system(_ more: String) async throws -> ALSASystem {
        ALSASystem(configuration: try await FaultDevice(in: folder, times: 0, more: more).configuration)
    }

    @Test(
        arguments: [
            ("S16_LE", AudioFormat(sampleRate: 16_000, channelCount: 1, sampleType: .int16)),
            ("S16_LE", AudioFormat(sampleRate: 44_100, channelCount: 2, sampleType: .int16)),
            ("S32_LE", AudioFormat(sampleRate: 48_000, channelCount: 2, sampleType: .int32)),
            ("S24_3LE", AudioFormat(sampleRate: 96_000, channelCount: 1, sampleType: .int24)),
            ("FLOAT_LE", AudioFormat(sampleRate: 8_000, channelCount: 6, sampleType: .float32)),
        ])
    func aDeviceIsTakenAsItIs(_ name: String, _ format: AudioFormat) async throws {
        let system = try await system(
            "rate \(format.sampleRate) channels \(format.channelCount) format \"\(name)\" log \"\(folder("log"))\"")
        let capturer = ALSACapturer(system, lingering: .zero, settings: CaptureLoop.Settings())
        let stream = try await capturer.start(CaptureOptions(device: FaultDevice.name))
        var frames: Int64 = 0
        for try await event in stream {
            guard case .buffer(let buffer) = event else { continue }
            #expect(buffer.format == format)
            let counted = (0..<buffer.frameCount).flatMap { frame in
                [Int16](repeating: Int16((frames + Int64(frame)) & 0x7FFF), count: format.channelCount)
            }
            #expect(buffer.int16Samples == counted)
            frames += Int64(buffer.frameCount)
            if frames >= format.sampleRate / 2 { break }
        }
        await capturer.stop(.full)
        let log = try String(contentsOfFile: folder("log"), encoding: .utf8).split(whereSeparator: \.isWhitespace)
        let (period, buffer) = (try #require(Int64(log[2])), try #require(Int64(log[3])))
        print("\(name), \(format): period \(period) frames, buffer \(buffer) frames")
        #expect(format.duration(ofFrames: period) == .milliseconds(20))
        #expect(format.duration(ofFrames: buffer) == .milliseconds(500))
    }

    @Test func aWakeForNothingIsKnownAsOne() async throws {
        let system = try await system("restless 1")
        let pcm = try system.open(FaultDevice.name, preferring: .speech, wake: Waker())
        defer { pcm.close() }
        #expect(pcm.start() >= 0)
        var (ready, unready) = (0, 0)
        var bytes = [UInt8](repeating: 0, count: 1 << 15)
        let deadline = system.now + .seconds(5)
        while ready < 5, system.now < deadline {
            switch pcm.wait(.milliseconds(100)) {
            case .ready:
                ready += 1
                #expect(bytes.withUnsafeMutableBytes { pcm.read(into: $0) } >= pcm.periodFrames)
            case .unready: unready += 1
            case .timedOut, .woken: break
            }
        }
        print("\(ready) wakes with a period to read, \(unready) for nothing")
        #expect(ready == 5 && unready > 5)
    }
}
