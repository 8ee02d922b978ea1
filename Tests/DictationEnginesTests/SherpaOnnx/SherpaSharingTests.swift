import DictationCore
import DictationTesting
import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DictationEngines

@Suite struct SherpaSharingTests {

    @Test func aModelFixedToOneStreamIsKnownForOne() throws {
        #expect(try !SherpaOnnxEngine.Model(folder: SherpaFixtures.modelFolder()).decodesTogether)
        let joiner = try OnnxFile(at: SherpaFixtures.modelFolder() + "/joiner.onnx")
        #expect(joiner.stackableInputs == ["encoder_out", "decoder_out"])
    }

    @Test func streamsThatWaitAtOnceAreDecodedInOneStep() async throws {
        let steps = Mutex<[[OpaquePointer]]>([])
        let firstMayEnd = DispatchSemaphore(value: 0)
        let decoder = BatchDecoder(count: 1, together: 3) { streams in
            let isFirst = steps.withLock { steps in
                steps.append(streams.map(\.pointer))
                return steps.count == 1
            }
            if isFirst { firstMayEnd.wait() }
        }
        let pointers = (1...7).compactMap { OpaquePointer(bitPattern: $0) }
        await withTaskGroup(of: Void.self) { group in
            for (index, pointer) in pointers.enumerated() {
                let stream = LibraryHandle(pointer: pointer)
                group.addTask(executorPreference: BlockingThread(name: "session")) {
                    await decoder.decodeChunk(of: stream)
                }
                // The first has its step for itself before any other comes.
                if index == 0 { #expect(await eventually { steps.withLock { !$0.isEmpty } }) }
            }
            #expect(await eventually { decoder.waitingCount == 6 })
            firstMayEnd.signal()
        }
        let done = steps.withLock { $0 }
        #expect(done.map(\.count) == [1, 3, 3])
        #expect(Set(done.flatMap { $0 }) == Set(pointers))
        #expect(decoder.waitingCount == 0)
    }

    @Test func theLastChunksOfAStretchGoFirst() async throws {
        let steps = Mutex<[Int]>([])
        let firstMayEnd = DispatchSemaphore(value: 0)
        let decoder = BatchDecoder(count: 1, together: 1) { streams in
            let isFirst = steps.withLock { steps in
                steps += streams.map { Int(bitPattern: $0.pointer) }
                return steps.count == 1
            }
            if isFirst { firstMayEnd.wait() }
        }
        await withTaskGroup(of: Void.self) { group in
            for number in 1...6 {
                guard let pointer = OpaquePointer(bitPattern: number) else { continue }
                let stream = LibraryHandle(pointer: pointer)
                group.addTask(executorPreference: BlockingThread(name: "session")) {
                    await decoder.decodeChunk(of: stream, endsStretch: number > 4)
                }
                #expect(await eventually { steps.withLock { !$0.isEmpty } && decoder.waitingCount == number - 1 })
            }
            firstMayEnd.signal()
        }
        #expect(steps.withLock { $0 } == [1, 5, 6, 2, 3, 4])
    }

    @Test func aSessionByItselfIsDecodedOnItsOwnThread() async throws {
        let thread = BlockingThread(name: "alone")
        let names = Mutex<[String]>([])
        let decoder = BatchDecoder(count: 1, together: 8) { _ in
            let name = (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? ""
            names.withLock { $0.append(name) }
        }
        let stream = LibraryHandle(pointer: try #require(OpaquePointer(bitPattern: 1)))
        await Task(executorPreference: thread) { for _ in 0..<3 { await decoder.decodeChunk(of: stream) } }.value
        #expect(names.withLock { $0 } == ["alone\n", "alone\n", "alone\n"])
    }

    @Test func theInventoryConforms() async throws {
        let copy = try ModelCopy()
        let folder = FileManager.default.temporaryDirectory.appending(path: "sherpa-models-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let small = folder.appending(path: "small")
        try FileManager.default.moveItem(at: copy.folder, to: small)
        try Data(#"{"name": "Small", "locales": ["en-US"], "license": "Apache-2.0"}"#.utf8)
            .write(to: small.appending(path: SherpaOnnxInventory.Manifest.fileName))
        let damaged = try Data(
            contentsOf: SherpaFixtures.models().appending(path: "damaged/encoder.int8.onnx"))
        let report = await expectConformance(
            of: InventoryConformance(
                SherpaOnnxInventory(folder: folder.path), asset: "small", installs: false,
                damage: { _ in try? damaged.write(to: small.appending(path: "encoder.int8.onnx")) },
                evict: {}, setOffline: { _ in }))
        #expect(report?.unchecked[.verifyFindsDamage] == nil && report?.unchecked[.verifyAcceptsSound] == nil)
    }

    @Test func theInventoryTellsModelsByTheirManifests() async throws {
        let model = try ModelCopy()
        let folder = FileManager.default.temporaryDirectory.appending(path: "sherpa-models-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.moveItem(at: model.folder, to: folder.appending(path: "small"))
        let inventory = SherpaOnnxInventory(folder: folder.path)
        #expect(try await inventory.assets().isEmpty)
        #expect(await inventory.status(of: "small") == .unsupported)

        let small = folder.appending(path: "small")
        try Data(#"{"name": "Small", "locales": ["en-US"], "license": "Apache-2.0"}"#.utf8)
            .write(to: small.appending(path: SherpaOnnxInventory.Manifest.fileName))
        let asset = try #require(try await inventory.assets().first)
        #expect(asset.name == "Small" && asset.locales == ["en-US"] && asset.engine == "sherpa-onnx")
        #expect((asset.byteCount ?? 0) > 5_000_000)
        #expect(await inventory.status(of: "small") == .installed)
        #expect(try await inventory.installation(of: "small") == nil)
        try await inventory.verify("small")
        await #expect(throws: DictationError.self) { try await inventory.verify("../small") }

        try FileManager.default.removeItem(at: small.appending(path: "joiner.int8.onnx"))
        #expect(await inventory.status(of: "small") == .damaged)
        await #expect(throws: DictationError.self) { try await inventory.verify("small") }
        await #expect(throws: DictationError.self) { try await inventory.installation(of: "small") }
        try await inventory.remove("small")
        #expect(try await inventory.assets().isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        await #expect(throws: DictationError.self) { try await inventory.installation(of: "small") }
    }
}

/// What a transcription reports.
final class Collected: Sendable {
    private let results = Mutex<[SpeechUpdate]>([])
    var all: [SpeechUpdate] { results.withLock { $0 } }
    var sink: ResultSink { ResultSink { result in self.results.withLock { $0.append(result) } } }
}

extension SherpaSharingTests {
    /// What takes too long for everyday runs.
    @Suite struct ProofTests {
        @Test func severalWorkersGiveTheSameTextAsOne() async throws {
            let engine = try SherpaFixtures.engine()
            let buffers = try SherpaFixtures.samples("lucier").buffers()
            var texts: [[SpeechUpdate]] = []
            for workers in [1, 3] {
                let results = Collected()
                try await engine.transcribe(
                    AudioInput(buffers), options: .fileTranscription(), workers: workers, into: results.sink)
                texts.append(results.all)
            }
            #expect(texts[0] == texts[1])
            #expect(texts[0].finals.count >= 4)
            #expect(texts[0].finalizedThrough == buffers.last?.end)
            var end = Duration.zero
            for result in texts[0].finals {
                #expect(result.range.lowerBound >= end)
                end = result.range.upperBound
            }
            let reference = try #require(SherpaFixtures.recordings().first { $0.name == "lucier" }).transcript
            let errors = WordErrorCount(texts[0].finals.map(\.text).joined(separator: " "), reference: reference)
            print("lucier in pieces: \(errors)")
            #expect(errors.rate < 0.3)
        }

        @Test(arguments: [1, 8])
        func sessionsAtOnceSayWhatTheySayAlone(_ together: Int) async throws {
            var configuration = SherpaOnnxEngine.Configuration()
            configuration.sessionsPerStep = together
            let engine = try SherpaFixtures.engine(configuration)
            let names = ["jfk", "ls-kws0", "lj-LJ001-0002", "lj-LJ001-0008", "mfa-ipa_us_2", "ls-1089-134686-0001"]
            var alone: [String: String] = [:]
            var audio: [String: [AudioBuffer]] = [:]
            for name in names {
                audio[name] = try SherpaFixtures.samples(name).buffers()
                alone[name] = try await engine.text(audio[name] ?? [], .fileTranscription())
            }
            let errors = await withTaskGroup(of: (Int, Int).self) { group in
                for name in names {
                    let (buffers, wanted) = (audio[name] ?? [], alone[name] ?? "")
                    group.addTask { @Sendable in
                        let text = (try? await engine.text(buffers, .fileTranscription())) ?? ""
                        let words = wanted.split(separator: " ").map(String.init)
                        return (WordErrorCount(text.split(separator: " ").map(String.init), words).count, words.count)
                    }
                }
                return await group.reduce(into: (0, 0)) { $0 = ($0.0 + $1.0, $0.1 + $1.1) }
            }
            // With a model that goes through one stream at a time, it must be the very same.
            #expect(try errors.0 == 0 || SherpaOnnxEngine.Model(folder: SherpaFixtures.modelFolder()).decodesTogether)
            #expect(errors.0 * 50 <= errors.1)
        }
    }
}
