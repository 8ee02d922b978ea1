public import DictationCore
import DictationSystem
import Glibc

/// The file that tells IBus of a program with a keyboard for dictation.
///
/// The user then finds the keyboard in the desktop's settings, and ibus-daemon starts the program when it is chosen. IBus reads
/// no folder of a user, so this needs an administrator. Run `ibus restart` afterwards.
@_spi(Command) public struct IBusInstallation: Sendable, Hashable {
    /// The folder in which IBus looks for such files.
    public static let standardFolder = "/usr/share/ibus/component"
    /// The name of the keyboard, as for the command `ibus engine`.
    public static let engine = "dictation"
    /// The name of the program on the bus of IBus.
    static let component = "org.swift_dictation.Keyboard"
    static let (title, symbol) = ("Dictation", "🎤")
    static let (license, author) = ("Apache-2.0", "The swift-dictation authors")

    /// The file's path.
    public let path: String
    /// What the file contains.
    public let text: String
    private let folder: String

    /// Describes the file for a program.
    ///
    /// - Parameters:
    ///   - program: The program's absolute path.
    ///   - arguments: The arguments with which it runs an ``IBusKeyboard``.
    ///   - folder: The folder to install into.
    /// - Throws: `invalidInput` if a word has control characters, which the file can't have.
    public init(
        program: String, arguments: [String] = [], folder: String = standardFolder
    ) throws(DictationError) {
        let words = [program] + arguments
        guard words.allSatisfy({ $0.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } }) else {
            throw DictationError(
                .invalidInput, "The command line “\(words.joined(separator: " "))” has control characters.",
                recovery: "Choose other names.")
        }
        self.folder = folder
        path = folder + "/dictation.xml"
        text = Self.xml(words.map(ServiceInstallation.quotedForBus).joined(separator: " "))
    }

    /// Writes the file, in place of an older one.
    ///
    /// - Throws: `permissionDenied` if only an administrator can, and `invalidInput` if the file there is of another program.
    public func install() throws(DictationError) {
        try checkOwner()
        if access(folder, W_OK) != 0, errno == EACCES || errno == EROFS { throw notAllowed }
        guard let name = try? FileName("dictation.xml") else { return }
        try Folder.making(folder).write(text.utf8, to: name)
        // Everybody's ibus-daemon reads it.
        guard chmod(path, 0o644) == 0 else { throw .file("share", path, errno) }
    }

    /// Removes the file.
    ///
    /// - Throws: `permissionDenied` if only an administrator can, and `invalidInput` if the file is of another program.
    public func uninstall() throws(DictationError) {
        try checkOwner()
        guard unlink(path) == 0 || errno == ENOENT else {
            throw errno == EACCES ? notAllowed : .file("remove", path, errno)
        }
    }

    /// Checks that a file that is there was installed by this type.
    private func checkOwner() throws(DictationError) {
        guard let bytes = try OpenFile.reading(path)?.readAll() else { return }
        guard String(decoding: bytes, as: UTF8.self).contains("<name>\(Self.component)</name>") else {
            throw DictationError(
                .invalidInput, "“\(visible(path))” belongs to another program.",
                recovery: "Choose another folder, or move the file away.")
        }
    }

    private var notAllowed: DictationError {
        DictationError(
            .permissionDenied, "Only an administrator can change “\(visible(folder))”.",
            recovery: "Do it with sudo, or choose another folder and name it in IBUS_COMPONENT_PATH.")
    }

    private static func xml(_ command: String) -> String {
        """
        <?xml version="1.0" encoding="utf-8"?>
        <component>
            <name>\(component)</name>
            <description>\(title)</description>
            <exec>\(command.inMarkup())</exec>
            <version>1</version>
            <author>\(author)</author>
            <license>\(license)</license>
            <engines>
                <engine>
                    <name>\(engine)</name>
                    <longname>\(title)</longname>
                    <description>Writes what you say</description>
                    <language>other</language>
                    <license>\(license)</license>
                    <author>\(author)</author>
                    <icon>audio-input-microphone</icon>
                    <layout>default</layout>
                    <symbol>\(symbol)</symbol>
                    <rank>0</rank>
                </engine>
            </engines>
        </component>

        """
    }
}
