import Foundation
import Testing

/// Tests of `dictate serve`, with curl as its client.
@Suite struct ServeTests {
    /// Runs a script with a server whose address is `$address`, and returns the server's outcome behind the script's.
    private func serve(_ options: String, _ script: String, environment: [String: String] = [:]) async throws -> Outcome
    {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 4)
        return try await Program.bash(
            """
            cd \(folder.path)
            "$dictate" serve --engine scripted --in-process --port 0 \(options) >address 2>log &
            for _ in $(seq 600); do grep -qs 'is ready' log && break; sleep 0.05; done
            address=$(head -n 1 address) tone=\(tone)
            \(script)
            kill -TERM $!; wait $!; echo "ended with $?"; cat log >&2
            """, environment: environment)
    }

    @Test func aClientOfOpenAIIsServed() async throws {
        let outcome = try await serve(
            "--name whisper-1",
            #"curl -qs "$address/audio/transcriptions" -F file=@"$tone" -F model=whisper-1 -F response_format=text"#)
        #expect(outcome.output == "one two three four one two three four\nended with 0\n", "\(outcome)")
        let entry = outcome.errors.split(separator: "\n").first { $0.hasPrefix("{") } ?? ""
        #expect(entry.contains(#""status":200"#) && entry.contains(#""audioSeconds":4"#) && !entry.contains("three"))
    }

    @Test func theTokenIsAskedForAndNeverShown() async throws {
        let outcome = try await serve(
            "--token-variable TOKEN",
            #"""
            curl -qs -o /dev/null -w '%{http_code}\n' "$address/models"
            curl -qs -o /dev/null -w '%{http_code}\n' -H 'Authorization: Bearer swordfish' "$address/models"
            """#, environment: ["TOKEN": "swordfish"])
        #expect(outcome.output == "401\n200\nended with 0\n", "\(outcome)")
        #expect(!outcome.errors.contains("swordfish"))
    }

    /// Libraries for TLS would write the keys of each connection into the file that this variable names.
    @Test func keysOfConnectionsAreWrittenNowhere() async throws {
        let folder = try Folder()
        let outcome = try await Program.bash(
            """
            cd \(folder.path)
            sox -n -r 16000 -c 1 -b 16 noise.wav synth 4 whitenoise vol 0.1 pad 0.5 0
            openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
                -keyout key.pem -out certificate.pem 2>/dev/null
            "$dictate" serve --engine scripted --in-process --port 0 --certificate certificate.pem \
                --certificate-key key.pem >address 2>log &
            for _ in $(seq 600); do grep -qs 'is ready' log && break; sleep 0.05; done
            address=$(head -n 1 address | sed 's/127.0.0.1/localhost/')
            "$dictate" transcribe --engine openai --server "$address" --authorities certificate.pem \
                noise.wav
            test -e keys && echo "keys were written"
            kill -TERM $!; wait $!; cat log >&2
            """, environment: ["SSLKEYLOGFILE": "keys"])
        #expect(outcome.output == "one two three four one two three four one\n", "\(outcome)")
    }

    /// A server runs for weeks, and most of the time nothing happens. A timer of each of its streams would make it wait
    /// more often than once a second. The thread of libdispatch that counts other threads once a second is not counted.
    @Test func anIdleServerSleeps() async throws {
        let outcome = try await serve(
            "",
            #"""
            python3 - "$address" $! <<'PYTHON'
            import os, socket, sys, time, urllib.parse
            place = urllib.parse.urlsplit(sys.argv[1])
            def stream():
                made = socket.create_connection((place.hostname, place.port))
                made.sendall((f"GET {place.path}/realtime HTTP/1.1\r\nHost: {place.netloc}\r\nConnection: Upgrade\r\n"
                    "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n").encode())
                answer = b""
                while b"created" not in answer: answer += made.recv(4096) or exit("no stream")
                return made
            streams = [stream() for _ in range(50)]
            def waits():
                folder = f"/proc/{sys.argv[2]}/task"
                texts = [open(f"{folder}/{name}/status").read() for name in os.listdir(folder)]
                return sum(int(text.split("\nvoluntary_ctxt_switches:")[1].split()[0]) for text in texts
                    if "overcommit" not in text.split("\n")[0])
            time.sleep(8)
            before = waits(); time.sleep(5); print("waits", waits() - before < 5)
            PYTHON
            """#)
        #expect(outcome.output == "waits True\nended with 0\n", "\(outcome)")
    }

    @Test func aKeyThatOthersCanReadIsSaid() async throws {
        let folder = try Folder()
        let key = folder.file("key.pem")
        try Data("no key".utf8).write(to: URL(filePath: key))
        for (mode, isSaid) in [(0o600, false), (0o644, true)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: key)
            let outcome = try await Program.run([
                "serve", "--engine", "scripted", "--port", "0", "--certificate", key, "--certificate-key", key,
            ])
            #expect(outcome.status != 0 && outcome.errors.contains("Other users may read") == isSaid, "\(outcome)")
        }
    }

    @Test func otherMachinesNeedAToken() async throws {
        let outcome = try await Program.run(["serve", "--engine", "scripted", "--address", "0.0.0.0", "--port", "0"])
        #expect(outcome.status == 2 && outcome.errors.contains("Without a token"), "\(outcome)")
        let several = try await Program.run(["serve", "--token-file", "a", "--token-variable", "B"])
        #expect(several.status == 2 && several.errors.contains("one place of the token"), "\(several)")
    }
}
