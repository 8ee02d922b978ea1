import DictationCore

/// The clipboard of the desktop, by the programs of wl-clipboard or by xclip.
struct Clipboard: Sendable {
    /// What the clipboard holds, in one of the kinds in which its owner offers it.
    struct Contents: Sendable, Hashable {
        var kind: String
        var bytes: [UInt8]
    }

    /// The kinds to keep, the best first. A text that is also offered as HTML is kept as text.
    private static let kinds = [
        "x-special/gnome-copied-files", "text/uri-list", "text/plain;charset=utf-8", "UTF8_STRING", "text/plain",
        "STRING", "image/png",
    ]

    private let isWayland: Bool
    private let copying: DesktopProgram
    private let pasting: DesktopProgram

    /// - Throws: `unsupportedOption` if there is no desktop, or its program is not installed.
    init(_ environment: [String: String]) throws(DictationError) {
        isWayland = environment["WAYLAND_DISPLAY"] != nil
        guard isWayland || environment["DISPLAY"] != nil else {
            throw DictationError(
                .unsupportedOption, "There is no desktop: neither WAYLAND_DISPLAY nor DISPLAY is set.",
                recovery: "Start the service from within the desktop, or set one of them for it.")
        }
        let package = isWayland ? "wl-clipboard" : "xclip"
        copying = DesktopProgram(isWayland ? "wl-copy" : "xclip", package: package, environment)
        pasting = DesktopProgram(isWayland ? "wl-paste" : "xclip", package: package, environment)
        _ = try copying.path
        _ = try pasting.path
    }

    /// Puts a text on the clipboard, and makes sure that it is there.
    ///
    /// - Parameter isSensitive: Whether programs that keep a history are asked to leave it out. Only newer versions of
    ///   wl-clipboard can.
    func copy(_ text: String, isSensitive: Bool = false) async throws(DictationError) {
        let marks = isSensitive && isWayland ? try await sensitiveMarks() : []
        try await copy(
            Contents(kind: isWayland ? "text/plain;charset=utf-8" : "UTF8_STRING", bytes: Array(text.utf8)), marks)
        guard await has(text) else {
            throw DictationError(
                .unsupportedOption, "The clipboard did not take the text.",
                recovery: "Try again. Another program may have copied at the same moment.")
        }
    }

    /// Whether the clipboard holds a text.
    func has(_ text: String) async -> Bool { (try? await contents())?.bytes == Array(text.utf8) }

    /// Returns what the clipboard holds; `nil` if it is empty.
    ///
    /// - Throws: An error if the program that has copied does not answer, or if its contents are too large to keep.
    func contents() async throws(DictationError) -> Contents? {
        let list = isWayland ? ["--list-types"] : ["-selection", "clipboard", "-out", "-target", "TARGETS"]
        let output: [UInt8]
        do throws(DictationError) { output = try await pasting.run(list) } catch {
            // The programs fail at once if nobody has copied anything.
            guard error.code == .engineFailed else { throw .unkept(error) }
            return nil
        }
        let offered = String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
        // X11 also offers what is no content, in names without a slash.
        let other = offered.first { $0.contains("/") }  // Not a path: a media type.
        guard let kind = Self.kinds.first(where: offered.contains) ?? other else { return nil }
        let paste =
            isWayland
            ? ["--no-newline", "--type", kind] : ["-selection", "clipboard", "-out", "-target", kind]
        do throws(DictationError) { return Contents(kind: kind, bytes: try await pasting.run(paste)) } catch {
            throw .unkept(error)
        }
    }

    /// Puts contents on the clipboard; `nil` empties it.
    func restore(_ contents: Contents?) async throws(DictationError) {
        if let contents {
            try await copy(contents, [])
        } else if isWayland {
            _ = try await copying.run(["--clear"])
        } else {
            try await copy(Contents(kind: "UTF8_STRING", bytes: []), [])
        }
    }

    private func copy(_ contents: Contents, _ marks: [String]) async throws(DictationError) {
        let arguments =
            isWayland
            ? marks + ["--type", contents.kind] : ["-selection", "clipboard", "-in", "-target", contents.kind]
        _ = try await copying.run(arguments, input: contents.bytes, leavesProcesses: true)
    }

    private func sensitiveMarks() async throws(DictationError) -> [String] {
        let help = String(decoding: try await copying.run(["--help"]), as: UTF8.self)
        return help.contains("--sensitive") ? ["--sensitive"] : []
    }
}

extension DictationError {
    /// The error of contents that can't be put back later.
    fileprivate static func unkept(_ reason: DictationError) -> DictationError {
        DictationError(
            reason.code, "What the clipboard holds can't be kept. \(reason.message)",
            recovery: "Copy something else first.", underlying: reason.underlying)
    }
}
