import DictationCore
import Testing

@testable import DictateCommand

@Suite struct ArgumentTests {
    private func invocation(_ line: String) throws -> Invocation {
        try DictateCommand.root.parse(line.split(separator: " ").map(String.init)).1
    }

    @Test func valuesComeAfterASpaceOrAnEqualsSign() throws {
        let first = try invocation("transcribe a.wav --format json --jobs=3 -- --b.wav")
        #expect(first.operands == ["a.wav", "--b.wav"])
        #expect(try first.value(Options.format) == .json)
        #expect(try first.value(Options.jobs) == 3)
        #expect(!first.has(Options.words))
        let second = try invocation("transcribe - --context one --words --context=two")
        #expect(try second.values(Options.context) == ["one", "two"])
        #expect(second.has(Options.words))
        #expect(second.operands == ["-"])
        // A number is no option.
        #expect(try invocation("settings set input.gain -5").operands == ["input.gain", "-5"])
    }

    @Test(arguments: [
        ("transcribe", "needs FILE"),
        ("transcribe a --format", "--format needs a value: --format FORMAT"),
        ("transcribe a --format --words", "--format needs a value"),
        (
            "transcribe a --format xml",
            "“xml” is not a value of --format, which needs one of text, json, srt, vtt, html"
        ),
        ("transcribe a --fromat json", "no option --fromat. Did you mean --format?"),
        ("transcribe a --words=yes", "--words takes no value"),
        ("transcribe a --jobs 0", "a number from 1 to 256"),
        ("transcribe a --jobs 2 --jobs 3", "--jobs is given twice"),
        ("transcribe a -x", "no option -x"),
        ("transcribe a --locale en_", "a language tag"),
        ("transcribe a --model=", "some text"),
        ("trancribe a", "no command “trancribe”. Did you mean “transcribe”?"),
        ("--verison", "no option “--verison”. Did you mean “--version”?"),
        ("version", "no command “version”. Did you mean “--version”?"),
        ("models help nothing", "no command “nothing”"),
        ("--verbose", "no option “--verbose”"),
        ("live now", "takes no argument “now”"),
        ("live --for 0", "a number of seconds"),
        ("live --for nan", "a number of seconds"),
        ("live --until-silence -1", "a number of seconds"),
        ("models", "needs one of: list | install | verify | remove"),
        ("models instal x", "Did you mean “install”?"),
        ("models verify", "needs MODEL"),
        ("completions", "needs SHELL"),
    ])
    func badUseIsToldApart(line: String, message: String) {
        let error = #expect(throws: UsageError.self) { try invocation(line) }
        #expect(error?.text.contains(message) == true, "\(error?.text ?? "")")
        #expect(error?.text.contains("See “dictate help") == true)
    }

    @Test(
        arguments: [
            (DictationError.Code.permissionDenied, 3), (.deviceNotFound, 3), (.deviceUnavailable, 3), (.deviceLost, 3),
            (.modelNotInstalled, 4), (.unknownModel, 4), (.modelInvalid, 4), (.modelUnpinned, 4),
            (.unsupportedLocale, 4),
            (.notBuilt, 4), (.libraryNotInstalled, 4), (.libraryInvalid, 4),
            (.unsupportedOption, 2), (.invalidInput, 2), (.engineFailed, 1), (.fileUnreadable, 1), (.storageFull, 1),
        ] as [(DictationError.Code, Int32)]) func eachErrorHasItsExitCode(code: DictationError.Code, status: Int32)
    {
        #expect(ExitCode(DictationError(code, "")).rawValue == status)
    }

    @Test func helpNamesEveryOption() {
        for (path, command) in DictateCommand.root.all() where command.subcommands.isEmpty {
            let text = HelpText(command: command, path: path.joined(separator: " ")).text
            for spec in command.specs { #expect(text.contains(HelpText.name(of: spec)), "\(path)") }
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 }, "\(text)")
        }
    }

    @Test func everyOptionHasOneMeaning() {
        for (path, command) in DictateCommand.root.all() {
            let names = command.specs.map(\.name)
            #expect(Set(names).count == names.count, "\(path)")
        }
    }
}
