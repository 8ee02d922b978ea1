import DictateCommand
import Glibc

@main
struct Dictate {
    static func main() async {
        exit(await DictateCommand.run(Array(CommandLine.arguments.dropFirst())))
    }
}
