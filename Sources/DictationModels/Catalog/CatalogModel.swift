public import DictationCore
import DictationSystem

/// A model or library in a catalog: its description, its downloads, and the hashes of its files.
public struct CatalogModel: Sendable, Hashable, Codable, Identifiable {
    /// The model's permanent name: up to 100 lowercase letters, digits, `.`, `_` and `-`.
    public var id: String
    /// The engine that uses the model.
    public var engine: EngineID
    /// The locales that the model supports; empty for a library.
    public var locales: [SpeechLocale]
    /// The name to show to users.
    public var name: String
    /// The license, such as `Apache-2.0`.
    public var license: String?
    /// The publisher's name.
    public var publisher: String?
    /// The size of the installed model in bytes.
    public var byteCount: Int64?
    /// The archives and files to download, in order.
    public var downloads: [Download]?
    /// The installed model's files. If given, the model has exactly these files, and other entries of an archive are
    /// skipped.
    public var files: [CatalogModel.File]?
    /// The limits for the unpacked files.
    public var limits: Limits?
    /// The system package that contains the model.
    public var packaged: Package?
    /// Whether this is a model or a library. `nil` means a model.
    ///
    /// A library is code that the engine runs in the app's process. So all of its downloads need hashes, and a catalog
    /// that a user adds can't offer one.
    public var kind: ModelAsset.Kind?

    /// A download: an archive to unpack, a single file, or a wheel.
    public struct Download: Sendable, Hashable, Codable {
        /// The `https` or `http` addresses of the download, in order of preference; empty for a wheel.
        public var mirrors: [String]
        /// The folder inside the archive that becomes the model; empty for the archive's root. `nil` if this is no
        /// archive.
        public var archive: String?
        /// The path of a single file in the model's folder. `nil` if this is no single file.
        public var file: String?
        /// The wheel to download and unpack. `nil` if this is no wheel.
        public var wheel: Wheel?
        /// The SHA-256 of the archive or file, in lowercase hexadecimal.
        public var sha256: String?
        /// The size of the archive or file in bytes.
        public var byteCount: Int64?

        /// Returns the download of an archive to unpack.
        ///
        /// - Parameters:
        ///   - mirrors: The addresses, in order of preference.
        ///   - root: The folder inside the archive that becomes the model.
        ///   - sha256: The SHA-256 of the archive, if known.
        ///   - byteCount: The size of the archive, if known.
        public static func archive(
            _ mirrors: [String], root: String = "", sha256: String? = nil, byteCount: Int64? = nil
        ) -> Download {
            Download(mirrors: mirrors, archive: root, sha256: sha256, byteCount: byteCount)
        }

        /// Returns the download of a single file.
        ///
        /// - Parameters:
        ///   - mirrors: The addresses, in order of preference.
        ///   - path: The file's path in the model's folder.
        ///   - sha256: The SHA-256 of the file, if known.
        ///   - byteCount: The size of the file, if known.
        public static func file(
            _ mirrors: [String], as path: String, sha256: String? = nil, byteCount: Int64? = nil
        ) -> Download {
            Download(mirrors: mirrors, file: path, sha256: sha256, byteCount: byteCount)
        }

        /// Returns the download of a wheel, which pip downloads.
        public static func wheel(_ wheel: Wheel) -> Download { Download(mirrors: [], wheel: wheel) }

        /// Decodes a download. A wheel needs no mirrors.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            mirrors = try container.decodeIfPresent([String].self, forKey: .mirrors) ?? []
            archive = try container.decodeIfPresent(String.self, forKey: .archive)
            file = try container.decodeIfPresent(String.self, forKey: .file)
            wheel = try container.decodeIfPresent(Wheel.self, forKey: .wheel)
            sha256 = try container.decodeIfPresent(String.self, forKey: .sha256)
            byteCount = try container.decodeIfPresent(Int64.self, forKey: .byteCount)
        }

        private init(
            mirrors: [String], archive: String? = nil, file: String? = nil, wheel: Wheel? = nil, sha256: String? = nil,
            byteCount: Int64? = nil
        ) {
            self.mirrors = mirrors
            self.archive = archive
            self.file = file
            self.wheel = wheel
            self.sha256 = sha256
            self.byteCount = byteCount
        }

        /// Whether the download has a known hash.
        var isPinned: Bool { wheel != nil || sha256 != nil }

        /// The size of the file for this machine; `nil` if unknown.
        var size: Int64? { wheel.map { $0.build?.byteCount } ?? byteCount }

        /// Returns the hash of the file for this machine, or `nil` if unknown.
        ///
        /// - Throws: `installationFailed` if a wheel has no build for this machine.
        func expectedHash() throws(DictationError) -> String? {
            guard let wheel else { return sha256 }
            return try wheel.usableBuild().sha256
        }
    }

    /// The limits for the unpacked files. A model that exceeds them is not installed.
    ///
    /// These limits can only lower the library's own: 16 GiB, 16,384 files, and 64 MiB more than 200 times the size of the archives.
    public struct Limits: Sendable, Hashable, Codable {
        /// The greatest size of all files together, in bytes.
        public var byteCount: Int64
        /// The greatest number of files and folders.
        public var fileCount: Int

        /// The library's own limits. No catalog can raise them.
        static let most = Limits(byteCount: 16 << 30, fileCount: 16_384)

        /// Creates limits.
        public init(byteCount: Int64 = 4 << 30, fileCount: Int = 4096) {
            self.byteCount = byteCount
            self.fileCount = fileCount
        }
    }

    /// A system package that contains the model.
    public struct Package: Sendable, Hashable, Codable {
        /// The package's name.
        public var name: String
        /// The absolute path of the model's folder.
        public var path: String

        /// Creates a package.
        public init(name: String, path: String) {
            self.name = name
            self.path = path
        }

        /// Whether the folder is below `/usr`, where only root can put files.
        var isOfTheSystem: Bool { path.utf8.starts(with: "/usr/".utf8) }
    }

    /// Creates a model.
    public init(
        id: String, engine: EngineID, locales: [SpeechLocale], name: String, license: String? = nil,
        publisher: String? = nil, byteCount: Int64? = nil, downloads: [Download]? = nil,
        files: [CatalogModel.File]? = nil,
        limits: Limits? = nil, packaged: Package? = nil, kind: ModelAsset.Kind? = nil
    ) {
        self.id = id
        self.engine = engine
        self.locales = locales
        self.name = name
        self.license = license
        self.publisher = publisher
        self.byteCount = byteCount
        self.downloads = downloads
        self.files = files
        self.limits = limits
        self.packaged = packaged
        self.kind = kind
    }

    /// Whether all of the model's files have known hashes, or come only from a system package.
    public var isPinned: Bool {
        let everyFile = files.map { !$0.isEmpty && $0.allSatisfy { $0.sha256 != nil } } ?? false
        return everyFile || packaged != nil && downloads == nil || (downloads ?? []).allSatisfy(\.isPinned)
    }

    /// The size of all downloads together; `nil` if any size is unknown.
    var downloadByteCount: Int64? { .sum((downloads ?? []).map(\.size)) }

    /// The limits for unpacking: the catalog's limits, and the model's size if the catalog gives it.
    var unpackingLimits: Limits {
        let given = limits ?? Limits()
        return Limits(
            byteCount: byteCount.map { min($0, given.byteCount) } ?? given.byteCount, fileCount: given.fileCount)
    }
}

extension CatalogModel {
    /// A file of an installed model.
    public struct File: Sendable, Hashable, Codable {
        /// The path in the model's folder.
        public var path: String
        /// The SHA-256 of the file, in lowercase hexadecimal.
        public var sha256: String?
        /// The size of the file in bytes.
        public var byteCount: Int64?

        /// Creates a file.
        public init(path: String, sha256: String? = nil, byteCount: Int64? = nil) {
            self.path = path
            self.sha256 = sha256
            self.byteCount = byteCount
        }
    }
}

extension CatalogModel {
    /// The end of a sentence that says whom a user trusts by installing the model without a known hash.
    var trustWithoutHash: String {
        let unknown = (downloads ?? []).filter { !$0.isPinned }.compactMap(\.mirrors.first)
        let isSecure = (downloads ?? []).flatMap(\.mirrors).allSatisfy { $0.utf8.starts(with: "https://".utf8) }
        let others = unknown.count > 1 ? " and \(unknown.count - 1) more" : ""
        return "you would trust \(publisher ?? "whoever answers") for \(unknown.first ?? "its address")\(others), with "
            + (isSecure ? "TLS as the only proof." : "no proof at all, since the address is not https.")
    }

    /// Throws `invalidInput` if the entry makes no sense or could do harm.
    ///
    /// - Parameter mayHaveNoSource: Pass `true` for an imported model, which needs no download and no package.
    func check(mayHaveNoSource: Bool = false) throws(DictationError) {
        func refuse(_ what: String, _ recovery: String) -> DictationError {
            DictationError(
                .invalidInput, "The catalog's model “\(visible(id))” \(what).", recovery: recovery)
        }
        guard FileName(model: id) != nil else {
            throw refuse(
                "has an id that can't be a folder's name",
                "Use up to 100 lowercase letters, digits, “.”, “_” and “-”. Begin with a letter or digit.")
        }
        let isModel = kind ?? .model == .model
        guard !engine.rawValue.isEmpty, !locales.isEmpty || !isModel else {
            throw refuse("has no engine or no locale", "Name its engine and at least one locale.")
        }
        guard isModel || locales.isEmpty else { throw refuse("is no model and has locales", "Remove them.") }
        if kind == .library {
            guard packaged == nil, isPinned else {
                throw refuse("is a library without hashes", "Give the hash of each download.")
            }
        }
        guard locales.count <= Self.mostLocales, locales.allSatisfy(\.identifier.isPlainLabel) else {
            throw refuse("has too many or invalid locales", "Name up to \(Self.mostLocales), such as en-US.")
        }
        guard [engine.rawValue, name, license ?? "", publisher ?? "", packaged?.name ?? ""].allSatisfy(\.isPlainLabel)
        else {
            throw refuse(
                "has a text that is too long, or contains control or invisible characters",
                "Use one line of plain text of up to 200 bytes.")
        }
        guard mayHaveNoSource || (downloads.map { !$0.isEmpty } ?? (packaged != nil)) else {
            throw refuse("has no source", "Give it a download or a package.")
        }
        if let path = packaged?.path, path.utf8.first != 0x2F || (try? RelativePath(path.utf8.dropFirst())) == nil {
            throw refuse("has a package with the invalid path “\(visible(path))”", "Use an absolute path.")
        }
        var downloaded: Set<RelativePath> = []
        for download in downloads ?? [] {
            let forms = [download.archive != nil, download.file != nil, download.wheel != nil]
            guard forms.count(where: \.self) == 1 else {
                throw refuse(
                    "has a download that is not one of “archive”, “file” and “wheel”", "Set exactly one of them.")
            }
            if let wheel = download.wheel {
                guard download.mirrors.isEmpty, download.sha256 == nil, download.byteCount == nil else {
                    throw refuse("has a wheel with mirrors or a hash beside it", "Give the hashes in its “builds”.")
                }
                try wheel.check(refuse)
                for member in wheel.members {
                    guard downloaded.insert(try check(path: member.file, refuse)).inserted else {
                        throw refuse("downloads the file “\(visible(member.file))” twice", "Name each file once.")
                    }
                }
                continue
            }
            guard mayHaveNoSource || !download.mirrors.isEmpty, download.mirrors.allSatisfy(Self.isWebAddress) else {
                throw refuse("has a download without an http or https address", "Correct its “mirrors”.")
            }
            guard download.mirrors.count <= Self.mostMirrors else {
                throw refuse("has a download with too many mirrors", "Name up to \(Self.mostMirrors).")
            }
            if let root = download.archive, !root.isEmpty { try check(path: root, refuse) }
            if let file = download.file, !downloaded.insert(try check(path: file, refuse)).inserted {
                throw refuse("downloads the file “\(visible(file))” twice", "Name each file once.")
            }
            guard download.sha256.map(Self.isHash) ?? true, download.byteCount ?? 0 >= 0 else {
                throw refuse("has a download with an invalid hash or size", "A hash has 64 lowercase hex digits.")
            }
        }
        var paths: Set<RelativePath> = []
        for file in files ?? [] {
            guard paths.insert(try check(path: file.path, refuse)).inserted else {
                throw refuse("names the file “\(visible(file.path))” twice", "Name each file once.")
            }
            guard file.sha256.map(Self.isHash) ?? true, file.byteCount ?? 0 >= 0 else {
                throw refuse(
                    "has an invalid hash or size for “\(visible(file.path))”",
                    "A hash has 64 lowercase hex digits.")
            }
        }
        try checkFolders(downloaded.union(paths), refuse)
        guard byteCount ?? 0 >= 0, limits?.byteCount ?? 0 >= 0, limits?.fileCount ?? 0 >= 0 else {
            throw refuse("has a negative size", "Correct the size.")
        }
    }

    @discardableResult
    private func check(
        path: String, _ refuse: (String, String) -> DictationError
    ) throws(DictationError) -> RelativePath {
        do throws(FileNameFault) {
            let path = try RelativePath(path)
            if path.names[0] != .modelReceipt { return path }
        } catch {
            throw refuse("has the path “\(visible(path))”, which \(error.words)", "Use a plain relative path.")
        }
        throw refuse("has the path “\(visible(path))”, which is reserved for the store", "Use another name.")
    }

    /// Throws if one file's path is the folder of another, such as `a` and `a/b`.
    private func checkFolders(
        _ files: Set<RelativePath>, _ refuse: (String, String) -> DictationError
    ) throws(DictationError) {
        for file in files.sorted() {
            guard let other = file.folders.first(where: files.contains) else { continue }
            throw refuse(
                "has the file “\(visible(file.text))” below “\(visible(other.text))”, which is a file itself",
                "Give one of them another path.")
        }
    }

    /// The greatest number of mirrors of a download.
    private static let mostMirrors = 100
    /// The greatest number of locales. A model of a hundred languages has several for many of them.
    private static let mostLocales = 300

    private static func isWebAddress(_ text: String) -> Bool {
        let isWeb = ["https://", "http://"].contains { text.utf8.starts(with: $0.utf8) }
        return isWeb && text.utf8.count <= 2_048 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    static func isHash(_ text: String) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }
}

extension String {
    /// Returns the text as a path from a catalog or a receipt.
    ///
    /// - Throws: `modelInvalid` if the text is not a plain relative path.
    func asRelativePath() throws(DictationError) -> RelativePath {
        do throws(FileNameFault) { return try RelativePath(self) } catch {
            throw DictationError(
                .modelInvalid, "The path “\(self)” \(error.words).", recovery: "Use a plain relative path.")
        }
    }
}
