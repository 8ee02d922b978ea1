#if Server
import DictationCapture
import DictationCore
import DictationHTTP
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
        var entry = ServerLogEntry(interface: .http, client: client, path: path, status: 200)
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
    private let entry: ServerLogEntry
    private let core: ServerCore
    private let start: Duration
    private let recording: LimitedRecording

    init(
        _ request: TranscriptionRequest, file: UploadedFile, name: String, place: WorkPlace, entry: ServerLogEntry,
        core: ServerCore, start: Duration
    ) throws(ServerRefusal) {
        (self.request, self.file, self.name, self.place) = (request, file, name, place)
        (self.entry, self.core, self.start) = (entry, core, start)
        #if SoundFile
        let reader = FileCapturer(path: file.path, bufferDuration: request.isStreamed ? .milliseconds(200) : nil)
        recording = LimitedRecording(reader, limit: core.limits.audioDuration)
        #else
        throw ServerRefusal(
            501, "This server reads no recordings: it was built without the “SoundFile” trait.", type: "server_error")
        #endif
    }

    /// Transcribes all of the recording, then answers.
    func answer() async throws(ServerRefusal) -> HTTPResponse {
        do throws(DictationError) {
            let transcript = try await transcription.transcript()
            try check(transcript)
            note(transcript)
            let answer = TranscriptionAnswer(transcript, for: request)
            return HTTPResponse(200, answer.text, type: answer.contentType)
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
            var phrases = transcription.makeAsyncIterator()
            do throws(DictationError) {
                while let phrase = try await phrases.next() {
                    let all = request.options.locale.join([text, phrase.text])
                    let delta = String(decoding: all.utf8.dropFirst(text.utf8.count), as: UTF8.self)
                    text = all
                    let event = OpenAITranscriptEvent(type: OpenAITranscriptEvent.deltaType, delta: delta)
                    guard await events.send(JSONWriter.encode(event)) else { break }
                }
                if Task.isCancelled { throw DictationError(.cancelled, "The client left.") }
                let transcript = phrases.transcript
                try check(transcript)
                note(transcript)
                let done = OpenAITranscriptEvent(
                    type: OpenAITranscriptEvent.doneType, text: transcript.text,
                    usage: OpenAIUsage(seconds: transcript.duration.inSeconds))
                _ = await events.send(JSONWriter.encode(done))
            } catch {
                let refusal = refusal(of: error)
                note(error, refusal)
                _ = await events.send(refusal.json)
            }
            events.finish()
        }
        events.whenAbandoned { work.cancel() }
        return HTTPResponse(200, ["Content-Type": "text/event-stream; charset=utf-8"], body: .source(events))
    }

    private var transcription: Transcription { request.model.engine.transcribe(recording, options: request.options) }

    private func check(_ transcript: Transcript) throws(DictationError) {
        if let error = transcript.error { throw error }
        guard transcript.isComplete else {
            throw DictationError(.timedOut, "The engine did not finish the recording in time.")
        }
    }

    private func refusal(of error: DictationError) -> ServerRefusal {
        ServerRefusal(error, hiding: file.path, as: name.isEmpty ? "file" : name)
    }

    private func note(_ transcript: Transcript) {
        var entry = entry
        entry.audioSeconds = transcript.duration.inSeconds
        if core.configuration.logsTexts { entry.text = transcript.text }
        note(entry)
    }

    private func note(_ error: DictationError, _ refusal: ServerRefusal) {
        var entry = entry
        // A client that leaves has no status; web servers write this one.
        entry.status = error.code == .cancelled ? 499 : Int(refusal.status)
        entry.error = error.description
        note(entry)
    }

    private func note(_ entry: ServerLogEntry) {
        var entry = entry
        entry.workSeconds = (core.runtime.now() - start).inSeconds
        core.note(entry)
    }
}
#endif
