import DictationCore
import DictationEngines
import Testing

@testable import DictateCommand

@Suite struct SetupTextTests {
    private static func asset(_ id: String, megabytes: Int64?, kind: ModelAsset.Kind = .model) -> ModelAsset {
        ModelAsset(
            id: id, engine: "best", locales: kind == .model ? ["fr-FR"] : [], name: "The \(id)",
            byteCount: megabytes.map { $0 * 1_000_000 }, isPinned: true, kind: kind)
    }

    private static func setup(_ parts: EngineFinder.Setup.Part...) -> EngineFinder.Setup {
        EngineFinder.Setup(locale: "fr-FR", engine: "best", parts: parts)
    }

    private static let library = EngineFinder.Setup.Part(
        asset("library", megabytes: 20, kind: .library), download: ModelAsset.Download(byteCount: 10_500_000))
    private static let large = EngineFinder.Setup.Part(asset("large", megabytes: 670))
    private static let mystery = EngineFinder.Setup.Part(asset("mystery", megabytes: nil))

    @Test(arguments: [
        (setup(library), "10.5 MB to download, 20.0 MB on the disk, in /store."),
        (setup(library, large), "About 680.5 MB to download, 690.0 MB on the disk, in /store."),
        (setup(library, mystery), "10.5 MB to download, and more of a size that the catalog does not know, in /store."),
        (setup(mystery), "A download of a size that the catalog does not know, in /store."),
    ])
    func aDownloadHasTheSizeThatIsKnown(setup: EngineFinder.Setup, sentence: String) {
        #expect(setup.place(in: "/store").split(separator: "\n").first.map(String.init) == sentence)
    }

    @Test func aSmallerModelComesWithItsCommand() {
        let small = EngineFinder.Setup.Part(
            ModelAsset(
                id: "small", engine: "other", locales: ["fr-FR"], name: "The small", byteCount: 71_000_000,
                isPinned: false))
        let setup = EngineFinder.Setup(
            locale: "fr-FR", engine: "best", parts: [Self.library, Self.large],
            smaller: [Self.setup(Self.library, small)])
        #expect(
            setup.choice(of: [])
                == "Smaller, with more errors: The small (about 81.5 MB). “dictate models install --allow-unpinned library small”\n"
        )
    }

    @Test func theListIsNamedIfNoSmallerModelIsKnown() {
        let setup = Self.setup(Self.library, Self.large)
        #expect(setup.choice(of: [Self.large.asset]) == "")
        #expect(setup.choice(of: [Self.large.asset, Self.asset("tiny", megabytes: 40)]) == "")
        #expect(
            setup.choice(of: [Self.large.asset, Self.mystery.asset])
                == "Other models, some of them smaller: “dictate models list --locale fr-FR”\n")
    }
}
