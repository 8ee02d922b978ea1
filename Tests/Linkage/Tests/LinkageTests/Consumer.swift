import Foundation

enum Paths {
    /// The folder of this nested package, and of the package that is tested.
    static let linkage = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL.path
    static let package = URL(filePath: linkage).appending(path: "../..").standardizedFileURL.path
}

/// The program that depends on the package with `traits: []`.
enum Consumer {
    static let folder = Paths.linkage + "/Consumer"
    static let products = folder + "/.build/debug"

    /// What building it gave; built once for all tests.
    static let build = Result {
        try Command(
            "swift", ["build", "--package-path", folder] + Poison.flags(),
            environment: ["PKG_CONFIG_LIBDIR": "/nonexistent", "PKG_CONFIG_PATH": ""]
        ).run()
    }

    static func executable() throws -> Command {
        _ = try build.get()
        return Command(products + "/consumer")
    }
}

/// Headers that stand before the real ones and refuse to be read.
enum Poison {
    static let refusal = "a C library's header was read"
    static let headers = [
        "alsa/asoundlib.h", "archive.h", "curl/curl.h", "microhttpd.h", "pocketsphinx.h", "samplerate.h",
        "sherpa-onnx/c-api/c-api.h", "sndfile.h", "sodium.h", "systemd/sd-bus.h", "systemd/sd-daemon.h",
        "wslay/wslay.h",
    ]

    /// Writes the headers and gives the compiler flags that put them first.
    static func flags() throws -> [String] {
        let folder = Paths.linkage + "/.build/poison"
        for header in headers {
            let file = URL(filePath: folder).appending(path: header)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try "#error \"\(refusal)\"\n".write(to: file, atomically: true, encoding: .utf8)
        }
        return ["-Xcc", "-I\(folder)"]
    }
}
