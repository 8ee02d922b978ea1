import DictationCore
import DictationSystem
import Glibc

/// Where ibus-daemon can be reached.
enum IBusAddress {
    /// Returns the address, which changes whenever the daemon is started; `nil` if there is no daemon.
    static func current(_ environment: (String) -> String? = variable) -> String? {
        if let address = environment("IBUS_ADDRESS"), !address.isEmpty { return address }
        guard let path = file(environment), let content = text(of: path) else { return nil }
        return address(in: content) { kill($0, 0) == 0 || errno == EPERM }
    }

    /// Returns the address in a daemon's file, if the daemon still runs.
    static func address(in content: String, isRunning: (pid_t) -> Bool) -> String? {
        var values: [Substring: Substring] = [:]
        for line in content.split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { values[parts[0]] = parts[1] }
        }
        guard let address = values["IBUS_ADDRESS"], let number = values["IBUS_DAEMON_PID"], let process = pid_t(number),
            process > 0, isRunning(process)
        else { return nil }
        return String(address)
    }

    /// The daemon writes its address into a file that is named after the machine and the screen.
    static func file(_ environment: (String) -> String?) -> String? {
        if let path = environment("IBUS_ADDRESS_FILE"), !path.isEmpty { return path }
        let machine = ["/var/lib/dbus/machine-id", "/etc/machine-id"].lazy.compactMap { text(of: $0) }.first
        guard let machine = machine?.split(separator: "\n").first, let screen = screen(environment) else { return nil }
        let folder =
            environment("XDG_CONFIG_HOME").flatMap { $0.isEmpty ? nil : $0 }
            ?? environment("HOME").map { $0 + "/.config" }
        return folder.map { "\($0)/ibus/bus/\(machine)-\(screen)" }
    }

    private static func screen(_ environment: (String) -> String?) -> String? {
        if let display = environment("WAYLAND_DISPLAY"), !display.isEmpty { return "unix-" + display }
        guard let display = environment("DISPLAY") else { return nil }
        let parts = display.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let number = parts[1].split(separator: ".").first else { return nil }
        return (parts[0].isEmpty ? "unix" : String(parts[0])) + "-" + number
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    private static func text(of path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var block = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&block, 1, block.count, file)
        return String(decoding: block[..<count], as: UTF8.self)
    }
}
