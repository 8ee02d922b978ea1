import DictationSystem

/// A folder that remembers which files worked in a helper, so that each version of a file is checked once.
struct WorkingFiles: Sendable {
    /// The folder's path; `nil` to remember nothing.
    let folder: String?

    static var standard: WorkingFiles {
        WorkingFiles(folder: UserFolders.cache().map { $0 + "/swift-dictation/sherpa-onnx" })
    }

    /// Returns a text that identifies these versions of the files; `nil` when a file is missing. It differs from the text
    /// for earlier files at the same paths.
    static func fingerprint(_ purpose: String, of files: [String]) -> String? {
        var parts = [purpose]
        for path in files {
            let stamp = FileListing.stamp(of: path)
            guard !stamp.isEmpty else { return nil }
            parts.append(stamp.map(String.init).joined(separator: "."))
        }
        return parts.joined(separator: "_")
    }

    func contains(_ fingerprint: String) -> Bool {
        guard let folder, let name = name(fingerprint), let open = try? Folder.existing(folder) else { return false }
        return (try? open.read(name)) == Array(fingerprint.utf8)
    }

    /// Remembers files that worked. When this fails, the check just runs again next time.
    func insert(_ fingerprint: String) {
        guard let folder, let name = name(fingerprint), let open = try? Folder.making(folder, .own) else { return }
        try? open.write(fingerprint.utf8, to: name, .own)
    }

    private func name(_ fingerprint: String) -> FileName? {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in fingerprint.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return try? FileName("works-\(String(hash, radix: 16))")
    }
}
