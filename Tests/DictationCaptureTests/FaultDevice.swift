import Foundation
import Testing

/// A configuration of libasound with a device that fails on demand; `Tests/CFaultPCM/fault.c` says how.
struct FaultDevice {
    static let name = "fault"
    let configuration: String

    /// Builds the device's plug-in and writes the configuration into a folder.
    init(
        in folder: TemporaryFolder, _ file: String = "alsa.conf", fault: String = "", where place: String = "transfer",
        after: Int = 16_000, times: Int = 1, pause: Int = 0, more: String = ""
    ) async throws {
        let library = folder("libfault.so")
        if !FileManager.default.fileExists(atPath: library) {
            let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .appendingPathComponent("CFaultPCM/fault.c").path
            let compiler = try Child("cc", ["-shared", "-fPIC", "-DPIC", "-O1", "-o", library, source, "-lasound"])
            let output = await compiler.end()
            try #require(compiler.exitCode == 0, "\(output ?? []); install build-essential and libasound2-dev")
        }
        configuration = folder(file)
        let device = """
            {
                type fault
                id "\(folder(file).suffix(40))"
                fault "\(fault)"
                where "\(place)"
                after \(after)
                times \(times)
                pause \(pause)
                \(more)
                hint { show on description "A device that fails" }
            }
            """
        let text = "pcm_type.fault { lib \"\(library)\" }\npcm.\(Self.name) \(device)\npcm.!default \(device)\n"
        try text.write(toFile: configuration, atomically: true, encoding: .utf8)
    }
}
