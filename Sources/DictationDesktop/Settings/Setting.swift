import DictationCore
import DictationService
import DictationText

/// A setting: its name, the values that it takes, and where they go.
struct Setting<Target: Sendable>: Sendable {
    /// The name, such as `text.numbers`.
    let name: String
    /// The kind of value, for messages: "true or false".
    let expects: String
    /// What it does, for people.
    let summary: String
    /// The values that it takes, in the words of JSON Schema.
    let schema: [String: JSONValue]
    /// Takes a value; `false` if it is not of the right kind.
    let set: @Sendable (inout Target, JSONValue) -> Bool
    let value: @Sendable (Target) -> JSONValue

    /// Whether a value is of the right kind.
    func takes(_ value: JSONValue, of target: Target) -> Bool {
        var target = target
        return set(&target, value)
    }
}

/// A place in settings.
typealias Place<Target, Value> = any WritableKeyPath<Target, Value> & Sendable

extension Setting {
    static func flag(_ name: String, _ place: Place<Target, Bool>, _ summary: String) -> Setting {
        Setting(name: name, expects: "true or false", summary: summary, schema: ["type": .text("boolean")]) {
            target, value in
            guard case .flag(let flag) = value else { return false }
            target[keyPath: place] = flag
            return true
        } value: {
            .flag($0[keyPath: place])
        }
    }

    /// A text that may be missing, as `null`.
    static func text(_ name: String, _ place: Place<Target, String?>, _ summary: String) -> Setting {
        Setting(name: name, expects: "a text, or null", summary: summary, schema: .text(orNull: true)) {
            target, value in
            switch value {
            case .null: target[keyPath: place] = nil
            case .text(let text) where !text.isEmpty && !text.utf8.contains(0): target[keyPath: place] = text
            default: return false
            }
            return true
        } value: {
            $0[keyPath: place].map { .text($0) } ?? .null
        }
    }

    static func texts(_ name: String, _ place: Place<Target, [String]>, _ summary: String) -> Setting {
        Setting(
            name: name, expects: "a list of texts", summary: summary, schema: .list(of: .text(orNull: false))
        ) { target, value in
            guard case .list(let items) = value else { return false }
            let texts = items.compactMap { item in
                if case .text(let text) = item, !text.isEmpty { text } else { String?.none }
            }
            guard texts.count == items.count else { return false }
            target[keyPath: place] = texts
            return true
        } value: {
            .list($0[keyPath: place].map { .text($0) })
        }
    }

    static func words<Word: RawRepresentable & CaseIterable & Sendable>(
        _ name: String, _ place: Place<Target, [Word]>, _ summary: String
    ) -> Setting where Word.RawValue == String {
        let words = Word.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        return Setting(
            name: name, expects: "a list of \(words)", summary: summary, schema: .list(of: .words(of: Word.self))
        ) { target, value in
            guard case .list(let items) = value else { return false }
            let found = items.compactMap { item in
                if case .text(let text) = item { Word(rawValue: text) } else { Word?.none }
            }
            guard found.count == items.count else { return false }
            target[keyPath: place] = found
            return true
        } value: {
            .list($0[keyPath: place].map { .text($0.rawValue) })
        }
    }

    /// A time in seconds. With `null` it is left out.
    static func seconds(
        _ name: String, _ place: Place<Target, Duration?>, in range: ClosedRange<Double>, _ summary: String
    ) -> Setting {
        let (low, high) = (JSONValue.number(range.lowerBound).json, JSONValue.number(range.upperBound).json)
        return Setting(
            name: name, expects: "seconds from \(low) to \(high), or null", summary: summary,
            schema: .number(["number", "null"], in: range)
        ) { target, value in
            switch value {
            case .null: target[keyPath: place] = nil
            case .number(let seconds) where range.contains(seconds):
                target[keyPath: place] = Duration(wireSeconds: seconds)
            default: return false
            }
            return true
        } value: {
            $0[keyPath: place].map { .number($0.wireSeconds) } ?? .null
        }
    }

    static func number(
        _ name: String, _ place: Place<Target, Int>, in range: ClosedRange<Int>, _ summary: String
    ) -> Setting {
        let expects = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        return Setting(
            name: name, expects: expects, summary: summary,
            schema: .number(["integer"], in: Double(range.lowerBound)...Double(range.upperBound))
        ) { target, value in
            guard case .number(let number) = value, let whole = Int(exactly: number), range.contains(whole) else {
                return false
            }
            target[keyPath: place] = whole
            return true
        } value: {
            .number(Double($0[keyPath: place]))
        }
    }

    static func word<Word: RawRepresentable & CaseIterable & Sendable>(
        _ name: String, _ place: Place<Target, Word>, _ summary: String
    ) -> Setting where Word.RawValue == String {
        let words = Word.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        return Setting(
            name: name, expects: "one of \(words)", summary: summary, schema: .words(of: Word.self)
        ) { target, value in
            guard case .text(let text) = value, let word = Word(rawValue: text) else { return false }
            target[keyPath: place] = word
            return true
        } value: {
            .text($0[keyPath: place].rawValue)
        }
    }
}

extension [String: JSONValue] {
    static func text(orNull: Bool) -> Self {
        ["type": orNull ? .list([.text("string"), .text("null")]) : .text("string"), "minLength": .number(1)]
    }

    static func text(pattern: String) -> Self { ["type": .text("string"), "pattern": .text(pattern)] }

    fileprivate static func list(of items: Self) -> Self { ["type": .text("array"), "items": .object(items)] }

    fileprivate static func words<Word: RawRepresentable & CaseIterable>(of type: Word.Type) -> Self
    where Word.RawValue == String { ["enum": .list(Word.allCases.map { .text($0.rawValue) })] }

    fileprivate static func number(_ types: [String], in range: ClosedRange<Double>) -> Self {
        [
            "type": types.count == 1 ? .text(types[0]) : .list(types.map { .text($0) }),
            "minimum": .number(range.lowerBound), "maximum": .number(range.upperBound),
        ]
    }
}
