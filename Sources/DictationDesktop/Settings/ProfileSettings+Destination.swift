extension ProfileSettings {
    /// The destinations that settings can name.
    public enum Destination: String, Sendable, Hashable, CaseIterable {
        /// `KeyboardDestination`.
        case keyboard
        /// ``WtypeDestination``.
        case wtype
        /// ``XdotoolDestination``.
        case xdotool
        /// ``PasteDestination``.
        case paste
        /// ``ClipboardDestination``.
        case clipboard
        /// `OutputDestination`: the standard output of the service.
        case output
        /// `FileDestination`.
        case file
        /// `CommandDestination`.
        case command
    }
}
