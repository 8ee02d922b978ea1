/// A relative path that stays inside its folder.
struct ModelPath: Hashable, Sendable {
    let components: [String]

    /// `nil` for a path that is absolute, climbs, or names nothing.
    init?(_ text: String) {
        guard !text.hasPrefix("/"), !text.utf8.contains(0) else { return nil }
        components = text.split(separator: "/").map(String.init).filter { $0 != "." }
        guard !components.isEmpty, components.count <= 16 else { return nil }
        guard components.allSatisfy({ $0 != ".." && $0.utf8.count <= 255 }) else { return nil }
    }

    var text: String { components.joined(separator: "/") }

    /// The path below a folder; `nil` when it is not below it.
    func below(_ folder: ModelPath?) -> ModelPath? {
        guard let folder else { return self }
        guard components.count > folder.components.count, components.starts(with: folder.components) else { return nil }
        return ModelPath(components.dropFirst(folder.components.count).joined(separator: "/"))
    }

    /// Whether a text can name a model's folder.
    static func isName(_ text: String) -> Bool {
        guard (1...100).contains(text.utf8.count), text.first != "." else { return false }
        return text.utf8.allSatisfy { byte in
            (97...122).contains(byte) || (48...57).contains(byte) || [46, 45, 95].contains(byte)
        }
    }
}
