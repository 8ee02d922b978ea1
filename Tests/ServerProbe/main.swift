import DictationCore
import DictationEngines
import DictationServer
import Foundation

// A server in a process of its own, with a scripted engine that takes its time. Prints its ports. The line “stop” on the
// standard input stops it.
let script: ScriptedEngine.Script = [.final("one two three four", at: .seconds(2)), .slowFinish(.milliseconds(200))]
var configuration = DictationServer.Configuration()
(configuration.http, configuration.wyoming) = (.init(port: 0), .init(port: 0))
configuration.limits.recordings = 4
configuration.limits.requestByteCount = 32 << 20
let server = try DictationServer([ServedModel("served", engine: ScriptedEngine(script))], configuration)
try await server.ready()
print(server.httpPort ?? 0, server.wyomingPort ?? 0)
fflush(nil)
while let line = readLine(), line != "stop" {}
await server.stop(within: .seconds(20))
