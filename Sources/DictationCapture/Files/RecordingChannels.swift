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
    /// Returns the transcription of a file. The work starts when its text, results or updates are read.
    ///
    ///     let text = try await engine.transcribe(file: "talk.flac").text()
    ///
    /// With ``RecordingChannels/separate`` the speakers are “Speaker 1”, “Speaker 2” and so on. The recording is read once
    /// for each channel. A recording with one channel names no speaker.
    ///
    /// - Parameters:
    ///   - path: The path of the recording, which ``AudioFileReader`` opens.
    ///   - range: The part of the recording to transcribe; `nil` for all of it. The times of the text count from its
    ///     beginning.
    ///   - channels: How the channels become text.
    ///   - track: The number of the audio track, from 1.
    ///   - options: How to recognize speech; `nil` for the engine's `transcriptionOptions`.
    ///   - bufferDuration: The duration of each buffer. Pass a short one if a user watches volatile text or the progress.
    ///   - workers: How many cores to use.
    ///   - inHelper: Whether the recording is decoded in a process that can do nothing else; see ``AudioFileReader``.
    public func transcribe(
        file path: String, in range: Range<Duration>? = nil, channels: RecordingChannels = .mixed, track: Int = 1,
        options: RecognitionOptions? = nil, bufferDuration: Duration? = nil, workers: Int = 1, inHelper: Bool = false
    ) -> Transcription {
        let thread = DictationRuntime.current.blockingExecutor("audio-file")
        return Transcription(engine: self, options: options, converters: bestConverters(), workers: workers) {
            () throws(DictationError) in
            let numbers: [Int?]
            switch channels {
            case .mixed: numbers = [nil]
            case .one(let number): numbers = [number]
            case .separate:
                let count = try await BlockingWork(on: thread).run { () throws(DictationError) in
                    let reader = try AudioFileReader(path: path, track: track, channel: 1, inHelper: inHelper)
                    return reader.channelCount
                }
                numbers = Array(1...count)
            }
            return numbers.enumerated().map { index, number in
                let file = FileCapturer(
                    path: path, track: track, channel: number, from: range?.lowerBound ?? .zero,
                    bufferDuration: bufferDuration, inHelper: inHelper)
                return Transcription.Source(
                    range.map { BoundedRecording(file, duration: $0.upperBound - $0.lowerBound) } ?? file,
                    speaker: numbers.count > 1 ? "Speaker \(index + 1)" : nil)
            }
        }
    }
}
#else
extension SpeechEngine {
    /// Returns the transcription of a file, in a build with the trait.
    @available(*, unavailable, message: "Enable the “SoundFile” trait of swift-dictation.")
    public func transcribe(
        file path: String, in range: Range<Duration>? = nil, channels: RecordingChannels = .mixed, track: Int = 1,
        options: RecognitionOptions? = nil, bufferDuration: Duration? = nil, workers: Int = 1, inHelper: Bool = false
    ) -> Transcription {
        Transcription(engine: self, options: options, converters: bestConverters(), workers: workers) {
            () throws(DictationError) in
            throw .notBuilt("SoundFile")
        }
    }
}
#endif
