import Foundation
import Testing

/// A folder with programs and libraries that a test made.
final class HelperFolder {
    private let url = FileManager.default.temporaryDirectory.appending(path: "helper-\(UUID())")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.path + "/" + name }

    func executable(_ name: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: url.appending(path: name))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path(name))
        return path(name)
    }

    /// Builds a library from C code. It has the functions of the installed sherpa-onnx, except those in the code.
    func library(_ code: String, _ name: String = "library.so") throws -> String {
        let installed = try SherpaFixtures.library().path
        return try plainLibrary(
            code, name,
            ["-Wl,--no-as-needed", "-L" + installed, "-lsherpa-onnx-c-api", "-Wl,-rpath," + installed])
    }

    /// Builds a library from C code.
    func plainLibrary(_ code: String, _ name: String, _ flags: [String] = []) throws -> String {
        let source = url.appending(path: "library.c")
        let includes = ["stdio.h", "stdlib.h", "unistd.h"].map { "#include <\($0)>\n" }.joined()
        try Data((includes + code + "\n").utf8).write(to: source)
        try SherpaFixtures.run(
            ["cc", "-w", "-D_GNU_SOURCE", "-shared", "-fPIC", source.path, "-o", path(name)] + flags)
        return path(name)
    }

    func copy(of name: String, in place: String) throws -> String {
        let folder = url.appending(path: place)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let copy = folder.appending(path: name)
        // By a process of its own: what this one writes may be open in a child that another test starts just then.
        try SherpaFixtures.run(["cp", Self.built(name), copy.path])
        return copy.path
    }

    /// How often `main` of a probe was reached.
    func mains() throws -> Int {
        try String(contentsOfFile: path("mains"), encoding: .utf8).split(separator: "\n").count
    }

    func run(
        _ program: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        // Nothing is known there of models that worked before.
        let own = ["PROBE_LOG": path("mains"), "XDG_CACHE_HOME": path("cache")]
        process.environment = ProcessInfo.processInfo.environment.merging(own) { $1 }.merging(environment) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    /// A program of the package, which lies beside that of the tests.
    private static func built(_ name: String) throws -> String {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = URL(filePath: own).deletingLastPathComponent().appending(path: name).path
        try #require(
            FileManager.default.isExecutableFile(atPath: path),
            "\(path) was not built; run swift build --build-tests.")
        return path
    }
}
