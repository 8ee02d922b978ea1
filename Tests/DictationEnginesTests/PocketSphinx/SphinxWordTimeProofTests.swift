#if PocketSphinx
import DictationCore
import DictationEngines
import Testing

/// Where words are, against an aligner of another make: the forced alignment of PocketSphinx 5.1.1, told what is said.
@Suite(.serialized) struct SphinxWordTimeProofTests {
    /// Where each word of a sentence begins, in hundredths of a second.
    static let aligned: [(speech: Speech, starts: [Int])] = [
        (.goForward, [46, 63, 117, 153]),
        (.ill, [22, 33, 56, 113, 130, 148, 211, 233]),
        (.unless, [27, 59, 70, 86, 122, 174, 223, 239, 278, 361, 388, 398, 416, 437]),
        (.himself, [21, 38, 64, 92, 107, 133, 170, 227]),
        (.numbers, [39, 74, 119, 161, 193, 238, 268]),
    ]

    /// The sentences with pauses between them, and where and what each word is.
    private func session(pauses: Double) throws -> (samples: [Int16], words: [(text: String, start: Duration)]) {
        var samples = quiet(1)
        var words: [(text: String, start: Duration)] = []
        for (speech, starts) in Self.aligned {
            let offset = AudioFormat.speech.duration(ofFrames: Int64(samples.count))
            for (word, start) in zip(speech.text.split(separator: " "), starts) {
                words.append((String(word), offset + .milliseconds(10 * start)))
            }
            samples += try speech.samples() + quiet(pauses)
        }
        return (samples, words)
    }

    private func check(
        _ heard: [SpeechResult.Word], _ said: [(text: String, start: Duration)], farthest: Int
    ) throws {
        var differences: [Int] = []
        var before: Int?
        for word in heard {
            let start = try #require(word.range?.lowerBound)
            func difference(_ index: Int) -> Int { Int((start - said[index].start) / .milliseconds(1)) }
            let candidates = said.indices.filter { said[$0].text == word.text && abs(difference($0)) < 500 }
            let index = candidates.min { abs(difference($0)) < abs(difference($1)) }
            defer { before = index }
            // Where a misheard word ends, and so where the next begins, is its own mistake.
            guard let index, index == 0 || before == index - 1 else { continue }
            differences.append(difference(index))
        }
        print("words that begin later than the aligner says, in ms: \(differences)")
        #expect(differences.count * 2 > said.count, "\(differences)")
        #expect(differences.count { abs($0) <= 50 } * 10 >= differences.count * 9, "\(differences)")
        #expect(differences.allSatisfy { abs($0) <= farthest }, "\(differences)")
    }

    @Test(arguments: [(1.0, false), (20, true)])
    func wordsBeginWhereTheyAreSaid(pauses: Double, isLive: Bool) async throws {
        let (samples, said) = try session(pauses: pauses)
        let heard = try await Sphinx.engine.results(
            buffers(samples),
            Sphinx.options {
                $0.volatileResults = isLive
                $0.wordTimes = true
            }
        ).words
        // The silence of a stop is part of the word for one of the two now and then.
        try check(heard, said, farthest: 150)
    }

    @Test func alignedWordsBeginWhereTheyAreSaid() async throws {
        let (samples, said) = try session(pauses: 5)
        let text = Self.aligned.map(\.speech.text).joined(separator: "\n")
        let heard = try await Sphinx.engine.results(
            buffers(samples),
            Sphinx.options {
                $0.task = .alignment(text)
                $0.wordTimes = true
            }
        ).words
        #expect(heard.map(\.text) == said.map(\.text))
        // The first word after a pause may take the silence that begins its recording along.
        try check(heard, said, farthest: 450)
    }

    @Test func aPauseWithinASentenceMovesWhatFollowsByItsLength() async throws {
        let samples = try Speech.goForward.samples()
        // Between "forward" and "ten".
        let cut = 11_700 * 16 / 10
        let pause = 30.0
        let options = Sphinx.options { $0.wordTimes = true }
        let together = try await Sphinx.engine.results(buffers(samples), options).words
        let apart = try await Sphinx.engine.results(
            buffers(samples[..<cut] + quiet(pause) + samples[cut...]), options
        ).words
        #expect(apart.map(\.text) == together.map(\.text))
        for (index, (word, reference)) in zip(apart, together).enumerated() {
            let start = try #require(word.range?.lowerBound)
            let expected = try #require(reference.range?.lowerBound) + .seconds(index < 2 ? 0 : pause)
            #expect(abs((start - expected) / .milliseconds(1)) <= 50, "\(word)")
        }
    }
}
#endif
