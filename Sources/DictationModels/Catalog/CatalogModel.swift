public import DictationCore
import DictationFiles

/// A model in a catalogue: what it is, where to get it, and what its files must be.
public struct CatalogModel: Sendable, Hashable, Codable, Identifiable {
    /// The model's stable name: small letters, digits, `.`, `_` and `-`.
    public var id: String
    /// The engine that uses it.
    public var engine: EngineID
    /// The locales that it is for.
    public var locales: [SpeechLocale]
    /// What a person calls it.
    public var name: String
    /// Its license, such as `Apache-2.0`.
    public var license: String?
    /// Who makes it.
    public var publisher: String?
    /// The bytes that it takes when installed.
    public var byteCount: Int64?
    /// The archives and files to fetch, in order.
    public var downloads: [Download]?
    /// The installed model's files. If given, the model has exactly these, and nothing else in an archive is unpacked.
    public var files: [ModelFile]?
    /// The most that unpacking may produce.
    public var limits: Limits?
    /// Where a package of the system puts the model.
    public var packaged: Package?

    /// Something to fetch: an archive that is unpacked, or a single file.
    public struct Download: Sendable, Hashable, Codable {
        /// Where it is, the first choice first: `https` or `http`.
        public var mirrors: [String]
        /// The folder inside the archive that becomes the model; empty for the archive's own root.
        public var archive: String?
        /// Where a single file goes in the model.
        public var file: String?
        /// The SHA-256 of what is fetched, in hexadecimal.
        public var sha256: String?
        /// The bytes to fetch.
        public var byteCount: Int64?

        /// Something to fetch and unpack.
        public static func archive(
            _ mirrors: [String], root: String = "", sha256: String? = nil, byteCount: Int64? = nil
        ) -> Download {
            Download(mirrors: mirrors, archive: root, file: nil, sha256: sha256, byteCount: byteCount)
        }

        /// A single file to fetch.
        public static func file(
            _ mirrors: [String], as path: String, sha256: String? = nil, byteCount: Int64? = nil
        ) -> Download {
            Download(mirrors: mirrors, archive: nil, file: path, sha256: sha256, byteCount: byteCount)
        }
    }

    /// The most that unpacking may produce. More counts as an attack, and nothing is installed. The library has limits of
    /// its own, which these can only lower: 16 GiB, 16,384 files, and 200 times the size of the archives.
    public struct Limits: Sendable, Hashable, Codable {
        /// The bytes of all files together.
        public var byteCount: Int64
        /// The number of files and folders.
        public var fileCount: Int

        /// The library's own limits, which no catalogue can raise.
        static let most = Limits(byteCount: 16 << 30, fileCount: 16_384)

        /// Makes limits.
        public init(byteCount: Int64 = 4 << 30, fileCount: Int = 4096) {
            self.byteCount = byteCount
            self.fileCount = fileCount
        }
    }

    /// A package of the system that holds the model.
    public struct Package: Sendable, Hashable, Codable {
        /// The package's name.
        public var name: String
        /// The folder that is the model.
        public var path: String

        /// Makes a package.
        public init(name: String, path: String) {
            self.name = name
            self.path = path
        }

        /// Whether only root puts files there.
        var isOfTheSystem: Bool { path.utf8.starts(with: "/usr/".utf8) }
    }

    /// Makes a model.
    public init(
        id: String, engine: EngineID, locales: [SpeechLocale], name: String, license: String? = nil,
        publisher: String? = nil, byteCount: Int64? = nil, downloads: [Download]? = nil, files: [ModelFile]? = nil,
        limits: Limits? = nil,
        packaged: Package? = nil
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
    }

    /// Whether the catalogue says what every file must be.
    public var isPinned: Bool {
        let everyFile = files.map { !$0.isEmpty && $0.allSatisfy { $0.sha256 != nil } } ?? false
        return everyFile || packaged != nil && downloads == nil || (downloads ?? []).allSatisfy { $0.sha256 != nil }
    }

    /// The bytes to fetch in all, where that is known.
    var downloadByteCount: Int64? {
        var sum: Int64 = 0
        for download in downloads ?? [] {
            guard let count = download.byteCount else { return nil }
            let (next, overflow) = sum.addingReportingOverflow(count)
            if overflow { return nil }
            sum = next
        }
        return sum
    }

    /// The most that unpacking may give.
    var unpackingLimits: Limits {
        let given = limits ?? Limits()
        return Limits(
            byteCount: byteCount.map { min($0, given.byteCount) } ?? given.byteCount, fileCount: given.fileCount)
    }
}

/// A file of a model.
public struct ModelFile: Sendable, Hashable, Codable {
    /// Where it is in the model's folder.
    public var path: String
    /// Its SHA-256, in hexadecimal.
    public var sha256: String?
    /// Its size.
    public var byteCount: Int64?

    /// Makes a file.
    public init(path: String, sha256: String? = nil, byteCount: Int64? = nil) {
        self.path = path
        self.sha256 = sha256
        self.byteCount = byteCount
    }
}

extension CatalogModel {
    /// What a user trusts who installs it without a known hash.
    var trustWithoutHash: String {
        let unknown = (downloads ?? []).filter { $0.sha256 == nil }.compactMap(\.mirrors.first)
        let isSecure = (downloads ?? []).flatMap(\.mirrors).allSatisfy { $0.utf8.starts(with: "https://".utf8) }
        let others = unknown.count > 1 ? " and \(unknown.count - 1) more" : ""
        return "you would trust \(publisher ?? "whoever answers") for \(unknown.first ?? "its address")\(others), with "
            + (isSecure ? "TLS as the only proof." : "no proof at all, since the address is not https.")
    }

    /// Throws `invalidInput` for what makes no sense, or could do harm. A model that is imported needs no source.
    func check(mayHaveNoSource: Bool = false) throws(DictationError) {
        func refuse(_ what: String, _ recovery: String) -> DictationError {
            DictationError(
                .invalidInput, "The catalogue's model '\(visible(id))' \(what).", recovery: recovery)
        }
        guard FileName(model: id) != nil else {
            throw refuse(
                "has an id that can't name a folder",
                "Use up to 100 small letters, digits, '.', '_' and '-', a letter or digit first.")
        }
        guard !engine.rawValue.isEmpty, !locales.isEmpty else {
            throw refuse("names no engine or no locale", "Say which engine and locales it is for.")
        }
        guard locales.count <= Self.mostOfEach, locales.allSatisfy(\.identifier.isPlainLabel) else {
            throw refuse("has many locales, or one that is none", "Name up to \(Self.mostOfEach), such as en-US.")
        }
        guard [engine.rawValue, name, license ?? "", publisher ?? "", packaged?.name ?? ""].allSatisfy(\.isPlainLabel)
        else {
            throw refuse(
                "has a text that is long, or has control or invisible characters",
                "Use one plain line of up to 200 bytes.")
        }
        guard mayHaveNoSource || (downloads.map { !$0.isEmpty } ?? (packaged != nil)) else {
            throw refuse("can't be had from anywhere", "Give it a download or a package.")
        }
        if let path = packaged?.path, path.utf8.first != 0x2F || (try? RelativePath(path.utf8.dropFirst())) == nil {
            throw refuse("has a package at '\(visible(path))'", "Give the folder from '/' on.")
        }
        var downloaded: Set<RelativePath> = []
        for download in downloads ?? [] {
            guard (download.archive == nil) != (download.file == nil) else {
                throw refuse("has a download that is not exactly one of 'archive' and 'file'", "Say which it is.")
            }
            guard mayHaveNoSource || !download.mirrors.isEmpty, download.mirrors.allSatisfy(Self.isWebAddress) else {
                throw refuse("has a download without an http or https address", "Correct its 'mirrors'.")
            }
            guard download.mirrors.count <= Self.mostOfEach else {
                throw refuse("has a download with many mirrors", "Name up to \(Self.mostOfEach).")
            }
            if let root = download.archive, !root.isEmpty { try check(path: root, refuse) }
            if let file = download.file, !downloaded.insert(try check(path: file, refuse)).inserted {
                throw refuse("downloads the file '\(visible(file))' twice", "Name each file once.")
            }
            guard download.sha256.map(Self.isHash) ?? true, download.byteCount ?? 0 >= 0 else {
                throw refuse("has a download with a wrong hash or size", "A hash has 64 hexadecimal digits.")
            }
        }
        var paths: Set<RelativePath> = []
        for file in files ?? [] {
            guard paths.insert(try check(path: file.path, refuse)).inserted else {
                throw refuse("names the file '\(visible(file.path))' twice", "Name each file once.")
            }
            guard file.sha256.map(Self.isHash) ?? true, file.byteCount ?? 0 >= 0 else {
                throw refuse(
                    "has a wrong hash or size for '\(visible(file.path))'", "A hash has 64 hexadecimal digits.")
            }
        }
        try checkFolders(downloaded.union(paths), refuse)
        guard byteCount ?? 0 >= 0, limits?.byteCount ?? 0 >= 0, limits?.fileCount ?? 0 >= 0 else {
            throw refuse("has a size under zero", "Correct it.")
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
            throw refuse("has the path '\(visible(path))', which \(error.words)", "Use a plain relative path.")
        }
        throw refuse("has the path '\(visible(path))', which the store needs itself", "Use another name.")
    }

    /// Throws when a file lies where another file's folder has to be, as `a` and `a/b` do.
    private func checkFolders(
        _ files: Set<RelativePath>, _ refuse: (String, String) -> DictationError
    ) throws(DictationError) {
        for file in files.sorted() {
            guard let other = file.folders.first(where: files.contains) else { continue }
            throw refuse(
                "has the file '\(visible(file.text))' below '\(visible(other.text))', which is a file itself",
                "Give one of them another path.")
        }
    }

    /// The most locales of a model, and mirrors of a download.
    private static let mostOfEach = 100

    private static func isWebAddress(_ text: String) -> Bool {
        let isWeb = ["https://", "http://"].contains { text.utf8.starts(with: $0.utf8) }
        return isWeb && text.utf8.count <= 2_048 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    private static func isHash(_ text: String) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }
}

extension String {
    /// The path that a catalogue or a receipt wrote down.
    func asRelativePath() throws(DictationError) -> RelativePath {
        do throws(FileNameFault) { return try RelativePath(self) } catch {
            throw DictationError(
                .modelInvalid, "The path '\(self)' \(error.words).", recovery: "Use a plain relative path.")
        }
    }
}
