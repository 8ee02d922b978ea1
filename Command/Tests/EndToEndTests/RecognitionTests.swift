import Foundation
import Testing

/// Tests with real speech and the engine that Debian packages.
@Suite struct RecognitionTests {
    private static let data = "/usr/share/pocketsphinx/test/data/"
    private static let recording = data + "librivox/sense_and_sensibility_01_austen_64kb-0880.wav"

    private func transcribe(_ arguments: [String]) async throws -> Outcome {
        try #require(
            FileManager.default.fileExists(atPath: Self.recording),
            "\(Self.recording) is missing; Scripts/install-dependencies installs it.")
        return try await Program.run(["transcribe", "--engine", "pocketsphinx"] + arguments, within: 120)
    }

    @Test func recordedSpeechBecomesText() async throws {
        let outcome = try await transcribe([Self.recording])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("young man"), "\(outcome)")
        #expect(outcome.errors.isEmpty)
    }

    /// Measures the best of nine runs in processor time, which does not depend on other programs.
    @Test func helpComesAtOnce() async throws {
        let outcome = try await Program.bash(
            "TIMEFORMAT='%U %S'; for _ in 1 2 3 4 5 6 7 8 9; do time \"$dictate\" help >/dev/null; done")
        let times = processorTimes(outcome)
        #expect(times.count == 9)
        #expect(try #require(times.min()) < 0.05, "\(times)")
    }

    /// The times that bash's `time` wrote, one line for each run.
    private func processorTimes(_ outcome: Outcome) -> [Double] {
        outcome.errors.split(separator: "\n").compactMap { line in
            let times = line.split(separator: " ").compactMap { Double($0) }
            return times.count == 2 ? times[0] + times[1] : nil
        }
    }
}

extension RecognitionTests {
    /// What takes too long for everyday runs.
    @Suite struct ProofTests {
        private let tests = RecognitionTests()

        @Test func howManyCoresDoesNotMatter() async throws {
            let one = try await tests.transcribe([RecognitionTests.recording, "--jobs", "1", "--words"])
            let four = try await tests.transcribe([RecognitionTests.recording, "--jobs", "4", "--words"])
            #expect(one.output == four.output)
            #expect(one.output.contains("\tyoung\t"), "\(one)")
        }

        /// Three sentences with pauses, so that there is work for two at once.
        @Test func parallelWorkInAProcessOfItsOwnGivesTheSameText() async throws {
            let sentence = try Data(contentsOf: URL(filePath: RecognitionTests.recording))
            let (header, samples, pause) = (sentence.prefix(44), sentence.dropFirst(44), Data(count: 64_000))
            var size = UInt32(3 * (samples.count + pause.count)).littleEndian
            let all = header.dropLast(4) + Data(bytes: &size, count: 4)
            let folder = try Folder()
            try (all + samples + pause + samples + pause + samples + pause)
                .write(to: URL(filePath: folder.file("three.wav")))
            let arguments = [folder.file("three.wav"), "--jobs", "2", "--words"]
            let helper = try await tests.transcribe(arguments)
            let inProcess = try await tests.transcribe(arguments + ["--in-process"])
            #expect(helper.status == 0 && inProcess.status == 0, "\(helper) \(inProcess)")
            #expect(helper.output == inProcess.output)
            #expect(helper.output.components(separatedBy: "\tyoung\t").count == 4, "\(helper)")
        }

        @Test(arguments: ["1", "2"]) func aRecordingThatIsCutShortIsTextUntilThere(jobs: String) async throws {
            let folder = try Folder()
            let recording = try Data(contentsOf: URL(filePath: RecognitionTests.recording))
            try recording.dropLast(20_000).write(to: URL(filePath: folder.file("cut.wav")))
            let outcome = try await tests.transcribe([folder.file("cut.wav"), "--jobs", jobs])
            #expect(outcome.status == 1, "\(outcome)")
            #expect(outcome.output.contains("until"), "\(outcome)")
            #expect(
                outcome.errors.contains(
                    /ends too early, after [0-9]+\.[0-9]{1,2} seconds of [0-9]+\.[0-9]{1,2} seconds\./)
                    && outcome.errors.contains("get the file again"), "\(outcome)")
        }

        @Test func aGrammarIsAllThatIsListenedFor() async throws {
            let outcome = try await tests.transcribe([
                RecognitionTests.data + "cards/001.wav", "--grammar", RecognitionTests.data + "cards/cards.gram",
            ])
            #expect(outcome.status == 0, "\(outcome)")
            let expected = try String(
                contentsOfFile: RecognitionTests.data + "cards/cards.transcription", encoding: .utf8)
            let first = try #require(expected.split(separator: "\n").first)
            let words = first.split(separator: "(")[0].replacing("<s>", with: "").replacing("</s>", with: "")
                .trimmingCharacters(in: .whitespaces)
            #expect(outcome.output == words + "\n")
        }

        @Test func aKeyphraseIsSpotted() async throws {
            let outcome = try await tests.transcribe([RecognitionTests.recording, "--keyphrase", "young man"])
            #expect(outcome.status == 0, "\(outcome)")
            #expect(outcome.output.contains("young man"), "\(outcome)")
        }

        @Test func aModelsFolderCanBeGiven() async throws {
            let outcome = try await tests.transcribe([
                RecognitionTests.recording, "--model", "/usr/share/pocketsphinx/model/en-us",
            ])
            #expect(outcome.output.contains("young man"), "\(outcome)")
        }

        /// Measures the whole run except the loading of a model, as the best of nine in processor time. Processor time does
        /// not depend on other programs.
        @Test func startingUpIsShortBesideTheModel() async throws {
            let folder = try Folder()
            let tone = try folder.tone(seconds: 0.1)
            for arguments in ["transcribe '\(tone)'", "live --device 'file:\(tone)'"] {
                let outcome = try await Program.bash(
                    """
                    TIMEFORMAT='%U %S'
                    for _ in 1 2 3 4 5 6 7 8 9; do time "$dictate" \(arguments) --engine scripted >/dev/null; done
                    """)
                let times = tests.processorTimes(outcome)
                #expect(times.count == 9)
                #expect(try #require(times.min()) < 0.1, "\(outcome)")
            }
        }

        @Test func contextMakesAPhraseLikelier() async throws {
            let recording = RecognitionTests.data + "librivox/sense_and_sensibility_01_austen_64kb-0890.wav"
            let plain = try await tests.transcribe([recording])
            let helped = try await tests.transcribe([
                recording, "--context", "to be ill disposed", "--context", "unless to be",
            ])
            #expect(plain.status == 0 && !plain.output.contains("ill disposed"), "\(plain)")
            #expect(helped.output.contains("ill disposed"), "\(helped)")
        }
    }
}
