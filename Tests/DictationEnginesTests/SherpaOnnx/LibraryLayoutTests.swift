import Foundation
import Testing

/// Our declarations of the C library's structs, compared with the header of the installed version.
@Suite struct LibraryLayoutTests {
    struct Layout: CustomTestStringConvertible {
        let ours: String
        let theirs: String
        /// Whether the engines create the struct, so that its size matters too.
        var isCreatedByUs = true
        /// Each field of ours, and theirs at the same place.
        let fields: KeyValuePairs<String, String>
        var testDescription: String { ours }
    }

    static let layouts = [
        Layout(
            ours: "SherpaFeatures", theirs: "SherpaOnnxFeatureConfig",
            fields: ["sampleRate": "sample_rate", "bands": "feature_dim"]),
        Layout(
            ours: "SherpaStreamingModel", theirs: "SherpaOnnxOnlineModelConfig",
            fields: [
                "encoder": "transducer.encoder", "decoder": "transducer.decoder", "joiner": "transducer.joiner",
                "otherNetworks": "paraformer", "tokens": "tokens", "threads": "num_threads", "processor": "provider",
                "otherSwitch": "debug", "otherKind": "model_type", "pieceKind": "modeling_unit", "pieces": "bpe_vocab",
                "otherTokens": "tokens_buf", "otherTokensLength": "tokens_buf_size", "nemoCTC": "nemo_ctc.model",
                "otherNetwork": "t_one_ctc.model",
            ]),
        Layout(
            ours: "SherpaRecognizerConfig", theirs: "SherpaOnnxOnlineRecognizerConfig",
            fields: [
                "features": "feat_config", "model": "model_config", "search": "decoding_method",
                "beamWidth": "max_active_paths", "findsEndpoints": "enable_endpoint",
                "silenceWithoutText": "rule1_min_trailing_silence", "silenceAfterText": "rule2_min_trailing_silence",
                "maximumLength": "rule3_min_utterance_length", "otherHotwords": "hotwords_file",
                "hotwordStrength": "hotwords_score", "otherRules": "ctc_fst_decoder_config",
                "otherPenalty": "blank_penalty", "otherBuffers": "hotwords_buf",
            ]),
        Layout(
            ours: "SherpaSpotterConfig", theirs: "SherpaOnnxKeywordSpotterConfig",
            fields: [
                "features": "feat_config", "model": "model_config", "beamWidth": "max_active_paths",
                "otherNumbers": "num_trailing_blanks", "otherKeywords": "keywords_file", "keywords": "keywords_buf",
                "keywordsLength": "keywords_buf_size",
            ]),
        Layout(
            ours: "SherpaOfflineModel", theirs: "SherpaOnnxOfflineModelConfig",
            fields: [
                "encoder": "transducer.encoder", "decoder": "transducer.decoder", "joiner": "transducer.joiner",
                "otherNetwork": "paraformer.model", "nemoCTC": "nemo_ctc.model", "whisperEncoder": "whisper.encoder",
                "whisperDecoder": "whisper.decoder", "whisperLanguage": "whisper.language",
                "whisperTask": "whisper.task", "otherWhisper": "whisper.tail_paddings", "otherSmall": "tdnn.model",
                "tokens": "tokens", "threads": "num_threads", "otherSwitch": "debug", "processor": "provider",
                "kind": "model_type", "otherInputs": "modeling_unit", "senseVoice": "sense_voice.model",
                "senseVoiceLanguage": "sense_voice.language", "senseVoicePunctuates": "sense_voice.use_itn",
                "moonshinePreprocessor": "moonshine.preprocessor", "moonshineEncoder": "moonshine.encoder",
                "moonshineFirstDecoder": "moonshine.uncached_decoder",
                "moonshineNextDecoder": "moonshine.cached_decoder", "moonshineDecoder": "moonshine.merged_decoder",
                "otherModels": "fire_red_asr",
            ]),
        Layout(
            ours: "SherpaOfflineConfig", theirs: "SherpaOnnxOfflineRecognizerConfig",
            fields: [
                "features": "feat_config", "model": "model_config", "otherLanguageModel": "lm_config",
                "search": "decoding_method", "otherOptions": "max_active_paths",
            ]),
        Layout(
            ours: "SherpaResult", theirs: "SherpaOnnxOnlineRecognizerResult", isCreatedByUs: false,
            fields: [
                "otherTexts": "text", "tokens": "tokens_arr", "times": "timestamps", "count": "count", "json": "json",
            ]),
        Layout(
            ours: "SherpaHit", theirs: "SherpaOnnxKeywordResult", isCreatedByUs: false,
            fields: [
                "keyword": "keyword", "otherText": "tokens", "tokens": "tokens_arr", "count": "count",
                "times": "timestamps",
            ]),
        Layout(
            ours: "SherpaOfflineResult", theirs: "SherpaOnnxOfflineRecognizerResult", isCreatedByUs: false,
            fields: [
                "text": "text", "times": "timestamps", "count": "count", "otherTokens": "tokens",
                "tokens": "tokens_arr",
            ]),
    ]

    private static var declarations: URL {
        SherpaFixtures.package.appending(path: "Sources/CSherpaOnnx/include/CSherpaOnnx.h")
    }

    @Test(arguments: layouts) func aStructHasTheLayoutOfTheLibrary(_ layout: Layout) throws {
        var lines = layout.isCreatedByUs ? [(layout.ours, "sizeof(\(layout.ours))", "sizeof(\(layout.theirs))")] : []
        for (ours, theirs) in layout.fields {
            lines.append((ours, "offsetof(\(layout.ours), \(ours))", "offsetof(\(layout.theirs), \(theirs))"))
        }
        let folder = try HelperFolder()
        let source = folder.path("layout.c")
        let code =
            "#include \"\(Self.declarations.path)\"\n#include <sherpa-onnx/c-api/c-api.h>\n"
            + "#include <stddef.h>\n#include <stdio.h>\nint main(void) {\n"
            + lines.map { #"printf("\#($0.0) %zu %zu\n", \#($0.1), \#($0.2));"# }.joined(separator: "\n") + "\n}\n"
        try Data(code.utf8).write(to: URL(filePath: source))
        let headers = try SherpaFixtures.library().deletingLastPathComponent().appending(path: "include").path
        try SherpaFixtures.run(["cc", "-w", "-I" + headers, source, "-o", folder.path("layout")])
        let printed = String(decoding: try SherpaFixtures.run([folder.path("layout")]), as: UTF8.self)
        let numbers = printed.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(numbers.count == lines.count)
        for line in numbers { #expect(line[1] == line[2], "\(layout.ours): \(line)") }
    }

    /// A field that no row of the table names would be compared with nothing.
    @Test func theTableNamesEveryFieldOfEveryStruct() throws {
        let header = try String(contentsOf: Self.declarations, encoding: .utf8)
        let structs = header.matches(of: /typedef struct \{([^}]*)\} (\w+);/).filter {
            $0.output.2 != "SherpaFunctions"
        }
        #expect(structs.map { String($0.output.2) } == Self.layouts.map(\.ours))
        for (found, layout) in zip(structs, Self.layouts) {
            let fields = found.output.1.matches(of: /(\w+)(\[\d+\])?;/).map { String($0.output.1) }
            #expect(fields == layout.fields.map(\.key), "\(layout.ours)")
        }
    }
}
