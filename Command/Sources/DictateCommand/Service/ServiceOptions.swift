import DictationCore
import DictationDesktop
import DictationService

extension Options {
    static let socket = Option<String>(
        text: "socket", "PATH",
        "The socket of the service. Default: dictation/socket in $XDG_RUNTIME_DIR.", completion: .files)
    static let settings = Option<String>(
        text: "settings", "FILE", "The settings. Default: dictation/settings.json5 in $XDG_CONFIG_HOME.",
        completion: .files)
    static let profile = Option<String>(
        text: "profile", "NAME", "Start the take with this profile of the settings.")
    static let port = Option<Int>(number: "port", "PORT", "The port of the page. Default: a free one.", in: 1...65_535)
    static let json = Flag("json", "Print the answer as JSON.")
    static let noJournal = Flag(
        "no-journal", "Keep no texts and no audio on the disk. A crash then loses what was said.")
    static let type = Flag("type", "Type a test text into this terminal, and check that it arrives.")
    static let followStatus = Flag("follow", "Print a line for each change, also while the service starts and ends.")

    /// The flags for written text that a service can follow while the text arrives.
    static let writing = [numbers, spokenPunctuation, removeFillers, undo, paragraphs]

    /// The format of a status.
    enum StatusFormat: String, Sendable, CaseIterable { case text, json, waybar }
    static let statusFormat = Option<StatusFormat>(
        oneOf: "format", "FORMAT", "text, json, or waybar: a JSON object for a bar's custom module.")
}

/// Returns the file of the settings.
func settingsFile(_ invocation: Invocation) throws -> SettingsFile {
    guard let path = try invocation.value(Options.settings) ?? SettingsFile.standardPath else {
        throw DictationError(
            .invalidInput, "There is no folder for the settings.", recovery: "Set HOME, or add --settings FILE.")
    }
    return SettingsFile(path: path)
}

/// Returns the path of the service's socket.
func socketPath(_ invocation: Invocation) throws -> String {
    if let path = try invocation.value(Options.socket) { return path }
    guard let path = ServiceListener.standardPath else {
        throw DictationError(
            .invalidInput, "There is no folder for the socket of the service.",
            recovery: "Set XDG_RUNTIME_DIR, or add --socket PATH.")
    }
    return path
}
