import DictationBatch
import DictationCore
import Testing

struct WordErrorsTests {
    private func errors(_ text: String, _ reference: String) -> WordErrorCount {
        var errors = WordErrorCount()
        errors.count(text, reference: reference)
        return errors
    }

    @Test(arguments: [
        ("42", "forty-two"), ("42", "forty two"), ("Forty-two.", "42"),
        ("the 42-line Bible of 1455", "the forty-two line bible of fourteen fifty-five"),
        ("in 1900 and in 1903", "in nineteen hundred and in nineteen oh three"), ("2,005", "two thousand five"),
        ("2000", "two thousand"), ("1,234,567", "1234567"), ("007", "zero zero seven"),
        ("the 3rd and the 21st", "the third and the twenty-first"), ("the 20th", "the twentieth"),
        ("100%", "one hundred percent"), ("$42", "forty-two dollars"), ("3.5", "three point five"),
        ("Mr. and Mrs. O\u{2019}Neil", "mister and missus o'neil"),
        ("It\u{2019}s 5 o\u{2019}clock", "it's five O'CLOCK"),
        ("\u{201C}Stop,\u{201D} he said\u{2014}twice.", "STOP HE SAID TWICE"), ("the boys' room", "the boys room"),
        ("", ""), ("...", ""),
    ])
    func differencesOfWritingAreNoErrors(_ text: String, _ reference: String) {
        #expect(errors(text, reference).errors == 0)
        #expect(errors(reference, text).errors == 0)
    }

    /// Upper case, marks that are letters of their own or not, and the punctuation of other scripts.
    @Test(arguments: [
        ("ПРИВЕТ, мир!", "привет мир"), ("caf\u{E9}", "cafe\u{301}"), ("ΛΌΓΟΣ", "λόγος"),
        ("\u{939}\u{93F}\u{928}\u{94D}\u{926}\u{940}\u{964}", "\u{939}\u{93F}\u{928}\u{94D}\u{926}\u{940}"),
        (
            "\u{645}\u{631}\u{62D}\u{628}\u{627}\u{60C} \u{643}\u{64A}\u{641}\u{61F}",
            "\u{645}\u{631}\u{62D}\u{628}\u{627} \u{643}\u{64A}\u{641}"
        ),
        ("你好，世界。", "你好 世界"), ("¿Qué?", "qué"), ("«Oui»", "oui"), ("\u{200F}שלום\u{200E}", "שלום"),
    ])
    func scriptsAreWrittenDifferently(_ text: String, _ reference: String) {
        #expect(errors(text, reference).errors == 0)
        #expect(errors(reference, text).errors == 0)
        #expect(errors("", reference).words == reference.writtenWords.count)
    }

    /// Where a script has no spaces, each character counts as a word.
    @Test func oneWrongCharacterIsNotTheWholeSentence() {
        #expect(errors("今天天气很好", "今天天氣很好") == WordErrorCount(errors: 1, words: 6))
        #expect(errors("สวัสดีครับ", "สวัสดีครับ").errors == 0)
    }

    @Test func anEmptyReferenceIsNoDivision() {
        let many = errors("a b c", "")
        #expect(many == WordErrorCount(errors: 3, words: 0) && many.percent == 0)
        #expect((many + WordErrorCount(errors: 0, words: 3)).percent == 100)
        for text in ["\u{0}", "\u{FFFD}", "\u{301}", "🎉", "\u{200D}", "٤٢", "½", "²", "Ⅷ", "1\u{0}2"] {
            let count = errors(text, text)
            #expect(count.errors == 0 && count.percent == 0, "\(text)")
        }
    }

    @Test(arguments: [
        ("10001 90210 1803", "one zero zero zero one nine oh two one oh one eight zero three"),
        ("33, 4 or 692", "thirty three four or six ninety two"), ("692", "six hundred ninety two"),
        ("1862", "one thousand eight hundred sixty two"), ("1862", "eighteen sixty two"),
        ("1862", "one eight six two"), ("2010", "two thousand ten"), ("2010", "twenty ten"),
    ])
    func digitsStandForEachWayToSayThem(_ text: String, _ reference: String) {
        #expect(errors(text, reference).errors == 0)
    }

    @Test(arguments: [
        ("42", "forty three", 1, 2), ("1862", "eighteen sixty", 1, 2), ("", "go forward ten meters", 4, 4),
        ("go go go", "go", 2, 1), ("its", "it's", 1, 1), ("1863", "eighteen sixty two", 1, 3),
        ("40 2", "four two", 1, 2), ("a b c", "a x c", 1, 3),
        (String(repeating: "9", count: 40), "nine", 1, 1),
    ])
    func otherWordsAreErrors(_ text: String, _ reference: String, _ count: Int, _ words: Int) {
        #expect(errors(text, reference) == WordErrorCount(errors: count, words: words))
    }
}
