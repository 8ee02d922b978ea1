/// The values that IBus wraps in variants. Each begins with the name of its class and its attachments.
enum IBusValues {
    /// A text, with an underline if it may still change.
    static func text(_ text: String, isUnderlined: Bool = false) -> BusValue {
        var attributes: [BusValue] = []
        if isUnderlined {
            let end = UInt32(clamping: text.unicodeScalars.count)
            // Type 1 is an underline, and value 1 a single one.
            let underline = [1, 1, 0, end].map { BusValue.number32($0) }
            attributes.append(.variant(object("IBusAttribute", underline)))
        }
        let list = object("IBusAttrList", [.array(of: "v", attributes)])
        return .variant(object("IBusText", [.string(text), .variant(list)]))
    }

    /// The program that has the engine, for a daemon that does not know it from a file.
    static var component: BusValue {
        let words = [
            IBusInstallation.component, IBusInstallation.title, "1", IBusInstallation.license, IBusInstallation.author,
            "", "", "",
        ]
        let description = [
            IBusInstallation.engine, IBusInstallation.title, IBusInstallation.title, "other", IBusInstallation.license,
            IBusInstallation.author, "audio-input-microphone", "default",
        ]
        let rest = ["", IBusInstallation.symbol, "", "", "", "1", "", ""]
        let engine = object(
            "IBusEngineDesc", description.map { .string($0) } + [.number32(0)] + rest.map { .string($0) })
        return .variant(
            object(
                "IBusComponent",
                words.map { .string($0) } + [.array(of: "v", []), .array(of: "v", [.variant(engine)])]))
    }

    private static func object(_ name: String, _ fields: [BusValue]) -> BusValue {
        .structure([.string(name), .dictionary([])] + fields)
    }
}
