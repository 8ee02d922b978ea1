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
        var isAnswered = false

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
    private let share: ClientUpload
    private let runtime = DictationRuntime.current
    private let state = Mutex(State())
    private let work: @Sendable (Result<Content, ServerRefusal>) async -> HTTPResponse

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - limit: The most bytes of a file.
    ///   - share: The client's room for a file.
    ///   - work: Answers a form, or its refusal.
    init(
        limit: Int, share: ClientUpload,
        work: @escaping @Sendable (Result<Content, ServerRefusal>) async -> HTTPResponse
    ) {
        (self.limit, self.share, self.work) = (limit, share, work)
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
            do throws(ServerRefusal) {
                if name == "file" {
                    state.content.byteCount += count
                    guard state.content.byteCount <= limit else {
                        (state.refusal, state.content.file) = (.tooLarge, nil)
                        return false
                    }
                    guard !isFirst || state.content.byteCount == count else {
                        state.refusal = .invalid("The form has more than one recording.", param: "file")
                        return false
                    }
                    let file: UploadedFile
                    if let begun = state.content.file { file = begun } else { file = try makeFile() }
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
                (state.refusal, state.content.file) = (error, nil)
                return false
            }
            return true
        }
    }

    private func makeFile() throws(ServerRefusal) -> UploadedFile {
        do throws(DictationError) { return try UploadedFile(share) } catch { throw ServerRefusal(error) }
    }

    func answerToOtherBody() -> HTTPResponse {
        let refusal = ServerRefusal(
            415, "The body must be a form of the type “multipart/form-data”.", type: "invalid_request_error")
        state.withLock { $0.isAnswered = true }
        note(refusal)
        return HTTPResponse(refusal)
    }

    /// Has the log tell of a refusal whose answer is there already, or that nobody hears.
    private func note(_ refusal: ServerRefusal) { runtime.task { [work] in _ = await work(.failure(refusal)) } }

    func answer(isWhole: Bool) async -> HTTPResponse {
        let result = state.withLock { state -> Result<Content, ServerRefusal> in
            state.endField()
            state.isAnswered = true
            // The file lives as long as the work needs it.
            defer { state.content.file = nil }
            if let refusal = state.refusal { return .failure(refusal) }
            return isWhole ? .success(state.content) : .failure(.invalid("The form is not complete."))
        }
        return await work(result)
    }

    var restLimit: Int { limit }

    func end() {
        let refusal = state.withLock { state -> ServerRefusal? in
            state.content.file = nil
            guard !state.isAnswered else { return nil }
            state.isAnswered = true
            return state.refusal ?? .leaving
        }
        if let refusal { note(refusal) }
    }
}
#endif
