/// A model that a server offers.
public struct RemoteModel: Sendable, Hashable {
    /// The model's name.
    public var name: String
    /// The languages that it recognizes, as the server names them; empty if the server doesn't tell.
    public var languages: [String]

    /// Creates a model.
    public init(name: String, languages: [String] = []) {
        self.name = name
        self.languages = languages
    }
}
