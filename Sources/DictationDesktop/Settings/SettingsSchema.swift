import DictationText
import FoundationEssentials

extension SettingsFile {
    /// The schema of settings files, for editors.
    public static var schema: String {
        var properties = object(ServiceSettings.all, and: ProfileSettings.all)
        properties["profiles"] = .object([
            "type": .text("object"),
            "propertyNames": .object(["pattern": .text("^[-_0-9A-Za-z\u{80}-\u{FFFF}]{1,64}$")]),
            "additionalProperties": .object(Schema.object(object(ProfileSettings.all))),
        ])
        var document = Schema.object(properties)
        document["$schema"] = .text("http://json-schema.org/draft-07/schema#")
        document["$id"] = .text("dictate-settings-1")
        document["title"] = .text("The settings of the dictation service")
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(JSONValue.object(document))).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private typealias Schema = [String: JSONValue]

    private static func object<Other>(_ some: [Setting<Other>], and all: [Setting<ProfileSettings>]) -> Schema {
        object(some).merging(object(all)) { $1 }
    }

    /// The properties for settings, of which those with a point in their names lie in an object.
    private static func object<Target>(_ settings: [Setting<Target>], at depth: Int = 0) -> Schema {
        var properties: Schema = [:]
        func parts(_ setting: Setting<Target>) -> [Substring] { setting.name.split(separator: ".") }
        for (name, group) in Dictionary(grouping: settings, by: { String(parts($0)[depth]) }) {
            if let setting = group.first, parts(setting).count == depth + 1 {
                properties[name] = .object(setting.schema.merging(["description": .text(setting.summary)]) { $1 })
            } else {
                properties[name] = .object(Schema.object(object(group, at: depth + 1)))
            }
        }
        return properties
    }
}

extension [String: JSONValue] {
    /// An object with these properties and no others.
    fileprivate static func object(_ properties: Self) -> Self {
        ["type": .text("object"), "additionalProperties": .flag(false), "properties": .object(properties)]
    }
}
