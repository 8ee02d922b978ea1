#if Server
import DictationCapture
import DictationCore
import DictationHTTP
import DictationMessages
import DictationText

/// Transcribes one uploaded recording.
struct Transcriber: Sendable {
    let core: ServerCore
    private let client: String
    private let path: String

    init(core: ServerCore, client: String, path: String) {
        (self.core, self.client, self.path) = (core, client, path)
    }

    func answer(_ form: Result<TranscriptionForm.Content, ServerRefusal>) async -> HTTPResponse {
        let arrival = core.runtime.now()
        var entry = DictationServer.Configuration.LogEntry(interface: .http, client: client, path: path, status: 200)
        do throws(ServerRefusal) {
            let content = try form.get()
            let request = try await TranscriptionRequest(content.fields, models: core.models)
            entry.model = request.model.name
            guard let file = content.file, content.byteCount > 0 else {
                throw .invalid("The form has no recording.", param: "file")
            }
            let place = try await core.recordings.place(for: client)
            try core.checkAccepting()
            let start = core.runtime.now()
            entry.queueSeconds = (start - arrival).inSeconds
            let job = try RecordingJob(
                request, file: file, name: content.fileName, place: place, entry: entry, core: core, start: start)
            if request.isStreamed { return job.stream() }
            return try await job.answer()
        } catch {
            entry.status = Int(error.status)
            entry.error = error.logged
            core.note(entry)
            return HTTPResponse(error)
        }
    }
}

/// A recording whose turn has come.
private struct RecordingJob: Sendable {
    private let request: TranscriptionRequest
    private let file: UploadedFile
    private let name: String
    private let place: WorkPlace
    private let entry: DictationServer.Configuration.LogEntry
    private let core: ServerCore
    private let start: Duration
    private let recording: BoundedRecording

    init(
        _ request: TranscriptionRequest, file: UploadedFile, name: String, place: WorkPlace,
        entry: DictationServer.Configuration.LogEntry,
        core: ServerCore, start: Duration
    ) throws(ServerRefusal) {
        (self.request, self.file, self.name, self.place) = (request, file, name, place)
        (self.entry, self.core, self.start) = (entry, core, start)
        #if SoundFile
        // Anybody may have made it.
        let reader = FileCapturer(
            path: file.path, bufferDuration: request.isStreamed ? .milliseconds(200) : nil, inHelper: true)
        recording = BoundedRecording(reader, limit: core.limits.audioDuration)
        #else
        throw ServerRefusal(
            501, "This server reads no recordings: it was built without the “SoundFile” trait.", type: "server_error")
        #endif
    }

    /// Transcribes all of the recording, then answers.
    func answer() async throws(ServerRefusal) -> HTTPResponse {
        do throws(DictationError) {
            let (transcript, loss) = try await transcribe { _ in true }
            let answer = TranscriptionAnswer(transcript, loss: loss, for: request)
            var response = HTTPResponse(200, answer.text, type: answer.contentType)
            response.headers.merge(request.headers(loss: loss)) { $1 }
            return response
        } catch {
            // What the operator has to know is logged here, and nothing of it is told twice.
            let refusal = refusal(of: error)
            note(error, refusal)
            return HTTPResponse(refusal)
        }
    }

    /// Answers with events while the text is recognized.
    func stream() -> HTTPResponse {
        let events = EventStream()
        let work = core.runtime.task {
            var text = ""
            var sent = GrowingText()
            do throws(DictationError) {
                let (transcript, loss) = try await transcribe { phrase in
                    text = request.options.locale.join([text, phrase.text])
                    guard let delta = sent.grow(to: text) else { return true }
                    let event = OpenAITranscriptEvent(type: OpenAITranscriptEvent.deltaType, delta: delta)
                    return await events.send(JSONWriter.encode(event))
                }
                let done = OpenAITranscriptEvent(
                    type: OpenAITranscriptEvent.doneType, text: transcript.text,
                    usage: OpenAIUsage(seconds: transcript.duration.inSeconds), loss: loss)
                _ = await events.send(JSONWriter.encode(done))
            } catch {
                let refusal = refusal(of: error)
                note(error, refusal)
                _ = await events.send(refusal.json)
            }
            events.finish()
        }
        events.whenAbandoned { work.cancel() }
        let headers = request.headers(loss: nil).merging(["Content-Type": "text/event-stream; charset=utf-8"]) { $1 }
        return HTTPResponse(200, headers, body: .source(events))
    }

    /// Transcribes the recording, and notes in the log how it went.
    ///
    /// - Parameter send: Gets each phrase. Returns whether anyone wants the next one.
    /// - Returns: The text and what it lacks; `nil` for a complete one.
    private func transcribe(_ send: (SpeechResult) async -> Bool) async throws(DictationError) -> (Transcript, String?)
    {
        var phrases = request.model.engine.transcribe(recording, options: request.options).makeAsyncIterator()
        do throws(DictationError) {
            while let phrase = try await phrases.next(), await send(phrase) {}
        } catch {
            // The transcript has the error.
        }
        if Task.isCancelled { throw DictationError(.cancelled, "The client left.") }
        let transcript = phrases.transcript
        let loss = try loss(of: transcript)
        note(transcript, loss)
        return (transcript, loss)
    }

    /// Returns what a text lacks; `nil` for a complete one.
    ///
    /// - Throws: The error of a recording without any text, or of a request that can't be met.
    private func loss(of transcript: Transcript) throws(DictationError) -> String? {
        if let error = transcript.error {
            // To read the audio again would give no more text than this.
            let isOfRecording = [.fileUnreadable, .inputFailed].contains(error.code)
            let refusal = refusal(of: error)
            guard !transcript.isEmpty, error.code != .cancelled, isOfRecording || refusal.status == 500 else {
                throw error
            }
            let cause =
                isOfRecording ? refusal.error.message : "The engine failed before the end, so words are missing."
            return [cause, transcript.loss].compactMap(\.self).joined(separator: " ")
        }
        guard let loss = transcript.loss else { return nil }
        guard !transcript.isEmpty else { throw DictationError(.engineFailed, loss) }
        return loss
    }

    private func refusal(of error: DictationError) -> ServerRefusal {
        ServerRefusal(error, hiding: file.path, as: shownName)
    }

    private func note(_ transcript: Transcript, _ loss: String?) {
        var entry = entry
        entry.audioSeconds = transcript.duration.inSeconds
        (entry.loss, entry.error) = (loss, transcript.error.map(description))
        if core.configuration.logsTexts { entry.text = transcript.text }
        note(entry)
    }

    private func note(_ error: DictationError, _ refusal: ServerRefusal) {
        var entry = entry
        // A client that leaves has no status; web servers write this one.
        entry.status = error.code == .cancelled ? 499 : Int(refusal.status)
        entry.error = description(error)
        note(entry)
    }

    /// Describes an error with the client's name for the recording. The file's own path leads nowhere.
    private func description(_ error: DictationError) -> String {
        error.description.replacing(file.path, with: shownName)
    }

    private var shownName: String { name.isEmpty ? "file" : name.visible }

    private func note(_ entry: DictationServer.Configuration.LogEntry) {
        var entry = entry
        entry.workSeconds = (core.runtime.now() - start).inSeconds
        core.note(entry)
    }
}

extension TranscriptionRequest {
    /// The headers that tell what the answer's format has no place for.
    fileprivate func headers(loss: String?) -> [String: String] {
        var headers: [String: String] = [:]
        // A header has no other characters than those of ASCII.
        if let loss { headers["Dictation-Loss"] = loss.replacing("–", with: "-").filter { $0.isASCII } }
        if !ignoredFields.isEmpty { headers["Dictation-Ignored"] = ignoredFields.joined(separator: ", ") }
        return headers
    }
}
#endif
