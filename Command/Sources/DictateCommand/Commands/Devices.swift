import DictationCapture
import DictationCore
import DictationText

extension Command {
    static let devices: Command = Command(
        name: "devices", abstract: "List the microphones.",
        discussion: "* marks the default. With --follow, + and - mark microphones that come and go.",
        flags: [Options.follow], options: [Options.listFormat.spec]
    ) { invocation, console in
        let isJSON = try invocation.value(Options.listFormat) == .json
        let capturer = ALSACapturer()
        var known = try await capturer.devices()
        try console.output.write(isJSON ? DeviceList(known).json : DeviceList(known).text)
        guard invocation.has(Options.follow) else {
            guard known.isEmpty else { return .done }
            console.complain("No microphone was found. Plug one in, or start the sound server.")
            return .noDevice
        }
        // Two sound servers and the kernel each report changes differently; polling every second sees all.
        let runtime = DictationRuntime.current
        while true {
            try await runtime.sleep(.seconds(1))
            let now = try await capturer.devices()
            guard now != known else { continue }
            try console.output.write(isJSON ? DeviceList(now).json : DeviceList(now).changes(since: known))
            known = now
        }
    }
}

/// Microphones as text or JSON.
struct DeviceList {
    let devices: [AudioDevice]

    init(_ devices: [AudioDevice]) { self.devices = devices }

    var text: String { devices.map { line($0.isDefault ? "*" : " ", $0) }.joined() }

    var json: String { JSONWriter.encode(Document(devices: devices)) + "\n" }

    func changes(since before: [AudioDevice]) -> String {
        let gone = before.filter { old in !devices.contains { $0.id == old.id } }
        let new = devices.filter { device in !before.contains { $0.id == device.id } }
        let isOtherDefault = devices.first(where: \.isDefault)?.id != before.first(where: \.isDefault)?.id
        let chosen = isOtherDefault ? devices.filter(\.isDefault) : []
        return gone.map { line("-", $0) }.joined() + new.map { line("+", $0) }.joined()
            + chosen.map { line("*", $0) }.joined()
    }

    private func line(_ mark: String, _ device: AudioDevice) -> String {
        "\(mark) \(device.id.visible)\t\(device.name.visible)\n"
    }

    private struct Document: Encodable {
        var version = 1
        var devices: [AudioDevice]
    }
}
