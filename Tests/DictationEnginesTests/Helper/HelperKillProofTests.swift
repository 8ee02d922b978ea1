import Foundation
import TestSupport
import Testing

/// Helpers that are killed at random moments. `DICTATION_KILLS` is the number of all kills; 100 by default.
@Suite(.serialized, .ownThread) struct HelperKillProofTests {
    private static let count = ProcessInfo.processInfo.environment["DICTATION_KILLS"].flatMap { Int($0) } ?? 100

    @Test func killsWhileAudioIsRecognizedCostNoWordAndLeaveNothing() throws {
        try expectNoLoss("helper-kills", share: 0.5, "scripted:", [Int16](repeating: 0, count: 16_000 * 8))
    }

    @Test func killsDuringTakesCostNoWordAndLeaveNothing() throws { try expectNoLoss("helper-take-kills", share: 0.3) }

    /// Several sentences, because the network writes the next one otherwise if it did not hear the ones before.
    @Test func killsOfAZipformerCostNoWordAndLeaveNothing() throws {
        let pause = [Int16](repeating: 0, count: 32_000)
        let sentences = try ["mfa-ipa_us_2", "lj-LJ001-0002", "lj-LJ001-0006", "jfk"].map {
            try SherpaFixtures.samples($0)
        }
        try expectNoLoss(
            "helper-kills", share: 0.15, "zipformer:" + SherpaFixtures.modelFolder(), sentences.flatMap { $0 + pause })
    }

    #if PocketSphinx
    @Test func killsOfPocketSphinxCostNoWordAndLeaveNothing() throws {
        try expectNoLoss(
            "helper-kills", share: 0.05, "pocketsphinx:" + SphinxModelCopy.installed,
            Speech.ill.samples() + quiet(2) + Speech.goForward.samples() + quiet(1))
    }
    #endif

    private func expectNoLoss(
        _ trial: String, share: Double, _ engine: String? = nil, _ samples: [Int16] = []
    ) throws {
        let folder = try HelperFolder()
        try Data(samples.withUnsafeBytes { Array($0) }).write(to: URL(filePath: folder.path("audio")))
        let program = try folder.copy(of: "HelperProbe", in: "own")
        let count = max(1, Int((Double(Self.count) * share).rounded()))
        let engine = engine.map { [$0, folder.path("audio")] } ?? []
        let run = try folder.run(program, [trial, "\(count)", "1"] + engine)
        print("\(trial) \(engine.first ?? ""): \(run.output)")
        #expect(run.status == 0 && run.output.hasPrefix("all kills, "), "\(run)")
    }
}
