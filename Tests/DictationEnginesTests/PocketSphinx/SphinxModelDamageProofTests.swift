#if PocketSphinx
import DictationCore
import Foundation
import Testing

/// Models with damaged files. Each is loaded and decodes speech, so this is not part of everyday runs.
@Suite(.serialized) struct SphinxModelDamageProofTests {
    @Test(arguments: SphinxModelCopy.files) func aTruncatedFileIsAnError(file: String) async throws {
        let whole = try Data(contentsOf: URL(filePath: SphinxModelCopy.installed + "/" + file))
        for length in [0, 1, 3, 20, whole.count / 2, whole.count - 1] where length < whole.count {
            let copy = try SphinxModelCopy()
            try copy.replace(file, whole.prefix(length))
            let error = await copy.outcome()
            // A text that ends at a whole line is still one.
            if error == nil {
                #expect(["feat.params", "noisedict", "cmudict-en-us.dict"].contains { file.hasSuffix($0) })
            }
            if let error { #expect(error.recovery != nil) }
        }
    }

    @Test(arguments: SphinxModelCopy.files) func aRandomFileIsAnError(file: String) async throws {
        var random = SystemRandomNumberGenerator()
        let size = try Data(contentsOf: URL(filePath: SphinxModelCopy.installed + "/" + file)).count
        let copy = try SphinxModelCopy()
        let noise = (0..<min(size, 300_000)).map { _ in UInt8.random(in: 0...255, using: &random) }
        try copy.replace(file, Data(noise))
        let error = await copy.outcome()
        #expect([.modelInvalid, .fileUnreadable].contains(error?.code), "\(file)")
    }

    @Test(arguments: SphinxModelCopy.files) func aFileWithARandomStretchIsSurvived(file: String) async throws {
        var random = SystemRandomNumberGenerator()
        let whole = try Data(contentsOf: URL(filePath: SphinxModelCopy.installed + "/" + file))
        for _ in 0..<2 {
            var data = whole
            let start = Int.random(in: 0..<data.count, using: &random)
            for index in start..<min(data.count, start + 64) {
                data[index] = UInt8.random(in: 0...255, using: &random)
            }
            let copy = try SphinxModelCopy()
            try copy.replace(file, data)
            // An error or a recognition: the process lives either way.
            if let error = await copy.outcome() { #expect(error.recovery != nil) }
        }
    }
}
#endif
