import DictationCore
import Foundation
import Testing

@Suite struct EngineCapabilitiesTests {
    @Test func capabilitiesFromBeforeThereWereRestrictionsAreRead() throws {
        let old = #"{"features": ["dictation", "wordTimes"], "maximumSessions": 3}"#
        let capabilities = try JSONDecoder().decode(EngineCapabilities.self, from: Data(old.utf8))
        #expect(capabilities == EngineCapabilities([.dictation, .wordTimes], maximumSessions: 3))
    }

    @Test func whatIsWrittenIsReadAgain() throws {
        var capabilities = EngineCapabilities([.dictation])
        capabilities.restrictions = [.noNetwork, .noCoreFiles]
        let json = try JSONEncoder().encode(capabilities)
        #expect(try JSONDecoder().decode(EngineCapabilities.self, from: json) == capabilities)
    }
}
