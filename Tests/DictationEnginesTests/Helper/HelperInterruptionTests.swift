import DictationCore
import Foundation
import TestSupport
import Testing

@testable import DictationEngines

/// Audio that no helper survives: it is left out, and the session goes on.
@Suite(.ownThread) struct HelperInterruptionTests {
    /// What a library does when it gets the marked audio, and a word of the cause.
    struct Deed: CustomTestStringConvertible {
        let code: String
        let word: String
        /// The number of seconds after which the engine hangs.
        var patience = 600
        var testDescription: String { word }
    }

    static let crash = Deed(code: "abort();", word: "signal 6 ended it")
    static let hang = Deed(code: "for (;;) pause();", word: "it hung", patience: 10)
    static let leak = Deed(
        code: "for (;;) memset(malloc(1 << 20), 1, 1 << 20), usleep(1000);", word: "more memory than its limit")

    /// No speech changes its sign with every sample.
    private static let mark = (0..<1_600).map { Int16($0 % 2 == 0 ? 3_000 : -3_000) }

    @Test func audioThatCrashesTheEngineIsLeftOut() throws { try expectLeftOut(Self.crash) }

    fileprivate func expectLeftOut(_ deed: Deed) throws {
        let sentence = try SherpaFixtures.samples("mfa-ipa_us_2")
        let silence = [Int16](repeating: 0, count: 16_000 * 3 + 1_600 - sentence.count % 1_600)
        let start = sentence.count + silence.count
        let whole = sentence + silence + Self.mark + silence + sentence
        let undisturbed = try lines(of: whole, nil)
        let lines = try lines(of: whole, deed)
        let (texts, interruptions) = (lines.filter { $0.hasPrefix("final") }, lines.filter { $0.hasPrefix("inter") })
        // The engine hears the second sentence without what came before, so its first words may differ.
        #expect(texts.count == 2 && texts.first == undisturbed.first && undisturbed.count == 2, "\(lines)")
        #expect(texts.last?.contains("he just decided") == true, "\(lines)")
        #expect(interruptions.count == 3, "\(lines)")
        #expect(interruptions.allSatisfy { $0.contains(deed.word) }, "\(lines)")
        let lost = interruptions.filter { $0.contains("lost") }
        try #require(lost.count == 1 && lost == interruptions.suffix(1), "\(lines)")
        let range = lost[0].split(separator: " ").dropFirst(2).prefix(2).compactMap { Double($0) }
        try #require(range.count == 2)
        #expect(range[0] > Double(sentence.count) / 16_000, "The first sentence is final.")
        #expect(range[0] <= Double(start) / 16_000 && range[1] >= Double(start + Self.mark.count) / 16_000)
        #expect(range[1] < Double(start + Self.mark.count) / 16_000 + 2)
    }

    /// An offline model that fails while it decodes: the library prints that, and returns a text without words.
    @Test func audioThatTheLibraryCannotDecodeIsLeftOut() throws {
        let sentence = try SherpaFixtures.samples("mfa-ipa_us_2")
        let silence = [Int16](repeating: 0, count: 16_000 * 3 + 1_600 - sentence.count % 1_600)
        let lines = try lines(
            of: sentence + silence + Self.mark + sentence + silence + sentence,
            with: "moonshine:" + SherpaFixtures.moonshineFolder(),
            """
            static const void *marked;
            void SherpaOnnxAcceptWaveformOffline(const void *stream, int rate, const float *samples, int count) {
                static void (*next)(const void *, int, const float *, int);
                if (isMarked(samples, count)) marked = stream;
                if (!next) *(void **)&next = dlsym(RTLD_NEXT, "SherpaOnnxAcceptWaveformOffline");
                next(stream, rate, samples, count);
            }
            void SherpaOnnxDecodeOfflineStream(const void *recognizer, const void *stream) {
                static void (*next)(const void *, const void *);
                if (stream == marked) {
                    fprintf(stderr, "Caught exception:\\n\\nReturn an empty result.\\n");
                    return;
                }
                if (!next) *(void **)&next = dlsym(RTLD_NEXT, "SherpaOnnxDecodeOfflineStream");
                next(recognizer, stream);
            }
            """)
        let lost = lines.filter { $0.hasPrefix("inter") && $0.contains("lost") }
        #expect(lost.count == 1 && lost[0].contains("its library failed while it decoded audio"), "\(lines)")
        // The other two sentences, and the one that followed the lost audio.
        #expect(lines.count { $0.hasPrefix("final") && $0.lowercased().contains("he just decided") } == 3, "\(lines)")
    }

    /// Returns what a program with an engine in a helper sees, one line for each final result and each interruption.
    private func lines(of samples: [Int16], _ deed: Deed?) throws -> [Substring] {
        try lines(
            of: samples, with: "zipformer:" + SherpaFixtures.modelFolder(),
            """
            void SherpaOnnxOnlineStreamAcceptWaveform(void *stream, int rate, const float *samples, int count) {
                static void (*next)(void *, int, const float *, int);
                if (isMarked(samples, count)) { \(deed?.code ?? ";") }
                if (!next) *(void **)&next = dlsym(RTLD_NEXT, "SherpaOnnxOnlineStreamAcceptWaveform");
                next(stream, rate, samples, count);
            }
            """, patience: deed?.patience ?? 600)
    }

    /// Does the same with an engine whose library has other functions.
    private func lines(
        of samples: [Int16], with engine: String, _ functions: String, patience: Int = 600
    ) throws -> [Substring] {
        let folder = try HelperFolder()
        let library = try folder.library(
            """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <string.h>
            static int isMarked(const float *samples, int count) {
                int changes = 0;
                for (int i = 1; i < count; i++) {
                    changes = samples[i] * samples[i - 1] < -1e-6f ? changes + 1 : 0;
                    if (changes > 200) return 1;
                }
                return 0;
            }
            \(functions)
            """)
        try Data(samples.withUnsafeBytes { Array($0) }).write(to: URL(filePath: folder.path("audio")))
        let program = try folder.copy(of: "HelperProbe", in: "own")
        let run = try folder.run(
            program, ["helper-text", engine, folder.path("audio")],
            environment: ["DICTATION_SHERPA_ONNX": library, "PROBE_PATIENCE": "\(patience)"])
        #expect(run.status == 0, "\(run)")
        return run.output.split(separator: "\n")
    }
}

@Suite(.serialized, .ownThread) struct HelperInterruptionProofTests {
    @Test(arguments: [HelperInterruptionTests.hang, HelperInterruptionTests.leak])
    func audioThatNoHelperSurvivesIsLeftOut(_ deed: HelperInterruptionTests.Deed) throws {
        try HelperInterruptionTests().expectLeftOut(deed)
    }
}
