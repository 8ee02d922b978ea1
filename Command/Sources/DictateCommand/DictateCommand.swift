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
        discussion: "“dictate help COMMAND” describes a command.", flags: [.version],
        subcommands: [
            .setup, .transcribe, .batch, .live, .start, .stop, .toggle, .cancel, .pause, .resume, .hold, .shortcut,
            .keyboard, .last, .insertLast, .status, .captions, .service, .settings, .serve,
            .devices, .doctor, .models, .completions, .manual, .help,
        ])

    /// Runs the command and ends the program. Call it on the first thread, before any other starts.
    ///
    /// The first thread only waits: an asynchronous main function would give it to the runtime, where signals end the
    /// program.
    public static func main(_ arguments: [String]) -> Never {
        reserveStandardStreams()
        DictationHelper.runIfAsked()
        // A core file would contain what was said.
        DictationHelper.keepMemoryPrivate()
        // Libraries would write the keys of encrypted connections there. Nothing else runs yet that reads the environment.
        unsetenv("SSLKEYLOGFILE")
        let console = Console(signals: Signals())
        // `exit` would take libraries down while their threads still decode. Nothing of the command waits for it: each
        // write is unbuffered.
        DictationRuntime.current.task { _exit(await perform(arguments, console).rawValue) }
        while true { pause() }
    }

    /// Opens each standard stream that the caller has closed, so that no other file gets its number and takes what is
    /// printed. Reading and writing stay errors.
    private static func reserveStandardStreams() {
        for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) < 0 {
            _ = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Whether an argument had bytes that are no text. Swift replaces them, so that the file can't be found.
    private static func isDamaged(_ argument: String) -> Bool {
        argument.unicodeScalars.contains("\u{FFFD}") && access(argument, F_OK) != 0
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
            if let name = arguments.first(where: isDamaged) {
                throw UsageError(
                    "The name “\(name)” is not text in UTF-8. Rename the file, or pass it as standard input.")
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
