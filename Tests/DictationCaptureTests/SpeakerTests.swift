import DictationEngines
import DictationTesting
import Foundation
import Testing

@testable import DictationCapture
@testable import DictationCore

/// Recordings with a speaker on each channel.
@Suite struct SpeakerTests {
    private let folder = TemporaryFolder()

    /// Says how loud each second was, so that the text of a channel is its own.
    private let engine = LoudnessEngine()

    /// A recording of four seconds; a channel is silent where its digit is 0.
    private func recording(_ channels: [String], _ name: String = "call.wav") async throws -> String {
        let tones = channels.enumerated().map { index, pattern in
            pattern.enumerated().filter { $1 != "0" }
                .map { "between(t,\($0.offset),\($0.offset).999)*0.\($0.element)*sin(\(600 + 200 * index)*t)" }
                .joined(separator: "+")
        }
        let path = folder(name)
        try await Made.run([
            "-f", "lavfi", "-i",
            "aevalsrc='\(tones.joined(separator: "|"))':c=\(channels.count)c:d=4:s=16000", path,
        ])
        return path
    }

    @Test func separateChannelsAreInterleavedByTimeAndLabelled() async throws {
        let path = try await recording(["4040", "0404"])
        let transcript = try await engine.transcribe(file: path, channels: .separate).transcript()
        #expect(transcript.segments.map(\.speaker) == ["Speaker 1", "Speaker 2", "Speaker 1", "Speaker 2"])
        #expect(transcript.segments.map(\.range.lowerBound) == (0..<4).map { .seconds($0) })
        #expect(transcript.duration == .seconds(4) && transcript.isComplete && transcript.error == nil)
    }

    @Test func theResultsOfTheSequenceAreThoseOfTheTranscript() async throws {
        let path = try await recording(["4404", "0444"])
        let transcription = engine.transcribe(file: path, channels: .separate)
        var results: [SpeechResult] = []
        for try await result in transcription { results.append(result) }
        let transcript = try await transcription.transcript()
        #expect(results.count == 6 && results == transcript.segments)
        #expect(results.map(\.range.lowerBound) == results.map(\.range.lowerBound).sorted())
        #expect(transcription.progress == .init(position: .seconds(4), duration: .seconds(4)))
    }

    @Test func oneChannelOrTheMixHasNoSpeaker() async throws {
        let path = try await recording(["4000", "0040"])
        let mixed = try await engine.transcribe(file: path).transcript()
        #expect(mixed.segments.map(\.range.lowerBound) == [.zero, .seconds(2)])
        let second = try await engine.transcribe(file: path, channels: .one(2)).transcript()
        #expect(second.segments.map(\.range.lowerBound) == [.seconds(2)])
        #expect((mixed.segments + second.segments).allSatisfy { $0.speaker == nil })
    }

    @Test func aPartOfARecordingHasTimesOfItsOwn() async throws {
        let path = try await recording(["4040", "0404"])
        let transcription = engine.transcribe(file: path, in: .seconds(1)..<(.seconds(3)), channels: .separate)
        let transcript = try await transcription.transcript()
        #expect(transcript.segments.map(\.speaker) == ["Speaker 2", "Speaker 1"])
        #expect(transcript.segments.map(\.range.lowerBound) == [.zero, .seconds(1)])
        #expect(transcript.duration == .seconds(2) && transcript.isComplete)
        #expect(transcription.progress.duration == .seconds(2))
    }

    @Test func anEngineWithOneSessionTakesOneChannelAfterTheOther() async throws {
        let path = try await recording(["4040", "0404", "4444"], "three.wav")
        let alone = LoudnessEngine(maximumSessions: 1)
        let transcript = try await alone.transcribe(file: path, channels: .separate).transcript()
        let together = try await engine.transcribe(file: path, channels: .separate).transcript()
        #expect(transcript.segments == together.segments && transcript.segments.count == 8)
    }

    @Test func theUpdatesOfSeparateChannelsNeverGoBack() async throws {
        let path = try await recording(["4440", "0444"])
        var options = RecognitionOptions.fileTranscription()
        options.volatileResults = true
        let updates = engine.transcribe(file: path, channels: .separate, options: options).updates()
        var watermark = Duration.zero
        for try await update in updates {
            switch update {
            case .final(let result): #expect(result.range.lowerBound >= watermark)
            case .finalized(let time):
                #expect(time > watermark)
                watermark = time
            default: Issue.record("\(update)")
            }
        }
        #expect(watermark > .zero)
    }

    @Test func aDamagedRecordingGivesTheTextOfAllChannelsUpToThere() async throws {
        let path = try await recording(["4444", "4444"], "cut.flac")
        let bytes = try Data(contentsOf: URL(filePath: path))
        try bytes.prefix(bytes.count * 3 / 4).write(to: URL(filePath: path))
        var updates = engine.transcribe(file: path, channels: .separate).updates().makeAsyncIterator()
        await #expect(throws: DictationError.self) { while try await updates.next() != nil {} }
        let transcript = updates.transcript
        #expect(!transcript.isComplete)
        #expect(Set(transcript.segments.map(\.speaker)) == ["Speaker 1", "Speaker 2"])
        #expect(try await updates.next() == nil)
    }

    @Test func channelsThatDoNotExistAreNamed() async throws {
        let path = try await recording(["4000"], "mono.wav")
        await #expect {
            _ = try await engine.transcribe(file: path, channels: .one(2)).transcript()
        } throws: {
            ($0 as? DictationError)?.message.contains("has one channel, and no channel 2") == true
        }
        await #expect(throws: DictationError.self) {
            _ = try await engine.transcribe(file: folder("missing.wav"), channels: .separate).text()
        }
        let alone = try await engine.transcribe(file: path, channels: .separate).transcript()
        #expect(alone.segments.map(\.speaker) == [nil])
    }

    /// However the speakers' results arrive, they come out sorted, and none is held back once all have passed it.
    @Test(arguments: 0..<50 as Range<UInt64>) func resultsAreReleasedInOrder(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let speakers = (1...3).map { speaker -> [SpeechResult] in
            var time = 0
            return (0..<Int.random(in: 0...20, using: &random)).map { _ in
                let start = time + Int.random(in: 0...5, using: &random)
                time = start + Int.random(in: 1...5, using: &random)
                let range = Duration.seconds(start)..<(.seconds(time))
                return SpeechResult(range: range, text: "a", speaker: "\(speaker)")
            }
        }
        var (order, left, times) = (SpeakerOrder(), speakers, [Duration?](repeating: .zero, count: 3))
        while let index = times.indices.filter({ times[$0] != nil }).randomElement(using: &random) {
            if left[index].isEmpty {
                times[index] = nil
            } else {
                let result = left[index].removeFirst()
                order.add(result)
                times[index] = result.range.upperBound
            }
            let passed = times.compactMap { $0 }.min()
            while order.next(through: passed) != nil {}
            let due = speakers.enumerated().flatMap { $1.dropLast(left[$0].count) }
                .filter { result in passed.map { result.range.lowerBound < $0 } ?? true }
            #expect(order.released.count == due.count)
        }
        let starts = order.released.map(\.range.lowerBound)
        #expect(starts == starts.sorted() && starts.count == speakers.joined().count)
    }
}
