import DictationCore
import Testing

@testable import DictateCommand

@Suite struct TypedOptionTests {
    /// An option of the library that an engine does not support, and the option that was typed.
    @Test(arguments: [
        (RecognitionOptions(wordTimes: true), "--words"), (RecognitionOptions(wordConfidence: true), "--words"),
        (RecognitionOptions(maximumAlternatives: 2), "--alternatives"),
        (RecognitionOptions(contextualStrings: ["Stella"]), "--context"),
        (.wakeWords(["hello"]), "--keyphrase"), (.commands(RecognitionTask.Grammar(jsgf: "")), "--grammar"),
    ])
    func anErrorNamesTheOptionThatWasTyped(options: RecognitionOptions, typed: String) throws {
        let error = try #require(throws: DictationError.self) {
            try EngineCapabilities([.dictation]).validate(options, engine: "small")
        }
        #expect(error.saidOnce == "The engine “small” does not support \(typed). Leave the option out.")
        let advised = error.namingTypedOption(alternative: "--engine large")
        #expect(advised.saidOnce.hasSuffix(" Leave the option out, or use --engine large."))
    }

    @Test func anotherErrorStaysAsItIs() {
        for code in [DictationError.Code.unsupportedOption, .invalidInput] {
            let error = DictationError(code, "The model has no bpe.model.", recovery: "Use another.")
            #expect(error.namingTypedOption(alternative: "--engine large") == error)
        }
    }
}
