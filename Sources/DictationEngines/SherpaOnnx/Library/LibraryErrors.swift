import DictationCore

extension DictationError {
    private static let installer = "EngineFinder.setup() installs the library."

    static func noLibrary(_ reason: String? = nil) -> DictationError {
        DictationError(
            .libraryNotInstalled, "The library sherpa-onnx is not installed.", recovery: installer,
            underlying: reason.map { .init(domain: "dlopen", code: 0, message: $0) })
    }

    static func noLibrary(in place: String) -> DictationError {
        DictationError(
            .libraryNotInstalled, "There is no \(LibraryPlaces.fileName) in “\(place)”, where a setting says it is.",
            recovery: "Correct SherpaOnnxLibrary.location or DICTATION_SHERPA_ONNX. \(installer)")
    }

    static func badLibrary(_ path: String, _ reason: String, underlying: Underlying? = nil) -> DictationError {
        DictationError(
            .libraryInvalid, "The library \(path) does not work: \(reason).",
            recovery: "Install sherpa-onnx \(SherpaOnnxLibrary.newest) again. \(installer)", underlying: underlying)
    }

    static func unsupportedLibrary(_ path: String, version: String) -> DictationError {
        DictationError(
            .libraryInvalid,
            "The library \(path) is sherpa-onnx \(version), but only \(SherpaOnnxLibrary.oldest) to "
                + "\(SherpaOnnxLibrary.newest) work.",
            recovery: "Install sherpa-onnx \(SherpaOnnxLibrary.newest). \(installer)",
            underlying: .init(domain: "sherpa-onnx", code: 0, message: version))
    }
}
