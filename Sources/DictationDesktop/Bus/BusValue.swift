/// A value in a message of a bus, of the types that this library sends.
enum BusValue: Sendable, Hashable {
    case string(String)
    case path(String)
    case flag(Bool)
    case number32(UInt32)
    case integer32(Int32)
    case number64(UInt64)
    case double(Double)
    indirect case variant(BusValue)
    /// Named values of any type.
    case dictionary([Entry])
    case structure([BusValue])
    /// Values of one type, which has a signature.
    case array(of: String, [BusValue])

    /// A named value in a dictionary.
    struct Entry: Sendable, Hashable {
        var name: String
        var value: BusValue
    }

    /// The type, as the specification of D-Bus writes it.
    var signature: String {
        switch self {
        case .string: "s"
        case .path: "o"
        case .flag: "b"
        case .number32: "u"
        case .integer32: "i"
        case .number64: "t"
        case .double: "d"
        case .variant: "v"
        case .dictionary: "a{sv}"
        case .structure(let fields): "(" + fields.map(\.signature).joined() + ")"
        case .array(let element, _): "a" + element
        }
    }
}
