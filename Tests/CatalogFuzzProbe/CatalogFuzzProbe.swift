import CConfinement
import DictationCore
import DictationModels
import Foundation
import Glibc

/// Installs random archives, most of them hostile, and looks after each whether anything outside the store has changed,
/// and whether the store holds what was to be expected.
///
///     CatalogFuzzProbe FOLDER ENTRIES [SEED]
///
/// Where the system lets it, an empty file system of its own is all that the process can reach, so that nothing it
/// writes goes unseen. Elsewhere a tree of guards around the store has to do. Prints what it did; ends with 1 at the
/// first mistake, which it describes with the number that makes it again.
@main struct CatalogFuzzProbe {
    static func main() async {
        #if ModelCatalog
        let arguments = CommandLine.arguments
        guard arguments.count >= 3, let wanted = Int(arguments[2]) else { exit(2) }
        let seed = arguments.count > 3 ? UInt64(arguments[3]) ?? 1 : 1
        let isConfined = confine_to(arguments[1]) == 0
        do {
            let ground = try Ground(isConfined ? "" : arguments[1])
            let found = try await Campaign(ground: ground, seed: seed).run(entries: wanted)
            print("\(found), seed \(seed), \(isConfined ? "in a root of its own" : "between guards")")
        } catch {
            FileHandle.standardError.write(Data("seed \(seed): \(error)\n".utf8))
            exit(1)
        }
        #endif
    }
}

struct Mistake: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

#if ModelCatalog
/// Archive after archive into one store.
struct Campaign {
    let ground: Ground
    let seed: UInt64

    func run(entries wanted: Int) async throws -> String {
        var (entries, archives, installed, unsure) = (0, 0, 0, 0)
        var present: [[UInt8]: [UInt8]]?
        let before = try ground.snapshot()
        while entries < wanted {
            var random = Random(state: seed &+ UInt64(archives) &* 0x9E37_79B9_7F4A_7C15)
            let archive = HostileArchive(&random)
            let outcome = await install(archive)
            entries += archive.entries.count
            do {
                guard try ground.snapshot() == before else { throw Mistake("something outside has changed") }
                try ground.checkStore()
                let found = try ground.model()
                switch (outcome, archive.expected) {
                case (nil, .installed(let files)):
                    guard found == files else { throw Mistake("installed \(names(found)), not \(names(files))") }
                    installed += 1
                case (.some, .refused), (.some, .unsure):
                    guard found == present else { throw Mistake("a refused archive changed the model") }
                case (nil, .unsure):
                    guard found != nil else { throw Mistake("installed, and not there") }
                case (nil, .refused): throw Mistake("installed, and had to be refused")
                case (.some(let error), .installed): throw Mistake("refused: \(error)")
                }
                if archive.expected == .unsure { unsure += 1 }
                present = found
            } catch {
                throw Mistake(
                    "archive \(archives): \(error)\n\(outcome.map { "\($0)" } ?? "installed")\n\(archive)")
            }
            archives += 1
        }
        return "fuzzed archives: \(entries) entries in \(archives) archives, \(installed) installed as expected, "
            + "\(unsure) changed at random"
    }

    /// Installs it; the error when it is refused.
    private func install(_ archive: HostileArchive) async -> DictationError? {
        var model = CatalogModel(
            id: "model", engine: "test", locales: ["en-US"], name: "Model",
            downloads: [.archive(["https://example.invalid/"], root: HostileArchive.root)])
        model.files = archive.wanted?.map { CatalogModel.File(path: $0) }
        let store = ModelStore(folder: ground.store)
        let inventory = CatalogAssetInventory(
            store: store, catalogs: [ModelCatalog(name: "Test", models: [model])], validators: [:])
        do {
            try await inventory.forgetRecordedHashes(of: "model")
            try ground.write(archive.bytes, to: ground.archive)
            try await inventory.importModel(fromFile: ground.archive, as: "model", allowingUnpinned: true)
            try await inventory.verify("model")
            return nil
        } catch { return error as? DictationError ?? DictationError(.engineFailed, "\(error)") }
    }

    private func names(_ files: [[UInt8]: [UInt8]]?) -> [String] {
        (files ?? [:]).keys.map { String(decoding: $0, as: UTF8.self).debugDescription }.sorted()
    }
}

/// SplitMix64.
struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[Int.random(in: 0..<choices.count, using: &self)]
    }
}
#endif
