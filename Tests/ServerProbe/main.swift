import DictationCore
import DictationEngines
import DictationRemote
import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())

/// Serves an engine until the standard input ends. Prints the ports.
func serve(_ engine: any SpeechEngine, _ change: (inout ServerConfiguration) -> Void) async throws {
    var configuration = ServerConfiguration()
    configuration.http = .init(port: 0)
    change(&configuration)
    let server = try DictationServer([ServedModel("served", engine: engine)], configuration)
    try await server.ready()
    print(server.httpPort ?? 0, server.wyomingPort ?? 0)
    fflush(nil)
    while let line = readLine() { if line == "stop" { break } }
    await server.stop(within: .seconds(20))
}

switch arguments.first {
case nil:
    // A scripted engine that takes its time.
    let script: SpeechScript = [.final("one two three four", at: .seconds(2)), .slowFinish(.milliseconds(200))]
    try await serve(ScriptedEngine(script)) { $0.limits.recordings = 4 }
case "serve":
    let engine = try SherpaOnnxEngine(folder: arguments[1], locales: ["en-US"])
    try await serve(engine) {
        $0.wyoming = .init(port: 0)
        ($0.limits.streams, $0.limits.perClient) = (1_000, 1_000)
        $0.limits.connections = 1_000
    }
case "load":
    // load RECORDING STREAMS in-process FOLDER | realtime ADDRESS | sherpa ADDRESS
    let engine: any SpeechEngine =
        switch arguments[3] {
        case "in-process": try SherpaOnnxEngine(folder: arguments[4], locales: ["en-US"])
        case "realtime":
            try OpenAIEngine(RemoteServer(arguments[4]), locales: ["en-US"]) {
                ($0.interface, $0.model, $0.realtimeSampleRate) = (.realtime, "served", 16_000)
            }
        default: try SherpaServerEngine(RemoteServer(arguments[4]), locales: ["en-US"])
        }
    try await engine.prepare(RecognitionOptions())
    let run = LoadRun(engine: engine, audio: try LoadRun.audio(arguments[1]), streams: Int(arguments[2]) ?? 1)
    print("\(arguments[3]): \(await run.run().line)")
default:
    print("usage: ServerProbe [serve FOLDER | load RECORDING STREAMS ENGINE WHERE]")
}
