public import DictationCore
public import DictationService
import DictationSystem

extension ProfileSettings {
    /// Returns the destinations of the text, in their order.
    ///
    /// - Parameter folder: The folder to which paths are relative.
    /// - Throws: `invalidInput` for a destination that lacks its setting.
    public func destinations(folder: String = ".") throws(DictationError) -> DestinationChain {
        var chain = DestinationChain()
        for name in deliveryDestinations { chain.destinations.append(try destination(name, folder: folder)) }
        return chain
    }

    /// Returns a destination as the settings describe it.
    ///
    /// - Parameters:
    ///   - name: The destination's name.
    ///   - folder: The folder to which paths are relative.
    /// - Throws: `invalidInput` for a destination that lacks its setting.
    public func destination(
        _ name: ProfileSettings.Destination, folder: String = "."
    ) throws(DictationError) -> any TextDestination {
        switch name {
        case .keyboard: return KeyboardDestination()
        case .wtype: return WtypeDestination(lineBreaks: lineBreaks)
        case .xdotool: return XdotoolDestination(lineBreaks: lineBreaks)
        case .paste: return try PasteDestination(key: KeyboardKey(pasteKeys), lineBreaks: lineBreaks)
        case .clipboard: return ClipboardDestination()
        case .output: return OutputDestination()
        case .file:
            guard let path = deliveryFile else { throw Self.missing("file", "deliver.file", "a path") }
            return FileDestination(path: PathBytes(path).isAbsolute ? path : folder + "/" + path)
        case .command:
            guard !deliveryCommand.isEmpty else { throw Self.missing("command", "deliver.command", "a program") }
            return CommandDestination(deliveryCommand)
        }
    }

    private static func missing(_ name: String, _ setting: String, _ value: String) -> DictationError {
        DictationError(
            .invalidInput, "The destination “\(name)” needs the setting “\(setting)”.",
            recovery: "Set that to \(value) first, or leave “\(name)” out of “deliver.to”.")
    }
}
