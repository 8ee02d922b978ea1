import Foundation
import Testing

@testable import DictationDesktop
@testable import DictationService

/// The schema in Docs is the one that the settings give.
@Suite struct SettingsSchemaTests {
    @Test func theSchemaIsThatOfTheSettings() throws {
        let path = URL(filePath: #filePath).appending(path: "../../../../Docs/dictate-settings.schema.json")
            .standardized
        let kept = try String(contentsOf: path, encoding: .utf8)
        #expect(
            kept == SettingsFile.schema + "\n",
            "Write it with “dictate settings schema >Docs/dictate-settings.schema.json”.")
    }

    @Test func itDescribesEachSetting() throws {
        let schema = try #require(JSONSerialization.jsonObject(with: Data(SettingsFile.schema.utf8)) as? [String: Any])
        let usual = try #require(schema["properties"] as? [String: Any])
        let profiles = try #require((usual["profiles"] as? [String: Any])?["additionalProperties"] as? [String: Any])
        let names = ServiceSettings.all.map(\.name) + ProfileSettings.all.map(\.name)
        #expect(Self.described(usual) == Set(names))
        #expect(Self.described(profiles["properties"]) == Set(ProfileSettings.all.map(\.name)))
    }

    /// The names of the properties with a description, such as `text.numbers`.
    private static func described(_ properties: Any?, _ prefix: String = "") -> Set<String> {
        (properties as? [String: [String: Any]] ?? [:]).reduce(into: []) { found, property in
            let name = prefix + property.key
            if property.value["description"] != nil { found.insert(name) }
            found.formUnion(described(property.value["properties"], name + "."))
        }
    }
}
