#if SherpaOnnx
import CSherpaOnnx
import DictationCore

/// The version check of the C library.
enum SherpaOnnxLibrary {
    /// The version of the C header that this module was built with.
    static let headerVersion = SHERPA_ONNX_HEADER_VERSION

    /// The version of the loaded C library.
    static var loadedVersion: String { SherpaOnnxGetVersionStr().map { String(cString: $0) } ?? "unknown" }

    /// Throws unless both versions are equal. The C structs change between versions, and not only at their ends.
    static func check(loaded: String = loadedVersion, header: String = headerVersion) throws(DictationError) {
        guard loaded != header else { return }
        throw DictationError(
            .engineFailed,
            "The loaded sherpa-onnx library has version \(loaded), but this program was built for \(header).",
            recovery: "Run Scripts/install-sherpa-onnx and build again, or load the library of version \(header).",
            underlying: .init(domain: "sherpa-onnx", code: 0, message: loaded))
    }
}

/// Lends C strings to a closure, with `nil` for each missing string.
func withCStrings<Answer>(_ strings: [String?], _ body: ([UnsafePointer<CChar>?]) -> Answer) -> Answer {
    let copies = strings.map { $0.map { Array($0.utf8CString) } }
    func lend(_ index: Int, _ lent: [UnsafePointer<CChar>?]) -> Answer {
        guard index < copies.count else { return body(lent) }
        guard let copy = copies[index] else { return lend(index + 1, lent + [nil]) }
        return copy.withUnsafeBufferPointer { lend(index + 1, lent + [$0.baseAddress]) }
    }
    return lend(0, [])
}
#endif
