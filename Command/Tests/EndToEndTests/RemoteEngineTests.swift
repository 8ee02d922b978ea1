import Foundation
import Testing

/// Tests of the options and settings for engines on servers. The server is the command itself.
@Suite struct RemoteEngineTests {
    /// Runs bash lines beside a server with a token. Its addresses are `$address`, `$wyoming` and `unix:$PWD/wyoming`.
    private func beside(_ lines: String, options: String = "--token-variable TOKEN") async throws -> Outcome {
        let folder = try Folder()
        return try await Program.bash(
            """
            cd '\(folder.path)'
            # Engines send no request for a tone, which is no speech.
            sox -n -r 16000 -c 1 -b 16 noise.wav synth 4 whitenoise vol 0.1 pad 0.5 0; noise=$PWD/noise.wav
            export XDG_RUNTIME_DIR=$PWD/run XDG_STATE_HOME=$PWD/state XDG_CONFIG_HOME=$PWD/config
            mkdir -p run config/dictation
            "$dictate" serve --engine scripted --in-process --name served --port 0 --wyoming 0 \
                --wyoming-socket "$PWD/wyoming" \(options) >addresses 2>log & server=$!
            trap 'kill $server $service 2>/dev/null' EXIT
            for _ in $(seq 600); do grep -qs 'is ready' log && break; sleep 0.05; done
            address=$(sed -n 1p addresses) wyoming=$(sed -n 2p addresses)
            \(lines)
            """, environment: ["TOKEN": "swordfish", "WRONG": "herring"])
    }

    @Test func eachWayToAServerGivesTheText() async throws {
        let outcome = try await beside(
            """
            sed -n 3p addresses | grep -Fx "unix:$PWD/wyoming" >/dev/null && echo said
            echo swordfish >token
            openai=(transcribe --quiet --engine openai --server "$address" --server-model served)
            "$dictate" "${openai[@]}" --token-variable TOKEN "$noise"
            "$dictate" "${openai[@]}" --token-file token --realtime "$noise"
            "$dictate" "${openai[@]}" --token-command 'cat token' --dialect vllm "$noise"
            "$dictate" transcribe --quiet --engine wyoming --server "$wyoming" "$noise"
            "$dictate" transcribe --quiet --engine wyoming --server "unix:$PWD/wyoming" "$noise"
            """)
        let text = "one two three four one two three four one"
        #expect(outcome.output.split(separator: "\n").map(String.init) == ["said"] + Array(repeating: text, count: 5))
        #expect(outcome.errors == "", "\(outcome)")
    }

    /// The commands of the documents, with no option that names a model.
    @Test(arguments: ["", "--name parakeet --exact-names", "--name one --name whisper-1"])
    func serverAndClientWorkTogetherWithoutNamingAModel(options: String) async throws {
        let folder = try Folder()
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'
            sox -n -r 16000 -c 1 -b 16 noise.wav synth 4 whitenoise vol 0.1 pad 0.5 0
            export XDG_RUNTIME_DIR=$PWD/run XDG_CONFIG_HOME=$PWD/config; mkdir -p run config
            "$dictate" serve --engine scripted --in-process --port 0 --wyoming 0 --wyoming-socket "$PWD/wyoming" \
                \(options) >addresses 2>log & server=$!
            trap 'kill $server' EXIT
            for _ in $(seq 600); do grep -qs 'is ready' log && break; sleep 0.05; done
            address=$(sed -n 1p addresses) wyoming=$(sed -n 2p addresses)
            for bare in "$address" "${address%/v1}"; do
                "$dictate" transcribe --engine openai --server "$bare" noise.wav
                "$dictate" transcribe --engine openai --server "$bare" --realtime noise.wav
                "$dictate" transcribe --engine openai --server "$bare" --dialect openai noise.wav
                "$dictate" live --engine openai --server "$bare" --device file:noise.wav --for 4
            done
            "$dictate" live --engine openai --server "ws${address#http}" --realtime --device file:noise.wav --for 4
            "$dictate" transcribe --engine wyoming --server "$wyoming" noise.wav
            "$dictate" live --engine wyoming --server "unix:$PWD/wyoming" --device file:noise.wav --for 4
            """)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 11 && lines.allSatisfy { $0.hasPrefix("one two three four") }, "\(outcome)")
        #expect(!outcome.errors.contains("model"), "\(outcome)")
    }

    /// The proxy of the environment could not reach this machine, and would see the speech and the token.
    @Test(arguments: ["127.0.0.1", "127.8.9.10", "localhost", "LOCALHOST", "unix"])
    func noProxySeesWhatStaysOnThisMachine(host: String) async throws {
        let outcome = try await beside(
            """
            cat >proxy.py <<'END'
            import socket
            listener = socket.create_server(("127.0.0.1", 0))
            print(listener.getsockname()[1], flush=True)
            while True:
                connection, _ = listener.accept()
                print("asked:", connection.recv(1000), flush=True)
                connection.close()
            END
            python3 proxy.py >proxy & proxy=$!
            trap 'kill $server $proxy' EXIT
            until [ -s proxy ]; do sleep 0.05; done
            export http_proxy=http://127.0.0.1:$(cat proxy)
            export https_proxy=$http_proxy HTTPS_PROXY=$http_proxy ALL_PROXY=$http_proxy all_proxy=$http_proxy
            if [ \(host) = unix ]; then
                "$dictate" transcribe --quiet --engine wyoming --server "unix:$PWD/wyoming" "$noise"
            else
                address=${address/127.0.0.1/\(host)}
                case \(host) in 127.8*) ;; *) wyoming=${wyoming/127.0.0.1/\(host)} ;; esac
                "$dictate" transcribe --quiet --engine openai --server "$address" --token-variable TOKEN "$noise"
                "$dictate" transcribe --quiet --engine openai --server "$address" --token-variable TOKEN --realtime "$noise"
                "$dictate" transcribe --quiet --engine wyoming --server "$wyoming" "$noise"
            fi
            grep asked proxy
            # What is meant for another machine goes to the proxy.
            "$dictate" transcribe --quiet --engine openai --server http://server.invalid "$noise" 2>/dev/null
            grep -c asked proxy >/dev/null && echo proxied
            """,
            options: host.hasPrefix("127.8") ? "--address 127.8.9.10 --token-variable TOKEN" : "--token-variable TOKEN")
        let text = "one two three four one two three four one\n"
        let count = host == "unix" ? 1 : 3
        #expect(outcome.output == String(repeating: text, count: count) + "proxied\n", "\(outcome)")
    }

    @Test func theDoctorTriesAServer() async throws {
        let outcome = try await beside(
            """
            "$dictate" doctor --engine openai --server "$address" --server http://127.0.0.1:1 \
                --server-model served --token-variable TOKEN
            echo "status $?"
            "$dictate" doctor --engine wyoming --server "$wyoming" | grep -c -e '✔ wyoming at' -e 'model served for en'
            """)
        #expect(outcome.output.contains("✔ openai at http://127.0.0.1:"), "\(outcome)")
        #expect(outcome.output.contains("model served\n") && outcome.output.contains("✘ openai at http://127.0.0.1:1:"))
        #expect(outcome.output.hasSuffix("status 4\n2\n"), "\(outcome)")
    }

    @Test func whatCannotBeUsedIsAClearErrorWithoutTheToken() async throws {
        let outcome = try await beside(
            """
            try() { "$dictate" transcribe --quiet --engine "$@" "$noise" >/dev/null; echo "status $?"; }
            try openai; try openai --server ftp://example.org; try wyoming --server http://example.org
            try sherpa-server --server 'ws://user:swordfish@example.org'; try vosk-server --server 'ws://'
            try openai --server "$address" --token-variable TOKEN --token-file token
            try openai --server "$address" --token-variable MISSING
            "$dictate" transcribe --server "$address" "$noise"; echo "status $?"
            echo 'the network' >&2
            try openai --server http://nobody.invalid --token-variable TOKEN
            try sherpa-server --server ws://nobody.invalid:6006 --token-variable TOKEN
            try vosk-server --server ws://127.0.0.1:1
            try openai --server "$address" --token-variable WRONG
            try openai --server "$address" --token-variable WRONG --realtime
            """)
        let statuses = outcome.output.split(separator: "\n").map(String.init)
        #expect(statuses.prefix(8).allSatisfy { $0 == "status 2" }, "\(outcome)")
        #expect(statuses.dropFirst(8).allSatisfy { $0 == "status 1" } && statuses.count == 13, "\(outcome)")
        let parts = outcome.errors.components(separatedBy: "the network\n")
        try #require(parts.count == 2, "\(outcome)")
        for words in [
            "--engine openai needs --server", "ftp://example.org", "has a user name or password in it",
            "one place of the token", "The environment variable “MISSING” has no secret", "--server needs --engine",
        ] {
            #expect(parts[0].contains(words), "\(words): \(outcome)")
        }
        for words in ["http://nobody.invalid", "ws://nobody.invalid:6006", "does not accept the token"] {
            #expect(parts[1].contains(words), "\(words): \(outcome)")
        }
        for secret in ["swordfish", "herring"] { #expect(!outcome.errors.contains(secret), "\(outcome)") }
    }

    @Test func aProfileOfTheServiceNamesAServer() async throws {
        let outcome = try await beside(
            """
            echo swordfish >config/dictation/token
            cat >config/dictation/settings.json5 <<END
            {
                engine: "openai",
                server: {addresses: ["$address"], model: "served", tokenFile: "token", realtime: true},
                profiles: {
                    home: {engine: "wyoming", server: {addresses: ["unix:$PWD/wyoming"]}},
                    lost: {engine: "wyoming", server: {addresses: []}},
                    here: {engine: "scripted"},
                    unclear: {engine: null},
                },
            }
            END
            "$dictate" service --device "file:$noise" 2>service.log & service=$!
            wait_for() { for _ in $(seq 600); do "$dictate" status | grep -q "$1" && return; sleep 0.05; done; false; }
            wait_for idle
            "$dictate" start; wait_for 'recording.*three'; "$dictate" stop | cut -c 1-13
            "$dictate" status --json | jq -c '[.status.engine, .status.model]'
            "$dictate" start --profile home; wait_for 'recording.*0:0[2-9]' ; "$dictate" stop | cut -c 1-7
            for profile in lost unclear here; do "$dictate" start --profile $profile; echo "status $?"; done
            "$dictate" cancel
            kill $service; wait $service
            cat service.log >&2
            """)
        #expect(
            outcome.output == """
                one two three
                ["openai","served"]
                one two
                status 2
                status 2
                status 0

                """, "\(outcome)")
        #expect(outcome.errors.contains("The engine “wyoming” needs the setting “server.addresses”."), "\(outcome)")
        #expect(outcome.errors.contains("The setting “server.addresses” needs the setting “engine”."), "\(outcome)")
        #expect(!outcome.errors.contains("swordfish"))
    }

    @Test func theServiceTakesTheOptionsOfAServer() async throws {
        let outcome = try await beside(
            """
            "$dictate" service --engine openai --server "$address" --token-variable TOKEN --realtime \
                --server-model served --device "file:$noise" 2>service.log & service=$!
            wait_for() { for _ in $(seq 600); do "$dictate" status | grep -q "$1" && return; sleep 0.05; done; false; }
            wait_for idle
            "$dictate" start; wait_for 'recording.*three'; "$dictate" stop | cut -c 1-13
            kill $service; wait $service; cat service.log >&2
            """)
        #expect(outcome.output == "one two three\n", "\(outcome)")
    }

    /// A server like that of whisper.cpp, which understands nothing that is meant for another. The second profile's server
    /// is not there yet when the service starts.
    @Test func theServiceFindsOutWhatAServerIs() async throws {
        let outcome = try await beside(
            """
            cat >whisper.py <<'END'
            import http.server, sys
            class Handler(http.server.BaseHTTPRequestHandler):
                protocol_version = "HTTP/1.1"
                def version_string(self): return "whisper.cpp"
                def log_message(self, *rest): pass
                def answer(self, status, text):
                    self.send_response(status)
                    self.send_header("Content-Length", str(len(text)))
                    self.end_headers()
                    self.wfile.write(text.encode())
                def do_GET(self): self.answer(404, "File Not Found")
                def do_POST(self):
                    body = self.rfile.read(int(self.headers["Content-Length"]))
                    known = self.path == "/inference" and b"RIFF" in body
                    self.answer(200 if known else 404, '{"text":" from a server"}' if known else "File Not Found")
            server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
            print(server.server_port, flush=True)
            server.serve_forever()
            END
            run() { python3 whisper.py $1 >$2 & until [ -s $2 ]; do sleep 0.05; done; }
            run 0 first; first=$!
            run 0 later; kill $!; wait $! 2>/dev/null
            cat >config/dictation/settings.json5 <<END
            {
                engine: "openai", server: {addresses: ["http://127.0.0.1:$(cat first)"]},
                profiles: {later: {engine: "openai", server: {addresses: ["http://127.0.0.1:$(cat later)"]}}},
            }
            END
            "$dictate" service --device "file:$noise" 2>service.log & service=$!
            wait_for() { for _ in $(seq 600); do "$dictate" status | grep -q "$1" && return; sleep 0.05; done; false; }
            wait_for idle
            "$dictate" start; wait_for 'recording.*0:0[2-9]'; "$dictate" stop
            run $(cat later) again; second=$!
            "$dictate" start --profile later; wait_for 'recording.*0:0[2-9]'; "$dictate" stop
            kill $service $first $second; wait $service
            cat service.log >&2
            """)
        #expect(outcome.output == "from a server\nfrom a server\n", "\(outcome)")
    }
}
