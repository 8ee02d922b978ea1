import DictationCore
import DictationTesting
import Testing

@testable import DictationText

/// Numbers into which an engine wrote commas, and lists of numbers, which have commas of their own.
@Suite struct CommaNumberTests {
    private func numbers(_ text: String) -> String { written(text, by: [SpokenNumbers()]) }

    @Test func commasInsideALargeNumberAreLeftOut() {
        var random = SplitMix64(seed: 31)
        for _ in 0..<60 {
            let parts = (0..<3).map { _ in Int(random.next() % 990) + 10 }
            let thousands = parts[0] * 1_000 + parts[1]
            let millions = parts[0] * 1_000_000 + parts[1] * 1_000 + parts[2]
            for number in [thousands, millions] {
                var spoken = SurfaceNumberTests.said(number, and: random.next() % 2 == 0)
                for scale in ["million", "thousand"] { spoken = spoken.replacing(scale + " ", with: scale + ", ") }
                #expect(
                    numbers("about \(spoken) cats") == "about \(SurfaceNumberTests.printed(number)) cats", "\(spoken)")
            }
        }
    }

    @Test func aListOfNumbersKeepsItsCommasAndItsNumbers() {
        var random = SplitMix64(seed: 32)
        for _ in 0..<100 {
            let limits = [10, 100, 1_000, 1_000_000]
            let list = (0..<Int(random.next() % 4 + 3)).map { _ in
                Int(random.next() % UInt64(limits[Int(random.next() % 4)]))
            }
            let spoken = list.map { SurfaceNumberTests.said($0) }.joined(separator: ", ")
            let expected = list.map { SurfaceNumberTests.printed($0) }.joined(separator: ", ")
            #expect(numbers("choose \(spoken) now") == "choose \(expected) now")
        }
    }

    @Test(arguments: ["", ","], ["", ","]) func aDateIsTheSameWithCommasAnywhere(_ first: String, _ second: String) {
        let days = ["third", "twelfth", "twenty first", "thirty-first"]
        let printed = ["3", "12", "21", "31"]
        let years = ["twenty twenty four", "nineteen oh five", "two thousand ten", "Seventeen seventy-six"]
        for month in ["January", "March", "May", "december"] {
            for (day, number) in zip(days, printed) {
                for (year, value) in zip(years, [2024, 1905, 2010, 1776]) {
                    let spoken = "on \(month)\(first) \(day)\(second) \(year) we met"
                    let name = month.prefix(1).uppercased() + month.dropFirst()
                    #expect(numbers(spoken) == "on \(name) \(number), \(value) we met", "\(spoken)")
                }
            }
        }
    }

    /// Who says “comma” wants one.
    @Test func aCommaThatWasSaidStays() {
        for spoken in [
            "march comma third comma twenty twenty four", "two thousand comma twenty four",
            "twenty dollars comma and fifty cents", "three comma thirty pm",
        ] {
            let text = written(spoken, by: [SpokenPunctuation(), SpokenNumbers()])
            #expect(text.count { $0 == "," } >= spoken.split(separator: " ").count { $0 == "comma" }, "\(text)")
        }
    }

    /// The words between which the engine cut its results make no difference, and neither does a second reading.
    @Test func anyCommasMakeTheSameTextHoweverItIsCut() {
        let words = """
            march may june third twenty-first twenty fifty five one two hundred thousand million and a oh nineteen \
            dollars cents percent pm am at in the of half past seven point minus double page Twenty Thousand PM five
            """.split(separator: " ").map(String.init)
        var random = SplitMix64(seed: 33)
        for number in 0..<80 {
            let spoken = (0..<18).map { _ -> SpeechResult.Word in
                let word = words[Int(random.next() % UInt64(words.count))]
                return SpeechResult.Word(word + (random.next() % 3 == 0 ? "," : ""))
            }
            let text = spoken.map(\.text).joined(separator: " ")
            let whole = numbers(text)
            var start = 0
            var results: [SpeechResult] = []
            while start < spoken.count {
                let end = min(spoken.count, start + Int(random.next() % 4) + 1)
                let part = spoken[start..<end].map(\.text).joined(separator: " ")
                results.append(SpeechResult(range: .seconds(start)..<(.seconds(end)), text: part))
                start = end
            }
            #expect(
                Transcript(segments: results).processed(by: [SpokenNumbers()]).text == whole, "text \(number): \(text)")
            #expect(numbers(whole) == whole, "text \(number): \(text)")
        }
    }
}
