/// What went wrong, and what to do about it.
///
/// Switch over `code` with a `default`: codes are added as the library grows.
///
/// Its texts can be shown as they are. Each is one line, however the file, device or model is named that it tells of; see
/// `visible`.
public struct DictationError: Error, Sendable, Hashable, Codable {
    /// The kind of the error.
    public var code: Code
    /// What happened, in a sentence for people.
    public var message: String { didSet { message = message.visible } }
    /// What to do next, in a sentence for people.
    public var recovery: String? { didSet { recovery = recovery?.visible } }
    /// What the C library or the system said.
    public var underlying: Underlying?

    /// Makes an error.
    public init(_ code: Code, _ message: String, recovery: String? = nil, underlying: Underlying? = nil) {
        self.code = code
        self.message = message.visible
        self.recovery = recovery?.visible
        self.underlying = underlying
    }

    /// The code that a C library or the system gave.
    public struct Underlying: Sendable, Hashable, Codable {
        /// Who gave the code, such as `ALSA`.
        public var domain: String
        /// The code itself.
        public var code: Int
        /// The words that came with it.
        public var message: String? { didSet { message = message?.visible } }

        /// Makes an underlying error.
        public init(domain: String, code: Int, message: String? = nil) {
            self.domain = domain
            self.code = code
            self.message = message?.visible
        }
    }
}

extension DictationError {
    /// The kind of an error. New ones come with new versions.
    public struct Code: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
        /// The code's stable name.
        public let rawValue: String
        /// Makes a code; engines and capturers may have their own.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The code's name.
        public var description: String { rawValue }

        /// An option that the engine can't honour.
        public static let unsupportedOption = Code(rawValue: "unsupportedOption")
        /// A locale that the engine has no model for; another one is never put in its place.
        public static let unsupportedLocale = Code(rawValue: "unsupportedLocale")
        /// Audio in a format that can't be taken or converted.
        public static let unsupportedFormat = Code(rawValue: "unsupportedFormat")
        /// Input that makes no sense, such as a grammar with an undefined rule.
        public static let invalidInput = Code(rawValue: "invalidInput")
        /// Audio that lies before audio already given, or overlaps it.
        public static let disorderedAudio = Code(rawValue: "disorderedAudio")
        /// A sequence of audio that failed with an error of its own.
        public static let inputFailed = Code(rawValue: "inputFailed")
        /// Input given after the end, or to something that was cancelled.
        public static let inputAfterEnd = Code(rawValue: "inputAfterEnd")
        /// A second start where only one is allowed at a time.
        public static let alreadyRunning = Code(rawValue: "alreadyRunning")
        /// A call that needs a start first.
        public static let notRunning = Code(rawValue: "notRunning")
        /// The take was cancelled while the call waited for it.
        public static let cancelled = Code(rawValue: "cancelled")
        /// Something did not answer in time.
        public static let timedOut = Code(rawValue: "timedOut")
        /// Recording is not permitted.
        public static let permissionDenied = Code(rawValue: "permissionDenied")
        /// No such device, or none at all.
        public static let deviceNotFound = Code(rawValue: "deviceNotFound")
        /// The device is there but can't be opened or read just now; trying again may help.
        public static let deviceUnavailable = Code(rawValue: "deviceUnavailable")
        /// The device went away and did not come back.
        public static let deviceLost = Code(rawValue: "deviceLost")
        /// A model that isn't installed, or an engine without any installed model.
        public static let modelNotInstalled = Code(rawValue: "modelNotInstalled")
        /// A model that the inventory doesn't know, such as a misspelled name.
        public static let unknownModel = Code(rawValue: "unknownModel")
        /// A model that isn't this user's to remove: it belongs to the system or to all users.
        public static let notRemovable = Code(rawValue: "notRemovable")
        /// A model that is damaged or of another kind.
        public static let modelInvalid = Code(rawValue: "modelInvalid")
        /// A model that nothing says the right contents of; it is installed only when the user says so.
        public static let modelUnpinned = Code(rawValue: "modelUnpinned")
        /// The engine failed.
        public static let engineFailed = Code(rawValue: "engineFailed")
        /// A file that can't be read or written.
        public static let fileUnreadable = Code(rawValue: "fileUnreadable")
        /// Something that lies outside what this build contains; a trait has to be enabled.
        public static let notBuilt = Code(rawValue: "notBuilt")
        /// A download or install that failed.
        public static let installationFailed = Code(rawValue: "installationFailed")
        /// Too little space on the disk.
        public static let storageFull = Code(rawValue: "storageFull")
    }

    /// Whether doing the same again may work without anyone changing anything.
    public var isTransient: Bool { code == .deviceUnavailable || code == .timedOut }
}

extension DictationError: CustomStringConvertible {
    /// The message, the C library's code where there is one, and what to do next.
    public var description: String {
        var text = message
        if let recovery { text += " " + recovery }
        if let underlying {
            text += " (\(underlying.domain) \(underlying.code)\(underlying.message.map { ": " + $0 } ?? ""))"
        }
        // An error that was decoded may have come from anywhere.
        return text.visible
    }
}
