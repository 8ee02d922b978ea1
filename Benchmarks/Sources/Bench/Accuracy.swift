import BenchSpeech
import DictationCapture
import DictationCore
import DictationEngines

/// Word errors and processor time of an engine over all recordings, live and as files.
enum Accuracy {
    static func measure(_ engine: any SpeechEngine) async throws -> [Measurement] {
        let recordings = try Speech.recordings()
        let sounds = try recordings.map(Speech.samples)
        let minutes = Double(sounds.map(\.count).reduce(0, +)) / 16_000 / 60
        var measurements: [Measurement] = []
        for (way, options) in [("live", RecognitionOptions.liveDictation()), ("file", .fileTranscription())] {
            try await engine.prepare(options)
            var errors = WordErrors()
            let began = processorSeconds()
            for (recording, sound) in zip(recordings, sounds) {
                let session = try await engine.makeSession(options)
                try session.start(AudioInput.pieces(of: sound))
                var text = ""
                for try await result in session.results where result.isFinal { text += result.text + " " }
                errors.count(text, reference: recording.words)
            }
            let seconds = processorSeconds() - began
            measurements += [
                Measurement(
                    name: "words, \(engine.name), \(way): \(recordings.count) recordings, \(errors.words) words",
                    unit: "% wrong", runs: [errors.percent]),
                Measurement(
                    name: "speed, \(engine.name), \(way): a minute of speech", unit: "s CPU", runs: [seconds / minutes]),
            ]
        }
        return measurements
    }
}
