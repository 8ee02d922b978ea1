import DictationSystem

/// A JSON value with its line, so that an error can name the line.
struct LocatedJSON {
    enum Kind {
        case null
        case bool(Bool)
        case number(String)
        case string(String)
        case array([LocatedJSON])
        case object([(key: String, value: LocatedJSON)])
    }

    /// An error in a text: its line, and what is wrong there.
    struct Problem: Error {
        let line: Int
        let what: String
    }

    let line: Int
    let kind: Kind

    init(line: Int, kind: Kind) {
        self.line = line
        self.kind = kind
    }

    /// Reads a JSON text to its end.
    init(reading text: some Sequence<UInt8>) throws(Problem) {
        let bytes = Array(text)
        do throws(JSONPlaces.Problem) {
            let places = try JSONPlaces(bytes, .json)
            var reader = Reader(places: places)
            self = try reader.value(places.root)
        } catch {
            throw Problem(line: JSONPlaces.line(of: error.place, in: bytes), what: error.words)
        }
    }

    /// Reads values in the order of the text, so that each line break is counted once.
    private struct Reader {
        let places: JSONPlaces
        private var counted = 0
        private var line = 1

        init(places: JSONPlaces) { self.places = places }

        mutating func value(_ value: JSONPlaces.Value) throws(JSONPlaces.Problem) -> LocatedJSON {
            let start = value.range.lowerBound
            line += places.bytes[counted..<start].count { $0 == UInt8(ascii: "\n") }
            counted = start
            return LocatedJSON(line: line, kind: try kind(value))
        }

        private mutating func kind(_ value: JSONPlaces.Value) throws(JSONPlaces.Problem) -> Kind {
            switch value.kind {
            case .list(let items):
                var all: [LocatedJSON] = []
                for item in items { all.append(try self.value(item)) }
                return .array(all)
            case .object(let members):
                var all: [(key: String, value: LocatedJSON)] = []
                for member in members { all.append((member.name, try self.value(member.value))) }
                return .object(all)
            case .single: break
            }
            let bytes = places.bytes[value.range]
            switch bytes.first {
            case UInt8(ascii: "\""):
                guard let text = places.string(value.range) else {
                    throw JSONPlaces.Problem(place: value.range.lowerBound, words: "a text has half a character")
                }
                return .string(text)
            case UInt8(ascii: "t"): return .bool(true)
            case UInt8(ascii: "f"): return .bool(false)
            case UInt8(ascii: "n"): return .null
            default: return .number(String(decoding: bytes, as: UTF8.self))
            }
        }
    }

    /// The value, for error messages.
    var name: String {
        switch kind {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let text): text
        case .string(let text): "\"\(text)\""
        case .array: "a list"
        case .object: "an object"
        }
    }
}
