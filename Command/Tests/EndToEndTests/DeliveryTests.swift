import Foundation
import Testing

/// A service that delivers the texts of its takes, as its settings say.
@Suite struct DeliveryTests {
    /// Runs bash lines beside a service with settings, in a folder of its own.
    private func beside(_ settings: String, _ lines: String) async throws -> Outcome {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 60)
        return try await Program.bash(
            """
            cd '\(folder.path)'; export XDG_RUNTIME_DIR=$PWD/run XDG_STATE_HOME=$PWD/state XDG_CONFIG_HOME=$PWD; mkdir run
            unset DISPLAY WAYLAND_DISPLAY; mkdir dictation; cat >dictation/settings.json5 <<'END'
            \(settings)
            END
            wait_for() { for _ in $(seq 600); do "$dictate" status | grep -q "$1" && return; sleep 0.05; done; false; }
            "$dictate" service --engine scripted --device 'file:\(tone)' >service.out 2>>service.log & service=$!
            trap 'kill -KILL $service 2>/dev/null' EXIT
            wait_for idle
            \(lines)
            """, within: 120)
    }

    @Test func aTextGoesToTheFirstDestinationThatTakesIt() async throws {
        let outcome = try await beside(
            """
            { deliver: { to: ["wtype", "xdotool", "file", "clipboard"], file: "notes" }, profiles: {
                script: { destination: "mail", deliver: {
                    to: ["command"], command: ["sh", "-c", "echo $DICTATION_PROFILE $DICTATION_DESTINATION: $(cat) >>script"] } },
                print: { deliver: { to: ["output"] } } } }
            """,
            """
            take() { "$dictate" start "$@"; wait_for 'recording.*one two'; "$dictate" stop; }
            take >text; [ "$(cat text)" = "$(cat dictation/notes)" ]; echo "file $?"
            "$dictate" insert-last; [ $(wc -l <dictation/notes) = 2 ]; echo "again $?"
            take --profile script >text; [ "script mail: $(cat text)" = "$(cat script)" ]; echo "command $?"
            take --profile print >text; cmp text service.out; echo "output $?"
            "$dictate" status --json | jq -c '.status.delivery | [.take, .attempts]'
            """)
        #expect(
            outcome.output == """
                file 0
                again 0
                command 0
                output 0
                [3,[{"destination":"output","outcome":"delivered"}]]

                """, "\(outcome)")
        #expect(outcome.errors.isEmpty, "\(outcome)")
    }

    @Test func aTextThatDidNotArriveIsKeptAndItsReasonTold() async throws {
        let outcome = try await beside(
            #"{ deliver: { to: ["xdotool", "command"], command: ["false"] } }"#,
            """
            "$dictate" toggle; wait_for 'recording.*one two'; text=$("$dictate" toggle); echo "status $?"
            [ "$text" = "$("$dictate" last)" ]; echo "kept $?"
            "$dictate" insert-last; echo "status $?"; cp dictation/settings.json5 before
            "$dictate" settings set deliver.to '["file"]'; echo "status $?"
            "$dictate" settings set deliver.pasteKeys 'strg+v'; echo "status $?"
            cmp before dictation/settings.json5; echo "same $?"
            """)
        #expect(outcome.output == "status 1\nkept 0\nstatus 1\nstatus 2\nstatus 2\nsame 0\n", "\(outcome)")
        #expect(outcome.errors.contains("xdotool: ") && outcome.errors.contains("insert-last"), "\(outcome)")
    }

    @Test func theDoctorTellsWhereTextCanGo() async throws {
        let outcome = try await beside(
            #"{ deliver: { to: ["output", "xdotool"] } }"#,
            """
            "$dictate" doctor --device no-such-device | sed -n '/^Destinations/,$p'
            "$dictate" doctor --type </dev/null; echo "status $?"
            """)
        #expect(outcome.output.contains("✘ xdotool: "), "\(outcome)")
        #expect(
            outcome.output.contains("✔ output\n") && outcome.output.contains("to output, then xdotool."), "\(outcome)")
        // What nobody has asked for is no fault.
        #expect(outcome.output.count { $0 == "✘" } == 1, "\(outcome)")
        #expect(outcome.output.contains("    keyboard, wtype, paste, clipboard: only in a desktop"), "\(outcome)")
        #expect(outcome.output.hasSuffix("status 2\n") && outcome.errors.contains("terminal"), "\(outcome)")
    }
}

/// Text that is typed into the window of a terminal.
@Suite struct DeliveryProofTests {
    @Test func theDoctorTypesIntoItsTerminalAndSeesWhatArrives() async throws {
        let folder = try Folder()
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'; export HOME=$PWD XDG_CONFIG_HOME=$PWD GDK_BACKEND=x11 NO_AT_BRIDGE=1 LC_ALL=C.UTF-8
            export GTK_IM_MODULE=gtk-im-context-simple; unset WAYLAND_DISPLAY
            mkfifo number; Xvfb -displayfd 3 -nolisten tcp -noreset 3>number 2>/dev/null & trap "kill -KILL $!" EXIT
            export DISPLAY=:$(head -n 1 number)
            /usr/bin/python3 "$fixtures/typed-terminal.py" "$dictate" doctor --type; echo "status $?"
            """, within: 120)
        #expect(outcome.output.contains("✔ xdotool: the text arrived."), "\(outcome)")
        #expect(outcome.output.contains("✘ wtype: ") && outcome.output.hasSuffix("status 0\n"), "\(outcome)")
    }
}
