import DictationCore
import DictationService

extension Command {
    static let status: Command = Command(
        name: "status", abstract: "Print what the service does.",
        discussion: "With --follow it never ends, and waits for a service that isn't running.",
        flags: [Options.followStatus, Options.json], options: [Options.statusFormat.spec, Options.socket.spec]
    ) { invocation, console in
        let format = try invocation.value(Options.statusFormat) ?? (invocation.has(Options.json) ? .json : .text)
        let client = try ServiceClient(invocation, console)
        var shown: String?
        func show(_ status: ServiceStatus?) throws(OutputError) {
            let line = StatusLine(status).text(format)
            guard line != shown else { return }
            shown = line
            try console.output.write(line + "\n")
        }
        guard invocation.has(Options.followStatus) else {
            try show(try await client.statusIfRunning())
            return .done
        }
        while true {
            do {
                for try await status in try await client.client.statusUpdates() { try show(status) }
            } catch let error as DictationError where error.code == .notRunning {
                try show(nil)
            }
            // Nothing tells of a service that starts.
            try await DictationRuntime.current.sleep(.seconds(1))
        }
    }
}
