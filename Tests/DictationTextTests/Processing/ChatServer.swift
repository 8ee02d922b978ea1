import Foundation

/// A server on this machine with the interface of a language model. The path says how it answers.
final class ChatServer: Sendable {
    private static let script = """
        import http.server, json, sys, time
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *arguments): pass
            def do_POST(self):
                asked = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                mode = self.path.split("/")[1]
                key = self.headers.get("Authorization", "")
                request = json.loads(asked)
                said = request["messages"][1]["content"]
                def answer(text, reason="stop"):
                    return json.dumps({"choices": [{"message": {"content": text}, "finish_reason": reason}]}).encode()
                status, body, headers = 200, answer(said.upper()), {}
                if mode == "title": body = answer('<think>hm</think> A  "title"\\n')
                elif mode == "ask": body = answer(json.dumps([request, self.path, key, sorted(self.headers.keys())]))
                elif mode == "lines": body += b"\\r\\n\\r"
                elif mode == "cut": body = answer(said, "length")
                elif mode == "invalid": body = b'{"choices": []}'
                elif mode == "empty": body = answer("")
                elif mode == "refusal": body = answer("I can't help with that.")
                elif mode == "nonsense": body = answer(said * 9 + "x" * 999)
                elif mode == "binary": body = bytes(range(256))
                elif mode == "error": status, body = 401, json.dumps({"error": {"message": "bad key " + key}}).encode()
                elif mode == "redirect": status, body, headers = 307, b"", {"Location": "/ok" + self.path[9:]}
                elif mode == "slow": time.sleep(60)
                self.send_response(status)
                for name in headers: self.send_header(name, headers[name])
                if mode in ("stream", "huge"):
                    self.send_header("Transfer-Encoding", "chunked")
                    self.end_headers()
                    pieces = [body[i:i + 7] for i in range(0, len(body), 7)] if mode == "stream" else [b" " * 65536] * 400
                    for piece in pieces: self.wfile.write(b"%x\\r\\n%s\\r\\n" % (len(piece), piece)); self.wfile.flush()
                    self.wfile.write(b"0\\r\\n\\r\\n")
                else:
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            def handle_error(self, *arguments): pass
        server = Server(("127.0.0.1", 0), Handler)
        print(server.server_port, flush=True)
        server.serve_forever()
        """

    private let process: Process
    private let port: Int

    init() throws {
        let output = Pipe()
        process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.script]
        process.standardOutput = output
        try process.run()
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let byte = output.fileHandleForReading.readData(ofLength: 1)
            guard !byte.isEmpty else { throw CocoaError(.executableLoad) }
            line += byte
        }
        port = Int(String(decoding: line, as: UTF8.self).dropLast()) ?? 0
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    func address(_ mode: String) -> String { "http://127.0.0.1:\(port)/\(mode)/v1" }
}
