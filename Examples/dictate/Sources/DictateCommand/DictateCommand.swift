import DictationCore
import DictationEngines
import Glibc

/// The command `dictate`, as a library: arguments in, exit code out.
public enum DictateCommand {
    /// The version of the command.
    public static let version = "0.1.0"

    static let root: Command = Command(
        name: "dictate",
        abstract: "Speech to text, from a microphone or from recordings.",
        discussion: "'dictate help COMMAND' describes a command.", flags: [.version],
        subcommands: [.setup, .transcribe, .live, .devices, .doctor, .models, .completions, .manual, .help])

    /// Runs the command and ends the program. Call it on the first thread, before any other starts.
    ///
    /// The first thread only waits: an asynchronous main function would give it to the runtime, where signals end the
    /// program.
    public static func main(_ arguments: [String]) -> Never {
        DictationHost.runIfAsked()
        // A core file would contain what was said.
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        let console = Console(signals: Signals())
        DictationRuntime.current.task { exit(await perform(arguments, console).rawValue) }
        while true { pause() }
    }

    private static func perform(_ arguments: [String], _ console: Console) async -> ExitCode {
        do throws(any Error) {
            if arguments == ["--version"] {
                try console.output.write("dictate \(version)\n")
                return .done
            }
            if arguments.isEmpty {
                console.say(HelpText(command: root, path: "").text)
                return .badUse
            }
            let (command, invocation) = try root.parse(arguments)
            if invocation.has(.help) {
                try console.output.write(HelpText(command: command, path: invocation.path).text)
                return .done
            }
            guard let run = command.run else { return .badUse }
            return try await run(invocation, console)
        } catch let error as UsageError {
            console.say("dictate: " + error.text)
            return .badUse
        } catch let error as DictationError {
            console.complain(error)
            return ExitCode(error)
        } catch OutputError.closed {
            return .done
        } catch let error as OutputError {
            console.complain(error.text)
            return .someFailed
        } catch {
            console.complain("\(error)")
            return .someFailed
        }
    }
}
