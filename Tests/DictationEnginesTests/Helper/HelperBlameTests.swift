import DictationCore
import DictationSystem
import DictationTesting
import Testing

@testable import DictationEngines

/// Who is to blame when helpers die.
@Suite struct HelperBlameTests {
    private static let crash = HelperDeath(cause: .ended(-SIGSEGV))
    private static let kill = HelperDeath(cause: .ended(-SIGKILL))

    @Test func threeDeathsAtOnePlaceCostItsAudio() {
        var blame = HelperBlame()
        #expect(blame.died(Self.crash, hadAudio: true) == .replace)
        #expect(blame.died(Self.crash, place: .seconds(4), hadAudio: true) == .replace)
        #expect(blame.needsProof)
        #expect(blame.died(Self.crash, place: .seconds(4), hadAudio: true) == .leaveOut)
        #expect(!blame.isSuspicious)
    }

    @Test func deathsThatComeLaterEachTimeAreNotTheAudiosFault() {
        var blame = HelperBlame()
        let verdicts = (1...10).map { blame.died(Self.crash, place: .seconds($0), hadAudio: true) }
        // Ten in a row are, because nothing else ends the attempts.
        #expect(verdicts == Array(repeating: .replace, count: 9) + [.leaveOut])
    }

    @Test func finalTextClearsAllSuspicion() {
        var blame = HelperBlame()
        for second in 1...100 {
            let verdict = blame.died(Self.crash, watermark: .seconds(second / 2), place: .seconds(1), hadAudio: true)
            #expect(verdict == .replace)
        }
    }

    @Test(arguments: [
        HelperDeath(cause: .ended(-SIGKILL)), HelperDeath(cause: .ended(-SIGTERM)),
        HelperDeath(cause: .ended(-SIGABRT), said: "terminate called after throwing an instance of 'std::bad_alloc'"),
    ])
    func aKillByAnotherNeverCostsAudio(_ death: HelperDeath) {
        var blame = HelperBlame()
        let verdicts = (0..<20).map { _ in blame.died(death, place: .seconds(1), hadAudio: true) }
        #expect(verdicts == Array(repeating: .replace, count: 19) + [.giveUp])
    }

    @Test func anEngineThatLosesOneStretchAfterAnotherIsToBlame() {
        var blame = HelperBlame()
        func lose(_ watermark: Int) -> HelperBlame.Verdict? {
            (0..<3).map { _ in
                blame.died(Self.crash, watermark: .seconds(watermark), place: .seconds(9), hadAudio: true)
            }
            .last
        }
        #expect([lose(0), lose(1), lose(2)] == [.leaveOut, .leaveOut, .giveUp])
        blame = HelperBlame()
        #expect([lose(0), lose(1)] == [.leaveOut, .leaveOut])
        blame.noteResult()
        #expect(lose(2) == .leaveOut)
    }

    @Test func helpersThatDieWithoutAudioEndTheSession() {
        var blame = HelperBlame()
        #expect((0..<3).map { _ in blame.died(Self.crash) } == [.replace, .replace, .giveUp])
    }

    /// In any order of deaths and progress, audio is left out only after three helpers in a row that ended by themselves,
    /// and the attempts end.
    @Test func noOrderOfDeathsBlamesTheWrongAudio() {
        for seed in 0..<UInt64(1_000) {
            var random = SplitMix64(seed: seed)
            var blame = HelperBlame()
            var (watermark, crashes, deaths) = (0, 0, 0)
            for _ in 0..<200 {
                if Int.random(in: 0..<8, using: &random) == 0 { (watermark, crashes, deaths) = (watermark + 1, 0, 0) }
                if Int.random(in: 0..<8, using: &random) == 0 { blame.noteResult() }
                let isKill = Bool.random(using: &random)
                (crashes, deaths) = (crashes + (isKill ? 0 : 1), deaths + 1)
                let place = Int.random(in: -1..<4, using: &random)
                switch blame.died(
                    isKill ? Self.kill : Self.crash, watermark: .seconds(watermark),
                    place: place < 0 ? nil : .seconds(watermark + place), hadAudio: true)
                {
                case .replace: #expect(deaths < 30)
                case .leaveOut:
                    #expect(!isKill && crashes >= 3)
                    (crashes, deaths) = (0, 0)
                case .giveUp:
                    blame = HelperBlame()
                    (crashes, deaths, watermark) = (0, 0, 0)
                }
            }
        }
    }
}
