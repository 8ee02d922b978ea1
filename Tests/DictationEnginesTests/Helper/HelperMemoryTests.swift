import Foundation
import TestSupport
import Testing

/// The memory of a program whose engine works in a helper. No file backs it, so the system can't take it back.
enum HelperMemoryUse {
    static let limit = 25_000

    static func expectLittle(_ engine: String, _ samples: [Int16]) throws {
        let folder = try HelperFolder()
        try Data(samples.withUnsafeBytes { Array($0) }).write(to: URL(filePath: folder.path("audio")))
        let run = try folder.run(
            try folder.copy(of: "HelperProbe", in: "own"), ["helper-memory", engine, folder.path("audio")])
        print("memory of a program with \(engine): \(run.output)", terminator: "")
        let numbers = run.output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        try #require(run.status == 0 && numbers.count == 4, "\(run)")
        #expect(numbers[0] > 0, "Nothing was recognized.")
        #expect(numbers[1] > 0 && numbers[1] + numbers[2] < limit, "\(run.output)")
    }
}

@Suite(.ownThread) struct HelperMemoryTests {
    @Test func aProgramWithAHostedZipformerIsSmall() throws {
        try HelperMemoryUse.expectLittle(
            "zipformer:" + SherpaFixtures.modelFolder(), SherpaFixtures.samples("mfa-ipa_us_2"))
    }
}

@Suite(.serialized, .ownThread) struct HelperMemoryProofTests {
    @Test func aProgramWithAHostedMoonshineIsSmall() throws {
        try HelperMemoryUse.expectLittle(
            "moonshine:" + SherpaFixtures.moonshineFolder(), SherpaFixtures.samples("jfk"))
    }

    #if PocketSphinx
    @Test func aProgramWithHostedPocketSphinxIsSmall() throws {
        try HelperMemoryUse.expectLittle(
            "pocketsphinx:" + SphinxModelCopy.installed, Speech.dashwood.samples() + quiet(1))
    }
    #endif
}
