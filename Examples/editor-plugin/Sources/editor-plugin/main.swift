import DictationService
import EditorPlugin
import Foundation

// An editor starts this program, and talks to it through its standard streams.
do {
    let plugin = EditorPlugin(control: try DictationClient(path: CommandLine.arguments.dropFirst().first)) { line in
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
    while let line = readLine() {
        if let complaint = plugin.receive(line) { FileHandle.standardError.write(Data((complaint + "\n").utf8)) }
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
