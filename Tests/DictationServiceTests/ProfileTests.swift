import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import DictationText
import Synchronization
import TestSupport
import Testing

@_spi(Command) @testable import DictationDesktop
@testable import DictationService

/// Callers that choose a profile, and settings that change while a take is under way.
@Suite struct ProfileTests {
    private static let tone: [ScriptedCapturer.Step] = [.tone(440, for: .seconds(3_600))]

    private func profile(
        _ word: String, locale: SpeechLocale = "en-US", processors: [any TextProcessor] = [],
        spool: (any AudioSpool)? = nil, destination: String? = nil
    ) -> DictationProfile {
        DictationProfile(
            engine: ScriptedEngine(
                [.final(word, at: .milliseconds(300)), .repeats(every: .milliseconds(500))], name: "engine-" + word,
                locales: [locale]),
            model: "model-" + word,
            configuration: DictationSession.Configuration(recognition: .liveDictation(locale), tail: .zero),
            processors: processors, spool: spool, destination: destination)
    }

    private func service(
        _ profiles: DictationProfiles, journal: TextJournal? = nil,
        loading: (@Sendable () async throws(DictationError) -> DictationProfiles)? = nil
    ) -> DictationService {
        DictationService(
            profiles: profiles, capturer: ScriptedCapturer(Self.tone), converters: BasicConverter.Provider(),
            journal: journal,
            loading: loading)
    }

    @Test func aProfileHasItsEngineItsLanguageItsTextAndItsDestination() async throws {
        try await VirtualTime.run { clock in
            let german = profile(
                "hallo comma", locale: "de-DE", processors: [SpokenPunctuation(.english)], destination: "mail")
            let service = service(DictationProfiles(usual: profile("hello"), named: ["german": .success(german)]))
            try await service.start(profile: "german")
            await clock.advance(by: .milliseconds(400))
            let status = try await service.status()
            #expect(status.profile == "german" && status.engine == "engine-hallo comma" && status.locale == "de-DE")
            #expect(status.model == "model-hallo comma")
            let text = try #require(try await service.toggle(profile: "german"))
            #expect(text.text == "Hallo," && text.profile == "german" && text.destination == "mail")
            #expect(text.transcript.locale == "de-DE")
            try await service.start()
            await clock.advance(by: .milliseconds(400))
            #expect(try await service.status().profile == nil)
            let usual = try #require(try await service.stop())
            #expect(usual.text == "hello" && usual.profile == nil && usual.destination == nil)
            let hold = try await service.hold(profile: "german")
            await clock.advance(by: .milliseconds(400))
            #expect(try await hold.release().text?.text == "Hallo,")
        }
    }

    @Test func aProfileThatCannotBeUsedIsTheErrorOfItsCallers() async throws {
        try await VirtualTime.run { clock in
            let missing = DictationError(.modelNotInstalled, "No model.", recovery: "Install one.")
            let service = service(DictationProfiles(usual: profile("a"), named: ["b": .failure(missing)]))
            let broken = await error { try await service.start(profile: "b") }
            #expect(broken == missing)
            let unknown = await error { try await service.start(profile: "c") }
            #expect(unknown?.code == .invalidInput && unknown?.recovery?.contains("“b”") == true)
            let held = await error { _ = try await service.hold(profile: "c") }
            #expect(held == unknown)
            #expect(try await service.status().state == .idle)
            #expect(await error { try await service.toggle(profile: "c") }?.code == .invalidInput)
            // A profile that is gone does not keep the microphone on.
            try await service.start()
            await clock.advance(by: .milliseconds(400))
            #expect(try await service.toggle(profile: "c")?.text == "a")
        }
    }

    @Test func settingsThatAreReadAgainLoseNoTake() async throws {
        try await VirtualTime.run { clock in
            let next = Mutex(DictationProfiles(usual: profile("new"), named: ["x": .success(profile("ex"))]))
            let service = service(DictationProfiles(usual: profile("old"))) { () throws(DictationError) in
                next.withLock { $0 }
            }
            try await service.start()
            await clock.advance(by: .milliseconds(400))
            try await service.reloadSettings()
            #expect(try await service.status().engine == "engine-old", "The take goes on as it began.")
            await clock.advance(by: .milliseconds(500))
            #expect(try await service.stop()?.text == "old old")
            try await service.start()
            await clock.advance(by: .milliseconds(400))
            #expect(try await service.status().engine == "engine-new")
            #expect(try await service.stop()?.text == "new")
            try await service.start(profile: "x")
            await clock.advance(by: .milliseconds(400))
            #expect(try await service.stop()?.text == "ex")
            next.withLock { $0 = DictationProfiles(usual: profile("third")) }
            try await service.reloadSettings()
            #expect(try await service.status().engine == "engine-third", "The status tells what the next take has.")
            #expect(await error { try await service.start(profile: "x") }?.code == .invalidInput)
        }
    }

    @Test func settingsThatCannotBeReadStayAsTheyWere() async throws {
        try await VirtualTime.run { clock in
            let wrong = DictationError(.invalidInput, "Line 3 is wrong.", recovery: "Change it.")
            let service = service(DictationProfiles(usual: profile("old"))) { () throws(DictationError) in throw wrong }
            #expect(await error { try await service.reloadSettings() } == wrong)
            try await service.start()
            await clock.advance(by: .milliseconds(400))
            #expect(try await service.stop()?.text == "old")
            let fixed = countingService()
            #expect(await error { try await fixed.reloadSettings() }?.code == .unsupportedOption)
        }
    }

    /// The load that was asked for last has the newest settings, however long each takes.
    @Test func theNewestOfTwoLoadsWins() async throws {
        try await VirtualTime.run { clock in
            let loads = Mutex(0)
            let runtime = DictationRuntime.current
            let service = service(DictationProfiles(usual: profile("old"))) { () throws(DictationError) in
                let number = loads.withLock { loads in
                    loads += 1
                    return loads
                }
                try? await runtime.sleep(.seconds(number == 1 ? 5 : 1))
                return DictationProfiles(usual: profile("load\(number)"))
            }
            async let first: Void = service.reloadSettings()
            await clock.advance(by: .milliseconds(100))
            async let second: Void = service.reloadSettings()
            await clock.advance(by: .seconds(6))
            _ = try await (first, second)
            #expect(try await service.status().engine == "engine-load2")
        }
    }

    /// Audio that a crash left is recognized with the profile it was recorded for.
    @Test func keptAudioBecomesTextByItsProfile() async throws {
        let folder = try TemporaryFolder()
        try await VirtualTime.run { clock in
            let german = profile("hallo", locale: "de-DE", spool: WaveSpool(folder: folder.file("german")))
            let profiles = DictationProfiles(
                usual: profile("hello", spool: WaveSpool(folder: folder.file("usual"))),
                named: ["german": .success(german)])
            var first: DictationService? = service(profiles)
            try await first?.start(profile: "german")
            await clock.advance(by: .milliseconds(400))
            first = nil
            await clock.advance(by: .seconds(5))
            let second = service(profiles)
            let texts = await second.recover()
            #expect(texts.map(\.text) == ["hallo"] && texts.map(\.profile) == ["german"])
            await second.waitUntilSettled()
            #expect(try await second.last()?.profile == "german")
        }
    }

    @Test func profilesThatNeedTheSameShareAnEngine() async throws {
        let folder = try TemporaryFolder()
        _ = try folder.write(Array("Siobhan\n".utf8), to: "words")
        var settings = ServiceSettings()
        settings.profiles = ["same": settings.usual, "german": settings.usual, "broken": settings.usual]
        settings.profiles["same"]?.destination = "elsewhere"
        settings.profiles["same"]?.vocabulary = "words"
        settings.profiles["german"]?.language = "de-DE"
        settings.profiles["broken"]?.vocabulary = "missing"
        settings.modelIdleTime = .seconds(5)
        let requests = Mutex<[ProfileMaker.Request]>([])
        let maker = ProfileMaker { request throws(DictationError) in
            requests.withLock { $0.append(request) }
            return ProfileMaker.Engine(
                ScriptedEngine(locales: [request.options.locale]), model: "\(request.options.locale)")
        }
        let profiles = try await maker.profiles(for: settings, folder: folder.path)
        #expect(requests.withLock { $0.count } == 2)
        #expect(requests.withLock { $0.allSatisfy { $0.retention == .lingering(.seconds(5)) } })
        #expect(try profiles.profile(named: "same").processors.count == 1)
        #expect(try profiles.profile(named: "german").model == "de-DE")
        #expect(await error { _ = try profiles.profile(named: "broken") }?.message.contains("missing") == true)
        settings.usual.endingSilence = .seconds(3)
        let again = try await maker.profiles(for: settings, folder: folder.path)
        #expect(requests.withLock { $0.count } == 2, "A change of something else loads no model.")
        #expect(again.usual.configuration.endingSilence == .seconds(3))
        settings.usual.engine = "other"
        _ = try await maker.profiles(for: settings, folder: folder.path)
        #expect(requests.withLock { $0.last?.name } == "other")
    }

    @Test func profilesGoThroughTheSocket() async throws {
        let folder = try TemporaryFolder()
        let loads = Mutex(0)
        let service = service(
            DictationProfiles(
                usual: profile("hello"), named: ["german": .success(profile("hallo", destination: "mail"))])
        ) { () throws(DictationError) in
            loads.withLock { $0 += 1 }
            return DictationProfiles(usual: profile("new"))
        }
        let listener = try ServiceListener.open(service, at: folder.file("run/socket"))
        let client = try DictationClient(path: listener.path)
        try await client.start(profile: "german")
        #expect(try await client.status().profile == "german")
        let publisher = service.publisher
        #expect(await eventually { publisher.status.finalText.contains("hallo") })
        let text = try #require(try await client.stop())
        #expect(text.profile == "german" && text.destination == "mail")
        #expect(await error { try await client.start(profile: "french") }?.code == .invalidInput)
        try await client.reloadSettings()
        #expect(loads.withLock { $0 } == 1)
        #expect(try await client.status().engine == "engine-new")
        await listener.close()
    }
}
