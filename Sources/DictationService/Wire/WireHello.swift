import DictationCore

/// The first line in each direction: `{"hello":"dictation","version":1}`.
struct WireHello: Codable, Hashable {
    /// The version that this library speaks.
    static let version = 1

    var hello = "dictation"
    var version = Self.version

    /// Returns the error for a version that this library does not speak; `nil` for the one that it does.
    var refusal: DictationError? {
        if hello != "dictation" { return .noHello }
        if version == Self.version { return nil }
        return DictationError(
            .unsupportedOption, "The other side speaks version \(version) of the protocol.",
            recovery: "This side speaks version \(Self.version). Use the same version of both.")
    }
}

extension DictationError {
    static let noHello = DictationError(
        .invalidInput, "The first line is not a greeting.",
        recovery: #"Begin with {"hello":"dictation","version":1} on a line."#)
}
