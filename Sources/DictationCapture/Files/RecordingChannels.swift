public import DictationCore

/// How the channels of a recording become text.
public enum RecordingChannels: Sendable, Hashable {
    /// All channels, mixed to one.
    case mixed
    /// One channel, by its number from 1.
    case one(Int)
    /// Each channel by itself. The text of each is said by a speaker of its own.
    case separate
}

#if SoundFile
extension SpeechEngine {
    /// Returns the transcription of a recording. The work starts when its results or updates are read.
    ///
    /// With ``RecordingChannels/separate`` the speakers are “Speaker 1”, “Speaker 2” and so on, and their results are in
    /// the order in which they were said. The recording is read once for each channel. A recording with one channel names
    /// no speaker.
    ///
    /// - Parameters:
    ///   - path: The path of the recording, which ``AudioFileReader`` opens.
    ///   - channels: How the channels become text.
    ///   - track: The number of the audio track, from 1.
    ///   - options: How to recognize speech; `nil` for the engine's `transcriptionOptions`.
    ///   - bufferDuration: The duration of each buffer. Pass a short one if a user watches volatile text or the progress.
    ///   - workers: How many cores to use.
    ///   - inHelper: Whether the recording is decoded in a process that can do nothing else; see ``AudioFileReader``.
    /// - Throws: `fileUnreadable` if the channels of a file that can't be read are to be separate.
    public func transcribe(
        file path: String, channels: RecordingChannels = .mixed, track: Int = 1,
        options: RecognitionOptions? = nil, bufferDuration: Duration? = nil, workers: Int = 1, inHelper: Bool = false
    ) async throws(DictationError) -> SpeakerTranscription {
        let numbers: [Int?]
        switch channels {
        case .mixed: numbers = [nil]
        case .one(let number): numbers = [number]
        case .separate:
            let thread = DictationRuntime.current.blockingExecutor("audio-file")
            let count = try await BlockingWork(on: thread).run { () throws(DictationError) in
                let reader = try AudioFileReader(path: path, track: track, channel: 1, inHelper: inHelper)
                return reader.channelCount
            }
            numbers = Array(1...count)
        }
        let atOnce = max(1, min(numbers.count, capabilities.maximumSessions ?? .max))
        let sources = numbers.map {
            FileCapturer(
                path: path, track: track, channel: $0, bufferDuration: bufferDuration, inHelper: inHelper)
        }
        let speakers = sources.enumerated().map { index, source in
            SpeakerTranscription.Speaker(
                name: sources.count > 1 ? "Speaker \(index + 1)" : nil,
                transcription: transcribe(source, options: options, workers: max(1, workers / atOnce)))
        }
        return SpeakerTranscription(speakers, atOnce: atOnce) {
            sources.first?.progress ?? FileProgress(position: .zero)
        }
    }
}
#else
extension SpeechEngine {
    /// Returns the transcription of a recording, in a build with the trait.
    @available(*, unavailable, message: "Enable the “SoundFile” trait")
    public func transcribe(
        file path: String, channels: RecordingChannels = .mixed, track: Int = 1,
        options: RecognitionOptions? = nil, bufferDuration: Duration? = nil, workers: Int = 1, inHelper: Bool = false
    ) async throws(DictationError) -> SpeakerTranscription {
        throw DictationError(.notBuilt, "Enable the “SoundFile” trait.")
    }
}
#endif
