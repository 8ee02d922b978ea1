/// An error with what happened and what to do next.
///
/// Switch over ``code`` with a `default`, because new versions add codes.
///
/// You can show the texts to people as they are. Each text is one line, even if it contains the name of a file, device
/// or model with control characters; see `visible`.
public struct DictationError: Error, Sendable, Hashable, Codable {
    /// The kind of the error.
    public var code: Code
    /// A sentence for people that says what happened.
    public var message: String { didSet { message = message.visible } }
    /// A sentence for people that says what to do next.
    public var recovery: String? { didSet { recovery = recovery?.visible } }
    /// The error of the C library or the system.
    public var underlying: Underlying?

    /// Creates an error.
    public init(_ code: Code, _ message: String, recovery: String? = nil, underlying: Underlying? = nil) {
        self.code = code
        self.message = message.visible
        self.recovery = recovery?.visible
        self.underlying = underlying
    }

    /// Reads an error. Each of its texts becomes one line without control characters.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(Code.self, forKey: .code), try container.decode(String.self, forKey: .message),
            recovery: try container.decodeIfPresent(String.self, forKey: .recovery),
            underlying: try container.decodeIfPresent(Underlying.self, forKey: .underlying))
    }

    /// An error of a C library or the system.
    public struct Underlying: Sendable, Hashable, Codable {
        /// The library that returned the code, such as `ALSA`.
        public var domain: String
        /// The library's error code.
        public var code: Int
        /// The library's message.
        public var message: String? { didSet { message = message?.visible } }

        /// Creates an underlying error.
        public init(domain: String, code: Int, message: String? = nil) {
            self.domain = domain
            self.code = code
            self.message = message?.visible
        }

        /// Reads an underlying error. Its message becomes one line without control characters.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                domain: try container.decode(String.self, forKey: .domain),
                code: try container.decode(Int.self, forKey: .code),
                message: try container.decodeIfPresent(String.self, forKey: .message))
        }
    }
}

extension DictationError {
    /// The kind of an error. New versions add kinds.
    public struct Code: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
        /// The code's stable name.
        public let rawValue: String
        /// Creates a code. Engines and capturers may have their own.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The code's name.
        public var description: String { rawValue }

        /// An option that the engine can't follow.
        public static let unsupportedOption = Code(rawValue: "unsupportedOption")
        /// A locale that the engine has no model for. Engines never use another locale instead.
        public static let unsupportedLocale = Code(rawValue: "unsupportedLocale")
        /// Audio in a format that can't be used or converted.
        public static let unsupportedFormat = Code(rawValue: "unsupportedFormat")
        /// Input that makes no sense, such as a grammar with an undefined rule.
        public static let invalidInput = Code(rawValue: "invalidInput")
        /// Audio that lies before earlier audio or overlaps it.
        public static let disorderedAudio = Code(rawValue: "disorderedAudio")
        /// An error of the sequence that supplies the audio.
        public static let inputFailed = Code(rawValue: "inputFailed")
        /// Input for a session that has ended or was cancelled.
        public static let inputAfterEnd = Code(rawValue: "inputAfterEnd")
        /// A second start where only one is allowed at a time, or one session more than an engine allows.
        public static let alreadyRunning = Code(rawValue: "alreadyRunning")
        /// A call that needs a start first.
        public static let notRunning = Code(rawValue: "notRunning")
        /// Work that was cancelled while the call waited for it.
        public static let cancelled = Code(rawValue: "cancelled")
        /// A device or an engine that did not answer in time.
        public static let timedOut = Code(rawValue: "timedOut")
        /// Recording is not permitted.
        public static let permissionDenied = Code(rawValue: "permissionDenied")
        /// No such device, or none at all.
        public static let deviceNotFound = Code(rawValue: "deviceNotFound")
        /// A device that exists but can't be opened or read at the moment. Trying again may help.
        public static let deviceUnavailable = Code(rawValue: "deviceUnavailable")
        /// A device that was disconnected and did not come back.
        public static let deviceLost = Code(rawValue: "deviceLost")
        /// A model that isn't installed, or an engine without any installed model.
        public static let modelNotInstalled = Code(rawValue: "modelNotInstalled")
        /// A model that the inventory doesn't know, such as a misspelled name.
        public static let unknownModel = Code(rawValue: "unknownModel")
        /// A model that this user can't remove, because it belongs to the system or to all users.
        public static let notRemovable = Code(rawValue: "notRemovable")
        /// A model that is damaged or of the wrong kind.
        public static let modelInvalid = Code(rawValue: "modelInvalid")
        /// A model whose files have no known hashes. Installing it needs the user's consent.
        public static let modelUnpinned = Code(rawValue: "modelUnpinned")
        /// A C library that a program loads when it runs, and that isn't installed.
        public static let libraryNotInstalled = Code(rawValue: "libraryNotInstalled")
        /// A C library that is damaged or has an unsupported version.
        public static let libraryInvalid = Code(rawValue: "libraryInvalid")
        /// The engine failed.
        public static let engineFailed = Code(rawValue: "engineFailed")
        /// A file that can't be read or written.
        public static let fileUnreadable = Code(rawValue: "fileUnreadable")
        /// A feature that this build leaves out. Enable its trait.
        public static let notBuilt = Code(rawValue: "notBuilt")
        /// A download or install that failed.
        public static let installationFailed = Code(rawValue: "installationFailed")
        /// A disk without enough space.
        public static let storageFull = Code(rawValue: "storageFull")
    }

    /// The error of a call whose code a build leaves out.
    package static func notBuilt(_ trait: String) -> DictationError {
        DictationError(.notBuilt, "Enable the “\(trait)” trait of swift-dictation.")
    }

    /// Whether the same call may work later although nobody changes anything.
    public var isTransient: Bool { code == .deviceUnavailable || code == .timedOut }
}

extension DictationError: CustomStringConvertible {
    /// The message, the recovery and the underlying error.
    public var description: String {
        var text = message
        if let recovery { text += " " + recovery }
        if let underlying {
            text += " (\(underlying.domain) \(underlying.code)\(underlying.message.map { ": " + $0 } ?? ""))"
        }
        // A decoded error may come from anywhere, so its texts are not trusted.
        return text.visible
    }
}
