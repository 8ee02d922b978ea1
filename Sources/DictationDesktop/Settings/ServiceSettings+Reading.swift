public import DictationCore
import DictationSystem
import DictationText
import FoundationEssentials

extension ServiceSettings {
    /// Reads settings from JSON5.
    ///
    /// - Parameters:
    ///   - text: The bytes of the file.
    ///   - path: The path of the file, for messages.
    ///   - adjusting: Changes the usual settings before the profiles take them over, for instance as the command line
    ///     says.
    /// - Throws: `invalidInput` with the line of what can't be read, is unknown or has a wrong value.
    public init(
        parsing text: [UInt8], path: String, adjusting: (inout ServiceSettings) -> Void = { _ in }
    ) throws(DictationError) {
        self.init()
        do throws(JSONPlaces.Problem) {
            try read(JSONPlaces(text, .json5), adjusting)
        } catch {
            let line = JSONPlaces.line(of: error.place, in: text)
            throw DictationError(
                .invalidInput, "Line \(line) of “\(path)”: \(error.words).",
                recovery: "Change the line. The schema lists all settings.")
        }
    }

    private mutating func read(
        _ text: JSONPlaces, _ adjusting: (inout ServiceSettings) -> Void
    ) throws(JSONPlaces.Problem) {
        let document = SettingsDocument(text)
        guard let members = text.root.members else {
            throw JSONPlaces.Problem(place: text.root.range.lowerBound, words: "settings begin with “{”")
        }
        var named: [JSONPlaces.Member] = []
        for member in members {
            if member.name == "profiles" {
                guard let profiles = member.value.members else {
                    throw JSONPlaces.Problem(
                        place: member.place, words: "“profiles” needs an object with a profile for each name")
                }
                named = profiles
            } else if try !document.read(member, Self.all, into: &self),
                try !document.read(member, ProfileSettings.all, into: &usual)
            {
                throw document.unknown(member)
            }
        }
        adjusting(&self)
        for profile in named {
            guard Self.isName(profile.name) else {
                throw JSONPlaces.Problem(
                    place: profile.place,
                    words: "the name of a profile may only have letters, digits, “-” and “_”, at most 64")
            }
            guard let members = profile.value.members else {
                throw JSONPlaces.Problem(place: profile.place, words: "a profile begins with “{”")
            }
            var settings = usual
            for member in members where try !document.read(member, ProfileSettings.all, into: &settings) {
                throw document.unknown(member)
            }
            profiles[profile.name] = settings
        }
    }

    /// Whether a profile may have a name, which is also a part of a file's name.
    static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.unicodeScalars.allSatisfy {
                $0 == "-" || $0 == "_" || $0.properties.isAlphabetic || ("0"..."9").contains($0)
            }
    }
}

/// Reads the members of a settings file.
private struct SettingsDocument {
    private let text: JSONPlaces

    init(_ text: JSONPlaces) { self.text = text }

    /// Reads a member, which may be an object of several settings; `false` if there is none of its name.
    func read<Target>(
        _ member: JSONPlaces.Member, _ settings: [Setting<Target>], into target: inout Target, prefix: String = ""
    ) throws(JSONPlaces.Problem) -> Bool {
        let name = prefix + member.name
        if let setting = settings.first(where: { $0.name == name }) {
            let place = member.value.range.lowerBound
            guard let value = JSONValue(json5: Array(text.bytes[member.value.range])) else {
                throw JSONPlaces.Problem(place: place, words: "the value of “\(name)” can't be read")
            }
            guard setting.set(&target, value) else {
                throw JSONPlaces.Problem(place: place, words: "“\(name)” needs \(setting.expects)")
            }
            return true
        }
        let below = settings.filter { $0.name.hasPrefix(name + ".") }
        guard !below.isEmpty else { return false }
        guard let members = member.value.members else {
            throw JSONPlaces.Problem(place: member.place, words: "“\(name)” needs an object")
        }
        for inner in members where try !read(inner, below, into: &target, prefix: name + ".") {
            throw unknown(inner, prefix: name + ".")
        }
        return true
    }

    func unknown(_ member: JSONPlaces.Member, prefix: String = "") -> JSONPlaces.Problem {
        JSONPlaces.Problem(place: member.place, words: "there is no setting “\(prefix + member.name)”")
    }
}
