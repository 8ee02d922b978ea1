public import DictationCore
import DictationSystem
import DictationText

/// The user's settings, in a JSON5 file that people write by hand.
///
/// A change keeps the comments, the order and the layout of the file.
public struct SettingsFile: Sendable {
    /// The path of the user's settings: `dictation/settings.json5` in `$XDG_CONFIG_HOME`, usually `~/.config`; `nil` if
    /// the user has no home.
    public static var standardPath: String? { UserFolders.configuration().map { $0 + "/dictation/settings.json5" } }

    /// The file's path.
    public let path: String
    /// The most bytes in a file.
    private static let byteLimit = 1 << 20
    private static let empty = Array("{\n}\n".utf8)

    /// Creates a description of a file, which need not exist.
    public init(path: String) { self.path = path }

    /// The folder of the file, to which paths in the settings are relative.
    public var folder: String { PathBytes(path).folder ?? "." }

    /// Returns the settings; the usual ones if there is no file.
    ///
    /// - Parameter adjusting: Changes the usual settings before the profiles take them over.
    /// - Throws: `invalidInput` with the line of what is wrong.
    public func read(
        adjusting: (inout ServiceSettings) -> Void = { _ in }
    ) throws(DictationError) -> ServiceSettings {
        try ServiceSettings(parsing: try bytes() ?? Self.empty, path: path, adjusting: adjusting)
    }

    /// Changes a setting. Creates the file if it does not exist.
    ///
    /// - Parameters:
    ///   - name: The name, such as `text.numbers` or `profiles.german.language`.
    ///   - value: A text, or any other value as JSON5.
    /// - Throws: `invalidInput` for an unknown name, a wrong value, or a destination that lacks its setting. The file then
    ///   stays as it is.
    /// - Returns: A closure that undoes the change, unless the file was changed since.
    @discardableResult
    public func set(_ name: String, to value: String) throws(DictationError) -> Undo {
        let known = try KnownSetting(name)
        // One word may be a list.
        let candidates = [JSONValue(json5: Array(value.utf8)), .text(value), .list([.text(value)])].compactMap(\.self)
        guard let wanted = candidates.first(where: known.takes) else {
            throw DictationError(
                .invalidInput, "“\(name)” needs \(known.expects), not “\(value)”.",
                recovery: known.expects.hasPrefix("a list")
                    ? #"Write a list of several as JSON: “["…", "…"]”."# : "Give another value.")
        }
        return try change { old throws(DictationError) in
            guard let new = try changed(old ?? Self.empty, { $0.setting(known.path, to: wanted.json) }) else {
                throw DictationError(
                    .invalidInput, "The settings in “\(path)” have another value where an object has to be.",
                    recovery: "Change the file by hand.")
            }
            return new
        }
    }

    /// Removes a setting, so that it has its usual value. Does nothing if it is not in the file.
    @discardableResult
    public func unset(_ name: String) throws(DictationError) -> Undo {
        let known = try KnownSetting(name)
        return try change { old throws(DictationError) in
            guard let old else { return nil }
            return try changed(old, { $0.removing(known.path) })
        }
    }

    /// Undoes a change, unless the file was changed since.
    public typealias Undo = @Sendable () throws(DictationError) -> Void

    /// Changes the bytes while no other program does.
    private func change(
        _ body: ([UInt8]?) throws(DictationError) -> [UInt8]?
    ) throws(DictationError) -> Undo {
        let place = try place()
        let lock = try FolderLock(place.folder)
        defer { withExtendedLifetime(lock) {} }
        let old = try bytes()
        guard let new = try body(old) else { return {} }
        try check(new, replacing: old ?? Self.empty)
        try write(new, to: place)
        return { () throws(DictationError) in
            let place = try self.place()
            let lock = try FolderLock(place.folder)
            defer { withExtendedLifetime(lock) {} }
            if try self.bytes() == new { try self.write(old ?? Self.empty, to: place) }
        }
    }

    /// Reads new settings before they are written. A profile that can deliver its texts must still be able to.
    private func check(_ new: [UInt8], replacing old: [UInt8]) throws(DictationError) {
        let after = try ServiceSettings(parsing: new, path: path)
        let before = try ServiceSettings(parsing: old, path: path)
        let changes = [(before.usual, after.usual)] + after.profiles.map { (before.profiles[$0] ?? before.usual, $1) }
        for (old, new) in changes where (try? old.destinations()) != nil { _ = try new.destinations() }
    }

    private func changed(_ old: [UInt8], _ body: (JSONPlaces) -> [UInt8]?) throws(DictationError) -> [UInt8]? {
        // A file that is wrong already is not changed, so that its error names a line that the user has written.
        _ = try ServiceSettings(parsing: old, path: path)
        return (try? JSONPlaces(old, .json5)).flatMap(body)
    }

    // MARK: The file

    /// The file without links, in its folder, which is made if need be.
    private func place() throws(DictationError) -> UserPath {
        try UserPath(followingLinksOf: path)
    }

    private func bytes() throws(DictationError) -> [UInt8]? {
        try OpenFile.reading(path)?.readAll(limit: Self.byteLimit)
    }

    /// Replaces the file in one step. A link stays a link, and its target is replaced.
    private func write(_ bytes: [UInt8], to place: borrowing UserPath) throws(DictationError) {
        var status = stat()
        let isThere = stat(path, &status) == 0
        try place.folder.write(bytes, to: place.name, isThere ? .mode(status.st_mode) : .usual)
        try place.folder.sync()
    }
}

/// A setting that a name means.
private struct KnownSetting {
    /// The names on the way to it.
    let path: [String]
    let expects: String
    /// Whether it takes a value.
    let takes: (JSONValue) -> Bool

    init(_ name: String) throws(DictationError) {
        path = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let isInProfile = path.count > 2 && path[0] == "profiles" && ServiceSettings.isName(path[1])
        let inner = isInProfile ? path.dropFirst(2).joined(separator: ".") : name
        if let setting = ProfileSettings.all.first(where: { $0.name == inner }) {
            (expects, takes) = (setting.expects, { setting.takes($0, of: ProfileSettings()) })
        } else if !isInProfile, let setting = ServiceSettings.all.first(where: { $0.name == name }) {
            (expects, takes) = (setting.expects, { setting.takes($0, of: ServiceSettings()) })
        } else {
            throw DictationError(
                .invalidInput, "There is no setting “\(name)”.",
                recovery: "The schema lists all settings. Those of a profile are “profiles.NAME.SETTING”.")
        }
    }
}
