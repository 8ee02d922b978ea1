/// The field that has the focus, as the calls of ibus-daemon describe it: a value, so that it can be tested without one.
struct IBusFocus: Hashable {
    /// Programs that have one input context for all fields of a window, although their names are those of GTK.
    private static let sharing = [
        "firefox", "thunderbird", "librewolf", "chrom", "epiphany", "evolution", "geary", "webkit",
    ]
    private static let surroundingText: UInt32 = 1 << 5
    private static let privateHint: UInt32 = 1 << 11
    private static let lowercaseHint: UInt32 = 1 << 3
    /// Free text and letters. Numbers, addresses, names and terminals begin no sentence.
    private static let prosePurposes: Set<UInt32> = [0, 1]

    /// The number of the connection. A daemon that is started again counts its contexts from 1.
    private let connection: Int
    /// The path of the input context; `nil` if none has the focus.
    private(set) var context: String?
    private var client = ""
    /// How often the focus has moved.
    private var visit = 0
    /// Whether the context's field is known to take text.
    private var isCertain = false
    private var capabilities: UInt32 = 0
    private var purpose: UInt32 = 0
    private var hints: UInt32 = 0
    /// The identities that fields had before their programs told what they can.
    private var firstIDs: [String: String] = [:]

    /// Of how many fields the first identity is remembered.
    private static let memoryLimit = 64

    init(connection: Int) { self.connection = connection }

    /// The field; `nil` if no field has the focus.
    var field: KeyboardField? {
        // This is the daemon's own context, for programs without a field.
        guard let context, client != "fake", isCertain else { return nil }
        let isText = Self.prosePurposes.contains(purpose)
        // A terminal that does not say that it is one does not tell its text either.
        return KeyboardField(
            id: firstIDs[id(of: context)] ?? id(of: context), secret: secret,
            isProse: isText && hints & Self.lowercaseHint == 0, takesLines: isText && tellsText,
            tellsText: tellsText)
    }

    private func id(of context: String) -> String { "\(connection)\(context)" + (isShared ? "#\(visit)" : "") }

    private var secret: KeyboardField.Secret? {
        switch purpose {
        case 8: .password
        case 9: .pin
        default: hints & Self.privateHint != 0 ? .privateText : nil
        }
    }

    /// Whether several fields may have the same context. Then nothing tells whether the focus returns to the same field.
    private var isShared: Bool {
        guard client.hasPrefix("gtk3-im:") || client.hasPrefix("gtk4-im:"), tellsText else { return true }
        return Self.sharing.contains { client.contains($0) }
    }

    /// Whether the program tells the text before the cursor.
    var tellsText: Bool { capabilities & Self.surroundingText != 0 }

    /// Whether the program keeps text that may still change when the focus moves.
    var keepsPreview: Bool { client.hasPrefix("QIBus") || client.hasPrefix("Qt") }

    // MARK: Calls

    mutating func enter(_ context: String, _ client: String) {
        (self.context, self.client) = (context, client)
        visit += 1
        isCertain = true
    }

    /// Takes the focus of a context without a name, as at first from a daemon that has just made the engine. It may be the
    /// daemon's own context, which gets no keys.
    mutating func enterUnnamed(_ engine: String) {
        enter(engine, "")
        isCertain = false
    }

    mutating func leave(_ context: String?) {
        guard context == nil || context == self.context else { return }
        self.context = nil
    }

    /// The program has reset its context. One that shares it may have moved the focus, perhaps into a password.
    mutating func reset() {
        guard isShared else { return }
        visit += 1
        isCertain = false
    }

    /// The focused field gets keys, so it takes text.
    mutating func key() { isCertain = context != nil }

    /// Learns what the program can. Its field stays the same, although it may have another identity from now on.
    mutating func set(capabilities: UInt32) {
        let (first, old) = (field?.id, context.map(id))
        self.capabilities = capabilities
        guard let first, let new = context.map(id), new != old else { return }
        if firstIDs.count >= Self.memoryLimit { firstIDs = [:] }
        firstIDs[new] = first
    }

    mutating func set(purpose: UInt32, hints: UInt32) { (self.purpose, self.hints) = (purpose, hints) }
}
