import DictationCore
import DictationSystem
import DictationTesting
import DictationText
import Foundation
import Glibc
import TestSupport
import Testing

@testable import DictationDesktop
@testable import DictationService

/// Settings that a command changes in a file that a person wrote.
@Suite struct SettingsFileTests {
    private static let written = """
        // My settings.
        {
          // At home I speak German.
          language: "de-DE",   // from Berlin

          text: { numbers: true },
          profiles: {
            work: {
              language: 'en-US' // the office
            },
          },
          /* the end */
        }
        """

    /// Changes a file and returns its text.
    private func changed(_ text: String?, _ change: (SettingsFile) throws -> Void) throws -> String {
        let folder = try TemporaryFolder()
        let file = SettingsFile(path: folder.file("dictation/settings.json5"))
        if let text {
            try FileManager.default.createDirectory(atPath: folder.file("dictation"), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(filePath: file.path))
        }
        try change(file)
        return String(decoding: try Data(contentsOf: URL(filePath: file.path)), as: UTF8.self)
    }

    @Test(arguments: [0o600, 0o640, 0o644, 0o660, 0o444])
    func aFileKeepsItsMode(_ mode: Int) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Array("{}".utf8), to: "settings.json5")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        try SettingsFile(path: path).set("text.undo", to: "true")
        let after = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(after == mode)
    }

    @Test func changesAtOnceAreAllKept() async throws {
        let folder = try TemporaryFolder()
        let file = SettingsFile(path: folder.file("settings.json5"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...12 {
                group.addTask { try file.set("profiles.p\(number).language", to: "en-US") }
            }
            try await group.waitForAll()
        }
        #expect(try file.read().profiles.count == 12)
    }

    @Test func aRefusedChangeIsUndone() throws {
        let text = try changed(Self.written) { file in
            let undo = try file.set("language", to: "fr-FR")
            try undo()
        }
        #expect(text == Self.written)
    }

    @Test func aLinkToNothingIsNotReplaced() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: "missing")
        #expect(throws: DictationError.self) {
            try SettingsFile(path: folder.file("link")).set("text.undo", to: "true")
        }
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.file("link")) == "missing")
    }

    @Test(
        arguments: [
            ("language", "fr-FR", "\"de-DE\"", "\"fr-FR\""),
            ("text.numbers", "false", "numbers: true", "numbers: false"),
            ("text.undo", "true", "numbers: true }", "numbers: true, undo: true }"),
            ("engine", "sherpa-onnx", "  /* the end */\n}", "  /* the end */\n  engine: \"sherpa-onnx\",\n}"),
            ("engine", "null", "  /* the end */\n}", "  /* the end */\n  engine: null,\n}"),
            ("profiles.work.language", "it-IT", "'en-US' // the office", "\"it-IT\" // the office"),
            (
                "profiles.work.text.paragraphs", "true", "'en-US' // the office\n",
                "'en-US', // the office\n      text: {\n        paragraphs: true,\n      },\n"
            ),
            (
                "profiles.mail.destination", "the window", "      language: 'en-US' // the office\n    },\n",
                "      language: 'en-US' // the office\n    },\n    mail: {\n      destination: \"the window\",\n    },\n"
            ),
            (
                "context", "['a', \"b\\\"c\"]", "  /* the end */\n}",
                "  /* the end */\n  context: [\"a\",\"b\\\"c\"],\n}"
            ),
            ("stopAfterSilence", "2.5", "  /* the end */\n}", "  /* the end */\n  stopAfterSilence: 2.5,\n}"),
            ("destination", "true", "  /* the end */\n}", "  /* the end */\n  destination: \"true\",\n}"),
        ]) func aChangeKeepsEverythingElse(name: String, value: String, old: String, new: String) throws
    {
        let text = try changed(Self.written) { try $0.set(name, to: value) }
        #expect(text == Self.written.replacing(old, with: new))
        #expect(try changed(text) { try $0.set(name, to: value) } == text, "A second time changes nothing.")
    }

    @Test func aRemovedSettingTakesItsLineAlong() throws {
        #expect(
            try changed(Self.written) { try $0.unset("profiles.work.language") }
                == Self.written.replacing("language: 'en-US' // the office", with: " // the office"))
        #expect(
            try changed("{\n  engine: \"a\",\n  model: \"b\"\n}\n") { try $0.unset("engine") }
                == "{\n  model: \"b\"\n}\n")
        #expect(try changed("{engine: 'a', model: 'b'}") { try $0.unset("model") } == "{engine: 'a', }")
        #expect(try changed(Self.written) { try $0.unset("engine") } == Self.written)
    }

    @Test(arguments: [nil, "", "{}", "{ }", "{\n}", "// all mine\n{}\n"]) func theFirstSettingMakesTheFile(old: String?)
        throws
    {
        if old == "" {
            #expect(
                thrown { _ = try changed("") { try $0.set("engine", to: "a") } }?.message.contains("Line 1") == true)
            return
        }
        let text = try changed(old) { try $0.set("text.numbers", to: "true") }
        #expect(text.contains("text: {\n    numbers: true,\n  },\n}"), "\(text)")
        #expect(try ServiceSettings(parsing: Array(text.utf8), path: "p").usual.text.numbers)
    }

    @Test(
        arguments: [
            ("langauge", "x"), ("text", "{}"), ("profiles", "{}"), ("profiles.a", "{}"), ("profiles.a.keepTexts", "1"),
            ("profiles...engine", "x"), ("keepTexts", "many"), ("language", "*"), ("stopAfterSilence", "-3"),
            ("profiles.a/b.engine", "x"), ("", ""), (".", "."),
        ]) func aWrongChangeLeavesTheFileAlone(name: String, value: String) throws
    {
        var found: DictationError?
        let text = try changed(Self.written) { file in found = thrown { try file.set(name, to: value) } }
        #expect(text == Self.written && found?.code == .invalidInput, "\(String(describing: found))")
    }

    @Test(
        arguments: [("file", "deliver.file", "\"notes\""), ("command", "deliver.command", "[\"cat\"]")],
        ["", "profiles.mail."]
    ) func aDestinationComesAfterItsSetting(names: (String, String, String), prefix: String) throws {
        let (list, setting, value) = ("[\"clipboard\",\"\(names.0)\"]", prefix + names.1, names.2)
        var found: DictationError?
        let refused = try changed(Self.written) { file in
            found = thrown { try file.set(prefix + "deliver.to", to: list) }
        }
        #expect(refused == Self.written && found?.message.contains(names.1) == true)
        let whole = try changed(Self.written) { file in
            try file.set(setting, to: value)
            try file.set(prefix + "deliver.to", to: list)
        }
        let kept = try changed(whole) { file in found = thrown { try file.unset(setting) } }
        #expect(whole.contains(list) && kept == whole && found?.message.contains(names.1) == true)
        // A file that a person left without the setting can be changed.
        let broken = whole.replacing(value, with: names.0 == "file" ? "null" : "[]")
        let completed = try changed(broken) { file in
            try file.set("engine", to: "a")
            try file.set(setting, to: value)
        }
        #expect(completed.contains(value) && completed.contains("engine"))
    }

    @Test(arguments: ["strg+v", "v+ctrl", "ctrl", "ctrl++v", " -x", "ctrl+v\n", "ctrl v", ""])
    func keysThatDoNotExistPasteNothing(_ keys: String) throws {
        var found: DictationError?
        let text = try changed(Self.written) { file in found = thrown { try file.set("deliver.pasteKeys", to: keys) } }
        #expect(text == Self.written && found?.code == .invalidInput)
        #expect(try changed("{}") { try $0.set("deliver.pasteKeys", to: "Shift+Insert") }.contains("Shift+Insert"))
    }

    @Test func aFileThatIsWrongAlreadyIsNotChanged() throws {
        let broken = "{\n  engine: 1,\n}\n"
        var found: DictationError?
        let text = try changed(broken) { file in found = thrown { try file.set("model", to: "m") } }
        #expect(text == broken && found?.message.contains("Line 2") == true)
    }

    @Test func aLinkStaysALink() throws {
        let folder = try TemporaryFolder()
        let (real, link) = (folder.file("real.json5"), folder.file("link.json5"))
        try Data("{\n}\n".utf8).write(to: URL(filePath: real))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: real)
        try SettingsFile(path: link).set("engine", to: "a")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == real)
        #expect(try SettingsFile(path: real).read().usual.engine == "a")
    }

    @Test func aPipeOrAFolderIsNoFileOfSettings() throws {
        let folder = try TemporaryFolder()
        mkfifo(folder.file("pipe"), 0o600)
        for path in [folder.file("pipe"), folder.path, "/dev/zero"] {
            #expect(thrown { _ = try SettingsFile(path: path).read() } != nil)
        }
        #expect(try SettingsFile(path: folder.file("none/settings.json5")).read() == ServiceSettings())
    }

    @Test func randomChangesKeepCommentsOrderAndOtherValues() throws { try SettingsFuzz(seed: 1).run(2_000) }
}

/// The error of the library that something throws.
private func thrown(_ body: () throws -> Void) -> DictationError? {
    do { try body() } catch { return error as? DictationError }
    return nil
}

/// Random texts, most of them settings, changed at random places.
private struct SettingsFuzz {
    let seed: UInt64

    func run(_ count: Int) throws {
        var random = SplitMix64(seed: seed)
        var (changes, refusals) = (0, 0)
        let names = ProfileSettings.all.map(\.name)
        let values = ["true", "\"a\"", "3", "null", "[\"x\"]", "\"en-US\"", "\"speed\""]
        for _ in 0..<count {
            var text = Self.text(&random)
            if Int.random(in: 0..<3, using: &random) == 0 {
                for _ in 0..<Int.random(in: 1...3, using: &random) where !text.isEmpty {
                    let place = Int.random(in: text.indices, using: &random)
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: text[place] = UInt8.random(in: .min ... .max, using: &random)
                    case 1: text.remove(at: place)
                    default: text.insert(contentsOf: #"{"#.utf8, at: place)
                    }
                }
            }
            guard let before = try? ServiceSettings(parsing: text, path: "p"),
                let places = try? JSONPlaces(text, .json5)
            else {
                refusals += 1
                continue
            }
            var path = (names.randomElement(using: &random) ?? "engine").split(separator: ".").map(String.init)
            if Bool.random(using: &random) { path = ["profiles", "new"] + path }
            let literal = values.randomElement(using: &random) ?? "1"
            guard let new = places.setting(path, to: literal) else { continue }
            // What was there is still there, in its order: the change adds or replaces one value.
            let name = path.joined(separator: ".")
            if let after = try? ServiceSettings(parsing: new, path: "p") {
                let old = Dictionary(uniqueKeysWithValues: before.entries.map { ($0.name, $0.json) })
                for entry in after.entries where entry.name != name && !Self.isInherited(entry.name, from: name) {
                    if !entry.name.hasPrefix("profiles.new.") || old[entry.name] != nil {
                        #expect(
                            old[entry.name] == entry.json, "\(entry.name) in \(String(decoding: new, as: UTF8.self))")
                    }
                }
                changes += 1
            }
            // A comment inside a list goes away with the list.
            let comments = Self.comments(in: text).filter { path != ["context"] || $0 != "#90#" }
            #expect(Self.comments(in: new) == comments, "\(String(decoding: new, as: UTF8.self))")
            if let removed = try? JSONPlaces(new, .json5).removing(path) {
                #expect((try? JSONPlaces(removed, .json5)) != nil, "\(String(decoding: removed, as: UTF8.self))")
            }
        }
        #expect(changes > count / 10 && refusals > count / 20, "\(changes) changes, \(refusals) refusals")
    }

    /// Whether a profile may have taken over the changed usual setting.
    private static func isInherited(_ entry: String, from name: String) -> Bool {
        entry.hasPrefix("profiles.") && entry.hasSuffix("." + name)
    }

    private static func comments(in text: [UInt8]) -> [String] {
        String(decoding: text, as: UTF8.self).matches(of: /#\d+#/).map { String($0.output) }
    }

    private static func text(_ random: inout SplitMix64) -> [UInt8] {
        var count = 0
        func gap(_ random: inout SplitMix64) -> String {
            count += 1
            switch Int.random(in: 0..<8, using: &random) {
            case 0: return " // #\(count)#\n"
            case 1: return "/* #\(count)# */"
            case 2: return "\n  "
            case 3: return "\r\n\t"
            case 4: return ""
            default: return " "
            }
        }
        func object(_ members: [(String, String)], _ random: inout SplitMix64) -> String {
            var text = "{" + gap(&random)
            for (index, member) in members.enumerated() {
                text += Bool.random(using: &random) ? member.0 : "\"\(member.0)\""
                text += gap(&random) + ":" + gap(&random) + member.1 + gap(&random)
                if index < members.count - 1 || Bool.random(using: &random) { text += "," + gap(&random) }
            }
            return text + "}"
        }
        var members = [("engine", "'a'"), ("context", "['b', /* #90# */ \"c\",]"), ("maximumLength", "1e2")]
        members.append(("text", object([("undo", "true"), ("numbers", "false")], &random)))
        let profile = object([("language", "\"de-DE\""), ("text", object([], &random))], &random)
        members.append(("profiles", object([("old", profile)], &random)))
        members = members.shuffled(using: &random).dropLast(Int.random(in: 0...5, using: &random))
        return Array((gap(&random) + object(members, &random) + gap(&random)).utf8)
    }
}
