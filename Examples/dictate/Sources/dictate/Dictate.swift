import DictateCommand
import Glibc

@main
struct Dictate {
    // On the first thread, so that the signals are blocked there and in all that come after it.
    @MainActor static func main() async {
        exit(await DictateCommand.run(Array(CommandLine.arguments.dropFirst())))
    }
}
