import Foundation
import Testing

/// Tests with a PulseAudio server. They play speech into a null sink and record its monitor as a microphone.
@Suite(.serialized) struct RealTimeMicrophoneTests {
    private static let speech = "/usr/share/pocketsphinx/test/data/goforward.raw"
    /// Plays the speech once.
    private static let once = "run:\(sayIt)"
    /// Plays the speech again and again, because a busy machine may lose some of it at first.
    private static let repeatedly = "run:while \(sayIt); do sleep 1; done"
    private static let play = "paplay --raw --rate=16000 --channels=1 --format=s16le"
    private static let sayIt = "\(play) \(speech)"
    /// Matches the line of an open microphone. Nothing plays yet, so the line may call the microphone muted.
    private static let isOpen = "wait:listening|nothing but zeros"

    private func live(_ steps: [String], _ options: [String]) async throws -> TerminalTests.Screen {
        try #require(
            FileManager.default.fileExists(atPath: Self.speech),
            "\(Self.speech) is missing; Scripts/install-dependencies installs it.")
        let outcome = try await Program.run(
            "/bin/bash",
            [
                Program.fixtures + "/with-pulse.sh", "/usr/bin/python3", Program.fixtures + "/terminal.py",
            ] + steps + ["--", Program.dictate, "live", "--engine", "pocketsphinx"] + options,
            environment: ["TERMINAL_LIMIT": "90"], within: 300)
        try #require(outcome.status == 0, "\(outcome.errors)")
        return try JSONDecoder().decode(TerminalTests.Screen.self, from: Data(outcome.output.utf8))
    }

    @Test func whatIsSaidIsOnTheScreen() async throws {
        let screen = try await live(
            [Self.isOpen, Self.repeatedly, "dim:forward", "kept:go forward ten meters", "key:\\x03", "end"], ["--meter"]
        )
        // A machine that is too busy for what was said last has to say so.
        let isBehind = screen.status == 5 && screen.screen.contains("The engine did not finish all audio")
        #expect(isBehind || screen.status == 0, "\(screen)")
        #expect(screen.screen.contains("go forward ten meters"), "\(screen.screen)")
        #expect(!screen.screen.contains("●"))
        #expect(screen.echo && screen.cursor)
    }
}

extension RealTimeMicrophoneTests {
    /// What takes too long for everyday runs.
    @Suite struct ProofTests {
        private let tests = RealTimeMicrophoneTests()

        @Test func aTakeStopsByItselfAfterSilence() async throws {
            let screen = try await tests.live(
                [RealTimeMicrophoneTests.isOpen, RealTimeMicrophoneTests.once, "end"], ["--until-silence", "3"])
            #expect(screen.screen.contains("go for"), "\(screen.screen)")
            // A machine that is too busy for the rest has to say so.
            let isBehind = screen.status == 5 && screen.screen.contains("the engine was too slow")
            #expect(isBehind || screen.status == 0 && screen.screen.contains("forward"), "\(screen)")
        }

        @Test func aMicrophoneThatGoesAwayTakesNothingSaidWithIt() async throws {
            let screen = try await tests.live(
                [
                    RealTimeMicrophoneTests.isOpen, RealTimeMicrophoneTests.repeatedly, "wait:forward",
                    "run:kill $PULSE_PID",
                    "wait:waiting for it",
                    "key:\\x03", "end",
                ],
                [])
            #expect(screen.screen.contains("forward"), "\(screen.screen)")
            #expect([0, 3].contains(screen.status), "\(screen)")
            #expect(screen.echo && screen.cursor)
        }

        /// Nobody has started a service, so the first press of the key does.
        @Test func aKeyDictatesWithTheMicrophone() async throws {
            let outcome = try await Program.run(
                "/bin/bash",
                [
                    Program.fixtures + "/with-pulse.sh", "/bin/bash", "-c",
                    """
                    export XDG_STATE_HOME=$HOME/state
                    "\(Program.dictate)" toggle || exit
                    trap 'kill $(cat $XDG_RUNTIME_DIR/dictation/lock)' EXIT
                    while \(RealTimeMicrophoneTests.sayIt); do sleep 1; done 2>/dev/null &
                    for _ in $(seq 600); do "\(Program.dictate)" status | grep -q 'ten meters' && break; sleep 0.1; done
                    kill $!
                    "\(Program.dictate)" toggle
                    """,
                ], within: 120)
            #expect(outcome.status == 0 && outcome.output.contains("go forward ten meters"), "\(outcome)")
        }

        @Test func theDoctorHearsTheMicrophone() async throws {
            let outcome = try await Program.run(
                "/bin/bash",
                [
                    Program.fixtures + "/with-pulse.sh", "/bin/bash", "-c",
                    """
                    while paplay --raw --rate=16000 --channels=1 --format=s16le \(RealTimeMicrophoneTests.speech); do :; done 2>/dev/null &
                    \(Program.dictate) doctor
                    """,
                ], within: 120)
            #expect(outcome.status == 0, "\(outcome)")
            #expect(outcome.output.contains("✔ pocketsphinx: model"))
            #expect(outcome.output.contains("; the default: the best that works"), "\(outcome)")
            #expect(outcome.output.contains("✔ microphone: works"), "\(outcome)")
        }

        /// The devices come from a configuration that ALSA reads again when it changes.
        @Test(arguments: ["text", "json"]) func devicesThatComeAndGoAreToldOf(format: String) async throws {
            let outcome = try await Program.bash(
                """
                folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
                export ALSA_CONFIG_PATH=$folder/alsa.conf
                has() {
                    echo '</usr/share/alsa/alsa.conf>'
                    for name; do echo "pcm.$name { type null hint { show on description \\"$name\\" } }"; done
                }
                now_has() { has "$@" >"$folder/new"; mv "$folder/new" "$ALSA_CONFIG_PATH"; }
                has_said() { for _ in $(seq 600); do grep -q "$1" "$folder/out" && return; sleep 0.05; done; false; }
                now_has first
                set -m
                "$dictate" devices --follow --format \(format) >"$folder/out" &
                has_said first && now_has first second && has_said second
                before=$(wc -l <"$folder/out")
                now_has second
                for _ in $(seq 600); do [ "$(wc -l <"$folder/out")" -gt "$before" ] && break; sleep 0.05; done
                kill -INT $!; wait $!; echo "status $?"
                cat "$folder/out"
                """)
            var lines = outcome.output.split(separator: "\n").map(String.init)
            try #require(lines.count > 3 && lines.removeFirst() == "status 130", "\(outcome)")
            if format == "text" {
                #expect(lines.contains("+ second\tsecond") && lines.last == "- first\tfirst", "\(outcome)")
            } else {
                let isFirstThere = lines.map { $0.contains(#""id":"first""#) }
                let isSecondThere = lines.map { $0.contains(#""id":"second""#) }
                #expect(isFirstThere == [true, true, false] && isSecondThere == [false, true, true], "\(outcome)")
            }
        }

        @Test func theDefaultDeviceIsMarked() async throws {
            let outcome = try await Program.run(
                "/bin/bash", [Program.fixtures + "/with-pulse.sh", Program.dictate, "devices"])
            #expect(outcome.status == 0, "\(outcome)")
            #expect(outcome.output.hasPrefix("* "), "\(outcome)")
        }
    }
}
