import DictationCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DictationCapture

/// A device name runs no command and writes no file.
@Suite struct DeviceNameTests {
    @Test(arguments: [
        "default", "pulse", "pipewire", "my_mic-2", "hw:0", "hw:1,0", "plughw:CARD=PCH,DEV=0", "sysdefault:CARD=Mic",
        "front:CARD=PCH,DEV=0", "dsnoop:0,0", "default:CARD=PCH",
    ])
    func aNameIsPlain(_ name: String) { #expect(PlainDeviceName.isPlain(name)) }

    static let others = [
        "", ":", "hw:", "hw:0 ", "tee:default,out,raw", "file:out,raw", "tee:default,'|touch x',raw",
        "file:FILE=|touch x,FORMAT=raw", "plug:SLAVE='tee:default,x,raw'", "{type file file x}", "hw:{CARD 0}",
        "hw:0\u{301}", "ｈｗ:0", "default:|x", "null:\n", "pcm.file", "plug:tee", "hw:0;x", "hw:$(x)",
    ]

    @Test(arguments: others) func aNameIsMore(_ name: String) { #expect(!PlainDeviceName.isPlain(name)) }

    #if ALSA
    @Test(arguments: others) func whatIsMoreThanANameIsNotOpened(_ name: String) async throws {
        let system = WatchedSystem()
        let capturer = ALSACapturer(system, lingering: .zero, settings: CaptureLoop.Settings())
        let error = await #expect(throws: DictationError.self) {
            try await capturer.start(CaptureOptions(device: name))
        }
        #expect(error?.code == .invalidInput)
        #expect(error?.recovery?.contains("trustedDevices") == true)
        #expect(system.state.withLock { $0.opened.isEmpty })
    }

    @Test func aTrustedNameIsOpened() async throws {
        let system = WatchedSystem()
        let capturer = ALSACapturer(
            system, lingering: .zero, settings: CaptureLoop.Settings(), trustedDevices: ["plug:fake"])
        _ = try await capturer.start(CaptureOptions(device: "plug:fake"))
        await capturer.stop(.full)
        #expect(system.state.withLock { $0.opened == ["plug:fake"] })
    }

    /// The real libasound, which runs what is behind the bar when it opens such a device.
    @Test func noCommandInANameRuns() async throws {
        let folder = TemporaryFolder()
        let proof = folder("proof")
        let name = "tee:null,'|cat >\(proof)',raw"
        await #expect(throws: DictationError.self) {
            try await ALSACapturer(lingering: .zero).start(CaptureOptions(device: name))
        }
        #expect(!FileManager.default.fileExists(atPath: proof))
        // That it would, were it trusted.
        let capturer = ALSACapturer(lingering: .zero, trustedDevices: [name])
        _ = try? await capturer.start(CaptureOptions(device: name))
        await capturer.stop(.full)
        #expect(await eventually { FileManager.default.fileExists(atPath: proof) })
    }
    #endif
}
