#if SherpaOnnx
    import Foundation
    import Testing

    /// The C program that the engine is compared with, built once.
    enum SherpaReference {
        static let program = Result { () throws -> URL in
            let folder = FileManager.default.temporaryDirectory.appending(path: "sherpa-reference-\(getpid())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let flags = try SherpaFixtures.run("pkg-config", "--cflags", "--libs", "sherpa-onnx")
            let source = SherpaFixtures.package.appending(path: "Benchmarks/Reference/sherpa-reference.c")
            let program = folder.appending(path: "sherpa-reference")
            let command = "cc -O2 '\(source.path)' -o '\(program.path)' \(String(decoding: flags, as: UTF8.self))"
            try SherpaFixtures.run("sh", "-c", command.replacing("\n", with: " "))
            return program
        }

        /// What the C API makes of some audio.
        static func text(_ samples: [Int16], method: String) throws -> String {
            let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).raw")
            try samples.withUnsafeBytes { Data($0) }.write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let output = try SherpaFixtures.run(
                program.get().path, method, SherpaFixtures.modelFolder(), file.path)
            let line = String(decoding: output, as: UTF8.self).prefix { $0 != "\n" }
            return String(line.split(separator: "\t", omittingEmptySubsequences: false)[1])
                .trimmingCharacters(in: .whitespaces)
        }
    }
#endif
