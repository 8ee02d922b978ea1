import DictationCore
import DictationTesting
import Testing

@testable import DictationEngines

/// Cutting audio at its pauses, without a model.
struct PauseCutterTests {
    private func pieces(_ buffers: [AudioBuffer], _ cutter: PauseCutter) -> [PauseCutter.Piece] {
        var cutter = cutter
        return buffers.flatMap { cutter.add($0) } + cutter.flush()
    }

    private func pieces(_ samples: [Int16], _ cutter: PauseCutter, of frames: Int = 1_600) -> [PauseCutter.Piece] {
        pieces(samples.buffers(of: frames), cutter)
    }

    /// Sound and pauses of random lengths.
    private func speech(seed: UInt64) -> [Int16] {
        var random = SplitMix64(seed: seed)
        let lengths = (0..<24).map { Double.random(in: $0.isMultiple(of: 2) ? 0.2...6 : 0.05...3.5, using: &random) }
        return soundAndPauses(lengths, seed: seed)
    }

    private var cutters: [PauseCutter] {
        [
            PauseCutter(), PauseCutter(overlap: .seconds(2)), PauseCutter(.init()),
            PauseCutter(.init(maximumLength: .seconds(5)), overlap: .seconds(2)),
            PauseCutter(.init(), overlap: .seconds(2), hearing: hearing { $0.count.isMultiple(of: 3) }),
        ]
    }

    /// Hears loud windows as a voice. Remembers the window before in its own way.
    private func hearing(
        longestPause: Duration? = nil, endsTurn: (@Sendable (ArraySlice<Float>) -> Bool)? = nil
    ) -> Hearing {
        let voice = VoiceDetector { samples, _ in abs(samples[100]) + abs(samples[300]) > 0.02 ? 0.9 : 0.05 }
        return Hearing(voice: voice, longestPause: longestPause, endsTurn: endsTurn)
    }

    @Test func aTurnEndsInAShortPauseIfTheNetworkSaysSo() throws {
        let sound = soundAndPauses([3, 0.6, 2, 0.9, 4])
        let cutter = PauseCutter(.init(), hearing: hearing { $0.count > 16_000 * 4 })
        let pieces = pieces(sound, cutter)
        // The network is asked after each pause, and finds the second.
        #expect(pieces.map(\.ending) == [.pause, .end])
        let end = pieces[0].end / .seconds(1)
        #expect(end > 5.6 && end < 5.9, "\(end)")
        #expect(pieces[1].start == pieces[0].end)
    }

    @Test func anUnfinishedTurnEndsInALongerPause() {
        let sound = soundAndPauses([3, 1.4, 2, 1.9, 2])
        func count(_ cutter: PauseCutter) -> Int { pieces(sound, cutter).count { $0.speech != nil } }
        #expect(count(PauseCutter(.init())) == 3)
        #expect(count(PauseCutter(.init(), hearing: hearing(longestPause: .seconds(1.6)) { _ in false })) == 2)
    }

    /// Noise that stands out from the background is no speech for a voice detector.
    @Test func aPieceWithoutAVoiceHasNoSpeech() {
        let deaf = Hearing(voice: VoiceDetector { _, _ in 0.01 })
        #expect(pieces(soundAndPauses([3, 2, 3]), PauseCutter(.init(), hearing: deaf)).allSatisfy { $0.speech == nil })
        #expect(pieces(soundAndPauses([3, 2, 3]), PauseCutter(.init())).contains { $0.speech != nil })
    }

    /// The newest speech ends where the audio does while someone speaks, and stays when nobody does.
    @Test func theCutterTellsWhatTheDetectorHeard() throws {
        var cutter = PauseCutter(.init(), hearing: hearing())
        #expect(PauseCutter(.init()).heardVoice == nil)
        for buffer in soundAndPauses([2, 1]).buffers(of: 1_600) {
            _ = cutter.add(buffer)
            let heard = try #require(cutter.heardVoice)
            #expect(buffer.end - heard.through < .milliseconds(40))
            if buffer.end > .seconds(0.2), buffer.end < .seconds(2) {
                #expect(heard.speech?.upperBound == heard.through)
            }
        }
        let speech = try #require(cutter.heardVoice?.speech)
        #expect(speech.lowerBound < speech.upperBound && abs(speech.upperBound / .seconds(1) - 2) < 0.1)
    }

    @Test func aLongPauseEndsAPieceInItsMiddle() throws {
        let pieces = pieces(soundAndPauses([13, 4, 5]), PauseCutter(overlap: .seconds(2)))
        #expect(pieces.map(\.ending) == [.pause, .end])
        #expect(pieces.map(\.overlap) == [.zero, .zero])
        let (end, next) = (try #require(pieces[0].speech).upperBound, try #require(pieces[1].speech).lowerBound)
        #expect(abs(end / .seconds(1) - 13) < 0.05 && abs(next / .seconds(1) - 17) < 0.05)
        #expect(pieces[0].end > .seconds(13) && pieces[0].end < .seconds(17))
    }

    /// In a call, the other speaker's turn is in such a pause.
    @Test func aPauseThatNoSentenceSpansEndsAPieceOfAnyLength() throws {
        let pieces = pieces(soundAndPauses([2, 6, 3, 4, 2]), PauseCutter(overlap: .seconds(2)))
        #expect(pieces.map(\.ending) == [.pause, .end])
        #expect(pieces[0].end > .seconds(2) && pieces[0].end < .seconds(8))
        let rest = try #require(pieces[1].speech)
        #expect(abs(rest.lowerBound / .seconds(1) - 8) < 0.05 && abs(rest.upperBound / .seconds(1) - 17) < 0.05)
    }

    @Test func withoutALongPauseTheLongestOneEndsAPieceAndTheNextBeginsWithTheLastWords() throws {
        let pieces = pieces(soundAndPauses([14, 0.3, 2, 0.7, 3, 0.4, 9]), PauseCutter(overlap: .seconds(2)))
        #expect(pieces.map(\.ending) == [.length, .end])
        #expect(pieces[0].end > .seconds(16.3) && pieces[0].end < .seconds(17))
        #expect(pieces[1].overlap > .seconds(1.5) && pieces[1].overlap < .seconds(3.5))
        #expect(pieces[1].start + pieces[1].overlap == pieces[0].end)
        #expect(try #require(pieces[1].speech).lowerBound > pieces[0].end)
    }

    @Test func aCutInsideSpeechIsAtTheQuietestPlace() {
        let loud = soundAndPauses([30])
        var samples = loud
        for index in 300_000..<303_200 { samples[index] /= 4 }
        let pieces = pieces(samples, PauseCutter(overlap: .seconds(2)))
        #expect(pieces.map(\.ending) == [.length, .end])
        #expect(pieces[0].end >= .seconds(18.7) && pieces[0].end <= .seconds(19))
    }

    /// A background that begins after digital silence stands out as much as speech does.
    @Test func aPauseIsFoundInABackgroundThatChanges() {
        let silence = [Int16](repeating: 0, count: 16_000)
        let pieces = pieces(silence + soundAndPauses([15, 0.6, 14], loud: 20_000, quiet: 1_500), PauseCutter())
        #expect(pieces.first.map { $0.end > .seconds(16) && $0.end < .seconds(16.6) } == true)
    }

    @Test func aGapEndsAPieceAndNothingOverlapsIt() {
        let speech = soundAndPauses([20])
        let buffers = speech.buffers(of: 16_000) + speech.buffers(of: 16_000, from: .seconds(21))
        let pieces = pieces(buffers, PauseCutter(overlap: .seconds(2)))
        #expect(pieces.map(\.ending) == [.end, .end])
        #expect(pieces.map(\.start) == [.zero, .seconds(21)])
        #expect(pieces.map(\.overlap) == [.zero, .zero])
    }

    @Test func silenceHasNoSpeech() {
        let pieces = pieces([Int16](repeating: 0, count: 1_000_000), PauseCutter(overlap: .seconds(2)))
        #expect(pieces.count > 2)
        #expect(pieces.allSatisfy { $0.speech == nil && $0.overlap == .zero })
    }
}

extension PauseCutterTests {
    /// What takes too long for everyday runs.
    @Suite struct ProofTests {
        private let tests = PauseCutterTests()

        @Test(arguments: 0..<3 as Range<UInt64>)
        func buffersMakeNoDifference(_ seed: UInt64) {
            let samples = tests.speech(seed: seed)
            for cutter in tests.cutters {
                let whole = tests.pieces(samples, cutter, of: samples.count)
                #expect(whole.count > 2)
                for frames in [777, 50_000] { #expect(tests.pieces(samples, cutter, of: frames) == whole) }
            }
        }

        @Test(arguments: 0..<3 as Range<UInt64>)
        func everySampleIsInOnePieceAndOverlapsAreTheEndOfThePieceBefore(_ seed: UInt64) {
            let samples = tests.speech(seed: seed)
            for cutter in tests.cutters {
                var joined: [Float] = []
                for piece in tests.pieces(samples, cutter) {
                    let shared = Int(AudioFormat.speech.frames(in: piece.overlap))
                    #expect(Array(joined.suffix(shared)) == Array(piece.samples.prefix(shared)))
                    #expect(piece.start + piece.overlap == AudioFormat.speech.duration(ofFrames: Int64(joined.count)))
                    if let speech = piece.speech {
                        #expect(piece.start + piece.overlap <= speech.lowerBound && speech.upperBound <= piece.end)
                    }
                    joined += piece.samples.dropFirst(shared)
                }
                #expect(joined == AudioBuffer(samples, start: .zero).floatSamples)
            }
        }
    }
}
