import Foundation
import Testing

@testable import DictationService

/// The schema in Docs describes exactly the settings that the service reads.
@Suite struct SettingsSchemaTests {
    private struct Schema: Decodable {
        struct Property: Decodable {
            var properties: [String: Property]?
            var description: String?
            var ref: String?
            var additionalProperties: Additional?

            private enum CodingKeys: String, CodingKey {
                case properties, description, additionalProperties
                case ref = "$ref"
            }

            enum Additional: Decodable {
                case nothing
                case property([String: Property])

                init(from decoder: any Decoder) throws {
                    if (try? decoder.singleValueContainer().decode(Bool.self)) != nil {
                        self = .nothing
                    } else {
                        let inner = try Property(from: decoder)
                        self = .property(inner.properties ?? [:])
                    }
                }
            }
        }

        var properties: [String: Property]
        var definitions: [String: Property]
    }

    private let schema: Schema

    init() throws {
        let path = URL(filePath: #filePath).appending(path: "../../../../Docs/dictate-settings.schema.json")
            .standardized
        schema = try JSONDecoder().decode(Schema.self, from: Data(contentsOf: path))
    }

    /// The names and descriptions, such as `text.numbers`.
    private func described(_ properties: [String: Schema.Property], _ prefix: String = "") -> [String: String] {
        properties.reduce(into: [:]) { found, property in
            let name = prefix + property.key
            let value = property.value.ref == nil ? property.value : schema.definitions[property.key]
            if let inner = value?.properties {
                found.merge(described(inner, name + ".")) { $1 }
            } else {
                found[name] = value?.description ?? ""
            }
        }
    }

    @Test func theSchemaHasEachSettingAndNoOther() throws {
        var usual = schema.properties
        let profiles = usual.removeValue(forKey: "profiles")
        let service = Set(ServiceSettings.all.map(\.name)), profile = Set(ProfileSettings.all.map(\.name))
        #expect(Set(described(usual).keys) == service.union(profile))
        guard case .property(let inner)? = profiles?.additionalProperties else {
            Issue.record("The schema has no profiles.")
            return
        }
        #expect(Set(described(inner).keys) == profile)
        let words = described(usual)
        for setting in ProfileSettings.all { #expect(words[setting.name] == setting.summary) }
        for setting in ServiceSettings.all {
            #expect(words[setting.name]?.hasPrefix(setting.summary) == true, "\(setting.name)")
        }
    }
}
