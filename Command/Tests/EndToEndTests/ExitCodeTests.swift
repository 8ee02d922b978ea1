import Foundation
import Testing

@Suite struct ExitCodeTests {
    @Test func theVersionAndTheHelpGoToStandardOutput() async throws {
        let version = try await Program.run(["--version"])
        #expect(version.status == 0)
        #expect(version.output.hasPrefix("dictate 0."))
        let help = try await Program.run(["help", "transcribe"])
        #expect(help.status == 0)
        #expect(help.output.contains("Usage: dictate transcribe FILE… [options]"))
        let same = try await Program.run(["transcribe", "--help"])
        #expect(same.output == help.output)
        #expect(help.errors.isEmpty && version.errors.isEmpty)
    }

    @Test(arguments: [
        [], ["transcribe"], ["transcribe", "a", "--format", "xml"], ["nothing"], ["models"],
        ["transcribe", "-", "-"], ["transcribe", "a", "--grammar", "/nowhere.gram"],
        ["transcribe", "a", "--grammar", "g", "--keyphrase", "k"], ["transcribe", "a", "b", "--format", "srt"],
        ["transcribe", "a", "b", "--format", "vtt", "--output", "/dev/null"],
        ["transcribe", "a", "--engine", "scripted", "--keyphrase", "stop"],
        ["transcribe", "a", "--engine", "pocketsphinx", "--script", "s.json"],
        ["transcribe", "a", "--engine", "pocketsphinx", "--detect-language"],
        ["transcribe", "a", "--script", "/nowhere.json", "--context", "x"],
    ])
    func badUseIsTwo(arguments: [String]) async throws {
        let outcome = try await Program.run(arguments)
        #expect(outcome.status == 2, "\(outcome)")
        #expect(outcome.output.isEmpty)
        #expect(!outcome.errors.isEmpty)
    }

    /// No other file may get the number of a stream that the caller has closed.
    @Test func aClosedStreamIsAnError() async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 1)
        let input = try await Program.bash(#""$dictate" transcribe --engine scripted - <&-"#)
        #expect(input.status == 1 && input.errors.contains("Standard input can't be read"), "\(input)")
        let output = try await Program.bash(#""$dictate" transcribe --engine scripted '\#(tone)' >&-"#)
        #expect(output.status != 0 && !output.errors.isEmpty && output.output.isEmpty, "\(output)")
    }

    @Test func aRecordingWithoutSpeechIsSaidEverywhere() async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 1)
        try Data(#"{ "version": 1, "steps": [] }"#.utf8).write(to: URL(filePath: folder.file("silent.json")))
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'; cp '\(tone)' other.wav
            "$dictate" live --engine scripted --script silent.json --device 'file:\(tone)' --quiet; echo $?
            "$dictate" transcribe --engine scripted --script silent.json '\(tone)' other.wav --output both.txt; echo $?
            """)
        #expect(outcome.output == "0\n0\n", "\(outcome)")
        #expect(outcome.errors.contains("dictate: No speech was found."), "\(outcome)")
        #expect(outcome.errors.contains("other.wav: no speech was found."), "\(outcome)")
    }

    /// The name says nothing, and a link has another one.
    @Test func aRecordingIsNoPlaceForText() async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 1)
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'; cp '\(tone)' precious.wav; cp '\(tone)' plain; ln -s precious.wav talk.txt
            for name in talk.txt plain; do
                "$dictate" transcribe --engine scripted '\(tone)' --output $name; echo $?
            done
            cmp '\(tone)' precious.wav && cmp '\(tone)' plain && echo same
            """)
        #expect(outcome.output == "2\n2\nsame\n", "\(outcome)")
    }

    @Test func standardInputHasItsNameInEachError() async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 2)
        let outcome = try await Program.bash(
            #"head -c 50000 '\#(tone)' | "$dictate" transcribe --engine scripted -"#)
        #expect(outcome.errors.contains("Standard input ends too early"), "\(outcome)")
        #expect(!outcome.errors.contains("/proc/"), "\(outcome)")
    }

    /// The engine of a folder is told by its networks, also when another file is missing.
    @Test func aModelWithoutItsVocabularyIsNamed() async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 1)
        let outcome = try await Program.bash(
            """
            cp "$DICTATION_SHERPA_ONNX"/../moonshine-tiny-en/*.ort '\(folder.path)'
            "$dictate" transcribe '\(tone)' --model '\(folder.path)'
            """)
        #expect(outcome.status == 4 && outcome.errors.contains("tokens.txt can't be opened"), "\(outcome)")
    }

    /// The recovery can be typed.
    @Test func anOptionOfAnotherEngineNamesThatEngine() async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 1)
        let outcome = try await Program.bash(
            """
            model=$DICTATION_SHERPA_ONNX/../moonshine-tiny-en
            "$dictate" transcribe '\(tone)' --engine sherpa-onnx-offline --model "$model" --alternatives 2
            "$dictate" transcribe '\(tone)' --engine scripted --keyphrase stop
            """)
        #expect(
            outcome.errors == """
                dictate: The engine “sherpa-onnx-offline” does not support --alternatives. \
                Leave the option out, or use --engine pocketsphinx without --model.
                dictate: The engine “scripted” does not support --keyphrase. Leave the option out.

                """, "\(outcome)")
        #expect(outcome.status == 2 && outcome.output.isEmpty)
    }

    /// Two seconds of a tone have no text, but the model was loaded and asked.
    @Test(arguments: [("whisper", Int32(0)), ("moonshine", 2)])
    func detectionIsForModelsThatCan(_ model: String, _ status: Int32) async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 2)
        let outcome = try await Program.bash(
            """
            "$dictate" transcribe '\(tone)' --detect-language --model "$DICTATION_SHERPA_ONNX/../generated-models/\(model)"
            """)
        #expect(outcome.status == status, "\(outcome)")
        #expect(outcome.errors.contains("whisper-base") == (status != 0), "\(outcome)")
    }

    /// The engines' threads may still decode, so the end of the program must not take their libraries down.
    @Test func theEndOfTheProgramTearsNoLibraryDown() async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 1)
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'
            cat >torn.c <<'END'
            #include <unistd.h>
            __attribute__((destructor)) static void tear_down(void) { write(2, "torn down\\n", 10); }
            END
            cc -shared -fPIC -o torn.so torn.c
            LD_PRELOAD=$PWD/torn.so /bin/true; echo "status $?"
            for arguments in "transcribe '\(tone)'" "live --device 'file:\(tone)'" "nothing"; do
                eval LD_PRELOAD=$PWD/torn.so "'$dictate'" $arguments --engine scripted >/dev/null; echo "status $?"
            done
            """)
        #expect(outcome.output == "status 0\nstatus 0\nstatus 0\nstatus 2\n", "\(outcome)")
        #expect(outcome.errors.components(separatedBy: "torn down\n").count == 2, "\(outcome)")
    }

    @Test func aLibraryThatCannotBeReadIsNotCalledMissing() async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 1)
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'; touch libsherpa-onnx-c-api.so; chmod 000 libsherpa-onnx-c-api.so
            # Without these capabilities, root may read no more than others.
            limits=; [ "$(id -u)" != 0 ] || limits="setpriv --bounding-set -dac_override,-dac_read_search"
            model=$DICTATION_SHERPA_ONNX/../moonshine-tiny-en
            DICTATION_SHERPA_ONNX=$PWD $limits "$dictate" transcribe '\(tone)' --model "$model"
            """)
        #expect(outcome.status == 4, "\(outcome)")
        #expect(
            outcome.errors.contains(
                "The library \(folder.path)/libsherpa-onnx-c-api.so does not work: it can't be read."),
            "\(outcome)")
    }

    @Test func oneBadFileDoesNotStopTheOthers() async throws {
        let folder = try Folder()
        let good = try folder.tone(seconds: 3)
        let outcome = try await Program.run([
            "transcribe", folder.file("missing.wav"), good, "--script", Program.script,
        ])
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("go forward ten <meters> & {stop}"))
        #expect(outcome.errors.contains("missing.wav"))
        #expect(outcome.errors.contains("Check the path."), "what to do is missing: \(outcome.errors)")
    }

    @Test func noDeviceIsThree() async throws {
        let folder = try Folder()
        let configuration =
            "</usr/share/alsa/alsa.conf>\npcm.first { type null hint { show on description \"first\" } }\n"
        try Data(configuration.utf8).write(to: URL(filePath: folder.file("alsa.conf")))
        let outcome = try await Program.run(
            ["live", "--script", Program.script, "--device", "no-such-device", "--for", "1"],
            environment: ["ALSA_CONFIG_PATH": folder.file("alsa.conf")])
        #expect(outcome.status == 3, "\(outcome)")
        #expect(outcome.errors.contains("no-such-device") && outcome.errors.contains("“dictate devices” lists"))
        #expect(outcome.errors.contains(/Choose one of: .*first/), "what to do is missing: \(outcome)")
    }

    @Test(arguments: [
        ["transcribe", "a.wav", "--locale", "tlh"], ["transcribe", "a.wav", "--model", "/nowhere"],
        ["live", "--locale", "tlh", "--for", "1"], ["models", "verify", "no-such-model"],
        ["models", "install", "no-such-model"], ["models", "remove", "no-such-model"],
    ])
    func noModelIsFour(arguments: [String]) async throws {
        let folder = try Folder()
        let outcome = try await Program.run(
            arguments, environment: ["XDG_DATA_HOME": folder.path, "XDG_DATA_DIRS": folder.path])
        #expect(outcome.status == 4, "\(outcome)")
        #expect(outcome.errors.split(separator: " ").count > 8, "what to do is missing: \(outcome.errors)")
    }

    /// The doctor reports a missing part and the advice for it.
    @Test(arguments: [(["--locale", "tlh"], 4), (["--model", "/nowhere"], 4), (["--device", "no-such-device"], 3)])
    func theDoctorSaysWhatToDo(arguments: [String], status: Int) async throws {
        let outcome = try await Program.run(["doctor"] + arguments)
        #expect(Int(outcome.status) == status, "\(outcome)")
        let lines = outcome.output.split(separator: "\n")
        let failures = lines.indices.filter { lines[$0].contains("✘") }
        #expect(!failures.isEmpty)
        for failure in failures {
            #expect(lines.dropFirst(failure + 1).first?.contains("→") == true, "\(outcome.output)")
        }
        if arguments.contains("tlh") {
            #expect(outcome.output.contains(/→ There are models for .*en-US.*: choose with --locale\./), "\(outcome)")
        }
    }

    /// The advice is for the user of the command, and nothing appears twice.
    @Test func whatIsNoRecordingIsToldOfOnce() async throws {
        let folder = try Folder()
        try Data().write(to: URL(filePath: folder.file("empty.wav")))
        for name in ["a.m4a", "a.raw"] { try Data("ftypM4A none".utf8).write(to: URL(filePath: folder.file(name))) }
        let cases: [(arguments: String, says: String)] = [
            ("empty.wav", "dictate: “empty.wav” is empty. "),
            ("a.m4a", "“a.m4a” is not a recording that can be read. Check that it plays, or get it again. (ff"),
            (
                "a.raw",
                "“a.raw” is not a recording that can be read. Check that it plays, or get it again. Raw samples need a header: "
                    + "“ffmpeg -f s16le "
            ),
            ("https://a.org/a.mp3", "Download the recording first: only files are read."),
            ("- <empty.wav", "dictate: Standard input is empty. "),
            (
                "- <a.m4a",
                "dictate: Standard input is not a recording that can be read. Check that it plays, or get it again. Raw "
            ),
            (
                "missing.wav",
                "dictate: Can't open “missing.wav”: No such file or directory. Check the path. (errno 2)\n"
            ),
            ("pipe", "Pass it as standard input: dictate transcribe - <pipe"),
            (".", "Name the recordings in the folder."),
        ]
        let live = cases.filter { !$0.arguments.hasPrefix("-") && $0.arguments.count > 1 }.map {
            ("live --device file:\($0.arguments)", $0.says)
        }
        for (arguments, says) in cases.map({ ("transcribe \($0.arguments)", $0.says) }) + live {
            let outcome = try await Program.bash(
                """
                cd '\(folder.path)'; [ -p pipe ] || mkfifo pipe
                "$dictate" \(arguments) --engine scripted
                """)
            #expect(outcome.status == 1 && outcome.errors.contains(says), "\(outcome)")
            #expect(!outcome.errors.contains("raw:") && !outcome.errors.contains("dictate-"), "\(outcome)")
            let name = arguments.split(separator: " ").last?.trimmingPrefix("file:") ?? ""
            if name.count > 1, !name.hasPrefix("<") {
                #expect(outcome.errors.components(separatedBy: "“\(name)”").count == 2, "\(outcome)")
                #expect(!outcome.errors.contains("\(name): "), "\(outcome)")
            }
        }
    }

    @Test func theRootHelpLeadsOn() async throws {
        let help = try await Program.run(["help"])
        for words in ["--version", "--help", "dictate help COMMAND"] { #expect(help.output.contains(words), "\(help)") }
        for (arguments, same) in [
            (["models", "help"], ["help", "models"]), (["models", "help", "list"], ["help", "models", "list"]),
        ] {
            let outcome = try await Program.run(arguments)
            let other = try await Program.run(same)
            #expect(outcome.status == 0 && outcome.output == other.output && !other.output.isEmpty, "\(outcome)")
        }
    }

    /// The error names the locales with a model, and says how to install a model for the missing locale, if there is
    /// one.
    @Test(arguments: [
        (["--locale", "eo"], "No model for eo is known.", ["for en-US: choose"]),
        (["--locale", "en-NZ"], "No model for en-NZ is", ["for en-US: choose", "one for en-NZ with"]),
        (["--locale", "de-DE"], "No model for de-DE is", ["for en-US: choose", "one for de-DE with"]),
        (["--locale", "french"], "No model for french is", ["for en-US: choose"]),
        (["--locale", "fr-FR"], "No model for fr-FR is", ["for en-US: choose", "one for fr-FR with"]),
        (
            ["--locale", "fr-FR", "--engine", "pocketsphinx"], "No model of pocketsphinx for fr-FR is",
            ["“dictate setup --locale fr-FR --engine pocketsphinx”"]
        ),
        (
            ["--locale", "fr-FR", "--model", "/usr/share/pocketsphinx/model/en-us"], "is for en-US, not for fr-FR",
            ["--locale en-US"]
        ),
    ])
    func aLocaleWithoutAModelIsToldOf(arguments: [String], problem: String, advice: [String]) async throws {
        let folder = try Folder()
        let outcome = try await Program.run(
            ["transcribe", try folder.tone(seconds: 1)] + arguments,
            environment: ["XDG_DATA_HOME": folder.path, "XDG_DATA_DIRS": folder.path])
        #expect(outcome.status == 4 && outcome.output.isEmpty, "\(outcome)")
        #expect(outcome.errors.contains(problem), "\(outcome)")
        for words in advice { #expect(outcome.errors.contains(words), "\(outcome)") }
        if !arguments.contains("--engine") { #expect(!outcome.errors.contains("model of")) }
        if problem.contains("known"), advice.count == 1 { #expect(!outcome.errors.contains("nstall"), "\(outcome)") }
    }

    @Test func aLanguageAloneGetsAnInstalledModelOfAnyRegion() async throws {
        let folder = try Folder()
        let outcome = try await Program.run(
            ["transcribe", try folder.tone(seconds: 1), "--locale", "en", "--format", "json"],
            environment: ["XDG_DATA_HOME": folder.path, "XDG_DATA_DIRS": folder.path])
        #expect(outcome.status == 0 && outcome.output.contains("\"locale\":\"en-US\""), "\(outcome)")
    }

    /// A library that comes first tells which files the engine opens.
    @Test func aWrongPathIsFoundBeforeTheModelIsLoaded() async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 1)
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'
            cat >opened.c <<'END'
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <stdio.h>
            FILE *fopen(const char *path, const char *mode) {
                dprintf(2, "opens %s\\n", path);
                return ((FILE *(*)(const char *, const char *))dlsym(RTLD_NEXT, "fopen"))(path, mode);
            }
            END
            cc -shared -fPIC -o opened.so opened.c
            for file in nofile.wav '\(tone)'; do
                LD_PRELOAD=$PWD/opened.so "$dictate" transcribe $file --engine pocketsphinx --in-process 2>errors
                echo "status $?, mdef $(grep -c 'opens .*mdef' errors)"; grep -v opens errors >&2
            done
            """)
        #expect(outcome.output.hasPrefix("status 1, mdef 0\nstatus 0, mdef "), "\(outcome)")
        #expect(!outcome.output.hasSuffix(" 0\n") && outcome.errors.contains("nofile.wav"), "\(outcome)")
    }

    @Test(arguments: [("INT", 130), ("TERM", 130), ("HUP", 130)])
    func anInterruptIs130AndKeepsTheText(signal: String, status: Int32) async throws {
        let outcome = try await Program.bash(
            """
            folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
            printf '{"version":1,"steps":[{"at":0.5,"final":"said"},{"at":1,"stall":60}]}' >"$folder/s.json"
            head -c 320000 /dev/zero >"$folder/zeros"
            sox -t raw -r 16000 -e signed -b 16 -c 1 "$folder/zeros" "$folder/a.wav"
            set -m  # without job control, bash makes background programs ignore SIGINT
            "$dictate" transcribe "$folder/a.wav" --script "$folder/s.json" >"$folder/out" &
            for _ in $(seq 600); do grep -q said "$folder/out" && break; sleep 0.05; done
            kill -\(signal) $!
            wait $!; status=$?
            cat "$folder/out"
            exit $status
            """)
        #expect(outcome.status == status, "\(outcome)")
        #expect(outcome.output == "said\n")
    }
}
