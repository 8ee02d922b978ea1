import DictationCore
import DictationTesting
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DictationCapture

@Suite struct DeviceUpdatesTests {
    private let folder = TemporaryFolder()

    /// Updates of a list of files, which nobody asks for in between.
    private func updates() -> ALSACapturer.DeviceUpdates {
        let devices = folder("snd")
        return ALSACapturer.DeviceUpdates(folders: [devices, folder.path], interval: .seconds(3_600)) {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: devices)) ?? []
            return names.sorted().map { AudioDevice(id: $0, name: $0) }
        }
    }

    @Test func whatTheKernelAddsAndRemovesIsSeenWhenItHappens() async throws {
        let lists = Watched<[[String]]>([])
        let updates = updates()
        let reading = Task {
            for await devices in updates { lists.change { $0.append(devices.map(\.id)) } }
        }
        let first = folder("snd/pcmC0D0c")
        let steps: [() throws -> Void] = [
            {},
            {
                try FileManager.default.createDirectory(atPath: folder("snd"), withIntermediateDirectories: false)
                try Data().write(to: URL(fileURLWithPath: first))
            },
            { try Data().write(to: URL(fileURLWithPath: folder("snd/pcmC1D0c"))) },
            { try FileManager.default.removeItem(atPath: first) },
        ]
        let expected = [[], ["pcmC0D0c"], ["pcmC0D0c", "pcmC1D0c"], ["pcmC1D0c"]]
        for (step, list) in zip(steps, expected) {
            try step()
            #expect(await eventually { lists.value.last == list }, "\(lists.value)")
        }
        reading.cancel()
        await reading.value
    }

    @Test func whoeverIsCancelledWaitsNoLonger() async throws {
        let updates = updates()
        let reading = Task { () -> Int in
            var count = 0
            for await _ in updates { count += 1 }
            return count
        }
        reading.cancel()
        #expect(await reading.value <= 1)
    }
}
