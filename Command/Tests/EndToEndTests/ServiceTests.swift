import Foundation
import Testing

/// Tests of the service and of the commands that talk to it. The microphone is a recording, and the engine counts.
@Suite struct ServiceTests {
    /// Runs bash lines beside a service in a folder of its own. `wait_for WORD` waits until the status has a word.
    private func beside(
        _ lines: String, options: String = "--engine scripted", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Outcome {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 60)
        return try await Program.bash(
            """
            cd '\(folder.path)'; export XDG_RUNTIME_DIR=$PWD/run XDG_STATE_HOME=$PWD/state; mkdir run
            wait_for() { for _ in $(seq 600); do "$dictate" status | grep -q "$1" && return; sleep 0.05; done; false; }
            serve() { "$dictate" service \(options) --device 'file:\(tone)' 2>>service.log & service=$!; wait_for idle; }
            trap 'kill -KILL $service 2>/dev/null' EXIT
            serve
            \(lines)
            """, within: 120)
    }

    @Test func aKeyStartsAndStopsATakeAndTheTextComesBack() async throws {
        let outcome = try await beside(
            """
            "$dictate" toggle; echo "status $?"
            wait_for 'recording.*one two three'
            text=$("$dictate" toggle); echo "status $?"
            [[ $text == 'one two three'* ]] && [ "$text" = "$("$dictate" last)" ]; echo "same $?"
            "$dictate" stop; echo "status $?"
            "$dictate" cancel; "$dictate" pause; "$dictate" resume; echo "status $?"
            "$dictate" status | cut -f 1
            """)
        #expect(
            outcome.output == "status 0\nstatus 0\nsame 0\nstatus 1\nstatus 0\nidle\n", "\(outcome)")
        #expect(
            outcome.errors
                == "dictate: There is no take to stop. If a service ended during one, “dictate last” prints its text.\n"
        )
    }

    /// `Scripts/bench toggle` measures it; this only finds an answer that waits for something.
    @Test func aServiceThatIsReadyAnswersAKeyAtOnce() async throws {
        let outcome = try await beside(
            """
            for _ in $(seq 11); do
                began=$(date +%s%N); "$dictate" toggle; ended=$(date +%s%N)
                echo $(((ended - began) / 1000000)); "$dictate" cancel
            done | sort -n | sed -n 6p
            """)
        let median = try #require(Int(outcome.output.dropLast()), "\(outcome)")
        #expect(median < 1_000, "\(median) ms")
    }

    @Test func theAnswersAreJSON() async throws {
        let outcome = try await beside(
            """
            "$dictate" start --json; "$dictate" pause --json; "$dictate" cancel --json; "$dictate" cancel --json
            "$dictate" start; wait_for 'recording.*one'; "$dictate" stop --json | jq -c '[.answer, .take, .isComplete, .text[:3]]'
            "$dictate" status --json | jq -c '[.version, .state, .status.engine]'
            """)
        #expect(
            outcome.output == """
                {"answer":"recording","take":1}
                {"answer":"paused","take":1}
                {"answer":"cancelled","take":1}
                {"answer":"nothing"}
                ["text",2,true,"one"]
                [1,"idle","scripted"]

                """, "\(outcome)")
    }

    @Test func aHoldEndsWithItsInputOrItsProgram() async throws {
        let outcome = try await beside(
            """
            { wait_for 'recording.*one'; } | "$dictate" hold | cut -c 1-3
            "$dictate" status | cut -f 1
            "$dictate" hold & holder=$!
            wait_for 'recording.*one'; kill -KILL $holder; wait_for idle
            "$dictate" stop; echo "status $?"
            "$dictate" last | cut -c 1-3
            "$dictate" hold >held & holder=$!
            wait_for 'recording.*one'; kill -TERM $holder; wait $holder; echo "status $?"
            cut -c 1-3 held
            "$dictate" start; "$dictate" hold; echo "status $?"
            """)
        #expect(outcome.output == "one\nidle\nstatus 1\none\nstatus 0\none\nstatus 1\n", "\(outcome)")
        #expect(outcome.errors.contains("can't be held"), "\(outcome)")
    }

    @Test func aTextThatIsNotInTheJournalIsSaid() async throws {
        let outcome = try await beside(
            """
            mkdir -p state/dictation/journal.jsonl; serve
            "$dictate" start; wait_for 'recording.*one'; "$dictate" stop >text; echo "status $?"; cut -c 1-3 text
            """)
        #expect(outcome.output == "status 0\none\n", "\(outcome)")
        #expect(outcome.errors.contains("The text is not in the journal."), "\(outcome)")
    }

    @Test func aServiceThatEndsKeepsTheTextForTheNext() async throws {
        let outcome = try await beside(
            """
            "$dictate" service --engine scripted; echo "status $?"
            "$dictate" start; wait_for 'recording.*one'; kill -TERM $service; wait $service; echo "status $?"
            "$dictate" status; "$dictate" stop; echo "status $?"
            serve
            "$dictate" last | cut -c 1-3
            stat -c %a state/dictation/journal.jsonl run/dictation run/dictation/socket
            [ "$(cat run/dictation/lock)" = $service ] && echo "the lock names it"
            """)
        #expect(
            outcome.output == """
                status 1
                status 0
                stopped
                status 1
                one
                600
                700
                600
                the lock names it

                """, "\(outcome)")
        #expect(outcome.errors.contains("Another dictation service is running"), "\(outcome)")
    }

    /// The audio of a killed service becomes text when the next one starts.
    @Test func aServiceThatIsKilledLosesNothingThatWasSaid() async throws {
        let outcome = try await beside(
            """
            "$dictate" start; wait_for 'recording.*one two three'; kill -KILL $service; wait $service
            serve
            for _ in $(seq 200); do "$dictate" last 2>/dev/null | grep -q one && break; sleep 0.05; done
            "$dictate" last | cut -c 1-13
            ls state/dictation/audio | wc -l
            """)
        #expect(outcome.output == "one two three\n0\n", "\(outcome)")
    }

    @Test func aBarIsToldOfEachChange() async throws {
        let outcome = try await beside(
            """
            "$dictate" status --follow --format waybar >bar & bar=$!
            "$dictate" status --follow --format text >words & words=$!
            for _ in $(seq 200); do [ -s bar ] && [ -s words ] && break; sleep 0.05; done
            "$dictate" start; wait_for 'recording.*two'; "$dictate" stop >/dev/null
            for _ in $(seq 200); do tail -n 1 bar | grep -q idle && break; sleep 0.05; done
            kill $service; wait $service
            for _ in $(seq 200); do tail -n 1 bar | grep -q stopped && grep -q stopped words && break; sleep 0.05; done
            kill -TERM $bar $words; wait $bar; echo "status $?"
            jq -r .class bar | uniq
            jq -er 'select(.tooltip | contains("two")) | .alt' bar | head -n 1
            cut -f 1 words | uniq
            """)
        let words = outcome.output.split(separator: "\n").map(String.init)
        try #require(words.first == "status 143", "\(outcome)")
        #expect(words.contains("recording") && words.filter { $0 == "stopped" }.count == 2, "\(outcome)")
        #expect(words.dropFirst().first == "idle" && words.last == "stopped", "\(outcome)")
    }

    @Test func commandsWithoutAServiceSaySo() async throws {
        let folder = try Folder()
        let outcome = try await Program.bash(
            """
            for verb in stop cancel pause resume status; do "$dictate" $verb --socket '\(folder.path)/run/socket'; echo $?; done
            "$dictate" status --socket no/path; echo $?
            ls '\(folder.path)'
            """)
        #expect(outcome.output == "1\n0\n0\n0\nstopped\n0\n2\n", "\(outcome)")
        #expect(outcome.errors.contains("can't be the path of a socket"), "\(outcome)")
    }

    /// A service that can't start says why, with the exit code of its reason.
    @Test func aServiceThatCannotStartIsAnErrorOfTheCommand() async throws {
        let folder = try Folder()
        let outcome = try await Program.bash(
            """
            mkdir '\(folder.path)/dictation'; chmod 700 '\(folder.path)/dictation'
            exec 9>'\(folder.path)/dictation/lock'; flock 9
            XDG_RUNTIME_DIR='\(folder.path)' "$dictate" toggle; echo $?
            """, environment: ["XDG_STATE_HOME": folder.file("state")])
        #expect(outcome.output == "1\n", "\(outcome)")
        #expect(outcome.errors.contains("Another dictation service is running"), "\(outcome)")
    }
}
