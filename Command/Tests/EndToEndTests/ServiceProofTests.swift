import Foundation
import Testing

/// The built service over a long time. Set `DICTATION_KILLS` and `DICTATION_TAKES` for more or less of it.
@Suite(.serialized) struct ServiceProofTests {
    private struct Kills: Decodable {
        var killed: Int
        var killedWhileStarting: Int
        var takes: Int
        var acknowledged: Int
        var lost: [String]
        var last: String
        var audioLeft: Int
        var status: Int
    }

    private struct Takes: Decodable {
        struct Usage: Decodable { var kilobytes, threads, descriptors: Int }
        var takes: Int
        var empty: Int
        var usages: [Usage]
        var followed: Int
        var status: Int
    }

    private func prove<Answer: Decodable>(_ mode: String, _ count: Int) async throws -> Answer {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 60)
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)' && python3 "$fixtures/service-proof.py" \(mode) \(count) 1 "$dictate" \
                "$fixtures/quick.json" '\(tone)'
            """, within: 30 + Double(count) * 6)
        try #require(outcome.status == 0, "\(outcome)")
        print("service \(mode): \(outcome.output)", terminator: "")
        return try JSONDecoder().decode(Answer.self, from: Data(outcome.output.utf8))
    }

    private static func count(_ name: String, _ usual: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? usual
    }

    @Test func aServiceThatIsKilledAtAnyMomentLosesNoTextThatWasGiven() async throws {
        let found: Kills = try await prove("kill", Self.count("DICTATION_KILLS", 20))
        #expect(found.lost.isEmpty && found.acknowledged > 0, "\(found)")
        #expect(found.last == "text" && found.audioLeft == 0 && found.status == 0, "\(found)")
    }

    /// Speech in a null sink of PulseAudio, and clients in Swift, Python and shell, each of which starts a take that
    /// another one stops. Then the sound server is started again, once during a take and once between two.
    @Test func clientsOfEachLanguageGetWhatIsSaid() async throws {
        let clients = URL(filePath: #filePath).appending(path: "../../../../Examples/clients").standardized.path
        let speech = "/usr/share/pocketsphinx/test/data/goforward.raw"
        try #require(FileManager.default.fileExists(atPath: speech), "Scripts/install-dependencies installs \(speech).")
        let outcome = try await Program.bash(
            """
            run=$(mktemp); trap 'rm -f "$run"' EXIT; cat >"$run" <<'LINES'
            export XDG_STATE_HOME=$HOME/state XDG_CONFIG_HOME=$HOME/config
            "$dictate" service --quiet --engine pocketsphinx & service=$!
            trap 'kill $service; [ "$(cat "$HOME/server.pid")" = "$PULSE_PID" ] || kill "$(cat "$HOME/server.pid")"' EXIT
            echo $PULSE_PID >"$HOME/server.pid"
            wait_for() {
                for _ in $(seq 900); do
                    "$dictate" status --format json | jq -r '.state + " " + .status.finalText' | grep -q "$1" && return
                    sleep 0.1
                done; echo "no $1"
            }
            swift() { "$dictate" "$@"; }; python() { python3 '\(clients)/dictation.py' "$@"; }
            shell() { bash '\(clients)/dictation.sh' "$@"; }
            say() { while paplay --raw --rate=16000 --channels=1 --format=s16le '\(speech)'; do sleep 1; done 2>/dev/null; }
            wait_for idle
            hear() {
                $1 start >/dev/null; say & speaker=$!
                # On a busy machine the sound has gaps, and some of its repetitions become other words. A text that is
                # stable stays.
                wait_for 'go forward ten meters'; kill $speaker
                $2 stop | grep -o 'go forward ten meters' | head -n 1
            }
            hear swift python; hear python shell; hear shell swift
            restart() {
                kill "$(cat "$HOME/server.pid")"; while kill -0 "$(cat "$HOME/server.pid")" 2>/dev/null; do sleep 0.1; done
                pulseaudio -n -F "$HOME/server.pa" --daemonize=no --exit-idle-time=-1 --use-pid-file=no 2>/dev/null &
                echo $! >"$HOME/server.pid"
                for _ in $(seq 200); do pactl info >/dev/null 2>&1 && break; sleep 0.1; done
            }
            restart; hear swift swift
            swift start; say & speaker=$!; wait_for 'ten meters'; kill $speaker; wait $speaker 2>/dev/null
            restart; say & speaker=$!; wait_for 'ten meters.*ten meters'; kill $speaker
            swift stop --json | jq -c '[.error.code, (.transcript.gaps | length > 0), (.text | [match("ten meters"; "g")] | length >= 2)]'
            LINES
            bash "$fixtures/with-pulse.sh" bash "$run"
            """, within: 400)
        let heard = String(repeating: "go forward ten meters\n", count: 4)
        #expect(outcome.output == heard + "[null,true,true]\n", "\(outcome)")
    }

    @Test func manyTakesLeaveNothingBehind() async throws {
        let found: Takes = try await prove("takes", Self.count("DICTATION_TAKES", 100))
        #expect(found.empty == 0 && found.status == 0 && found.followed > found.takes, "\(found)")
        let (first, last) = (found.usages[found.usages.count / 4], try #require(found.usages.last))
        #expect(last.descriptors <= first.descriptors && last.threads <= first.threads + 2, "\(found)")
        // The allocator's own slack, and the pages that code touches for the first time.
        #expect(last.kilobytes < first.kilobytes + 8_192, "\(found)")
    }
}
