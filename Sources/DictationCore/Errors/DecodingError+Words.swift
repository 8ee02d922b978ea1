extension DecodingError {
    /// What is wrong with a JSON document, for people, such as "it has no 'name'".
    package var words: String {
        switch self {
        case .keyNotFound(let key, let context):
            return "it has no “\(Self.place(of: context.codingPath + [key]))”"
        case .dataCorrupted(let context) where context.codingPath.isEmpty:
            return "it is not JSON"
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            let place = context.codingPath.isEmpty ? "it" : "“\(Self.place(of: context.codingPath))”"
            return "\(place) has the wrong type or value"
        @unknown default: return "it is not JSON of the right kind"
        }
    }

    /// A place in a document, such as `models[0].id`.
    private static func place(of path: [any CodingKey]) -> String {
        path.reduce(into: "") { place, key in
            if let index = key.intValue {
                place += "[\(index)]"
            } else {
                place += (place.isEmpty ? "" : ".") + key.stringValue
            }
        }
    }
}
