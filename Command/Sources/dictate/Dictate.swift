import DictateCommand

@main
struct Dictate {
    static func main() { DictateCommand.main(Array(CommandLine.arguments.dropFirst())) }
}
