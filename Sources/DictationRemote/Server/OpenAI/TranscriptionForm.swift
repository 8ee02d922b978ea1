#if Server
import DictationCore
import DictationHTTP
import Synchronization

/// Reads the form of a transcription: a few short fields and one file.
final class TranscriptionForm: HTTPFormReader {
    /// The content of the form.
    struct Content: Sendable {
        var fields: [String: [String]] = [:]
        var file: UploadedFile?
        var fileName = ""
        var byteCount = 0
    }

    private struct State: Sendable {
        var content = Content()
        var fieldBytes: [UInt8] = []
        var fieldName: String?
        var fieldCount = 0
        var refusal: ServerRefusal?

        /// Ends the field whose bytes came last.
        mutating func endField() {
            guard let name = fieldName else { return }
            defer { (fieldName, fieldBytes) = (nil, []) }
            // An empty field says nothing. It may also be the beginning of one whose bytes come later.
            guard !fieldBytes.isEmpty else { return }
            content.fields[name, default: []].append(String(decoding: fieldBytes, as: UTF8.self))
        }
    }

    private static let fieldLimit = 1 << 16
    private static let fieldCountLimit = 64

    private let limit: Int
    private let state = Mutex(State())
    private let work: @Sendable (Result<Content, ServerRefusal>) async -> HTTPResponse

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - limit: The most bytes of a file.
    ///   - work: Answers a form, or its refusal.
    init(limit: Int, work: @escaping @Sendable (Result<Content, ServerRefusal>) async -> HTTPResponse) {
        (self.limit, self.work) = (limit, work)
    }

    func take(_ bytes: UnsafeRawBufferPointer, of name: String, fileName: String?, isFirst: Bool) -> Bool {
        let count = bytes.count
        return state.withLock { state in
            guard state.refusal == nil else { return false }
            if isFirst {
                state.endField()
                state.fieldCount += 1
                guard state.fieldCount <= Self.fieldCountLimit else {
                    state.refusal = .invalid("The form has more than \(Self.fieldCountLimit) fields.")
                    return false
                }
            }
            do throws(DictationError) {
                if name == "file" {
                    state.content.byteCount += count
                    guard state.content.byteCount <= limit else {
                        state.refusal = .tooLarge
                        return false
                    }
                    let file: UploadedFile
                    if let begun = state.content.file { file = begun } else { file = try UploadedFile() }
                    state.content.file = file
                    if isFirst { state.content.fileName = fileName ?? "" }
                    try file.append(bytes)
                } else {
                    if isFirst { state.fieldName = name }
                    guard state.fieldBytes.count + count <= Self.fieldLimit else {
                        state.refusal = .invalid("The field “\(name)” is too long.")
                        return false
                    }
                    state.fieldBytes += bytes
                }
            } catch {
                state.refusal = ServerRefusal(error)
            }
            return true
        }
    }

    func answer(isWhole: Bool) async -> HTTPResponse {
        let result = state.withLock { state -> Result<Content, ServerRefusal> in
            state.endField()
            // The file lives as long as the work needs it.
            defer { state.content.file = nil }
            if let refusal = state.refusal { return .failure(refusal) }
            return isWhole ? .success(state.content) : .failure(.invalid("The form is not complete."))
        }
        return await work(result)
    }

    func end() { state.withLock { $0.content.file = nil } }
}
#endif
