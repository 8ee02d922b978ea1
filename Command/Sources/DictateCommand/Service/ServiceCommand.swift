import DictationCapture
import DictationCore
@_spi(Command) import DictationDesktop
import DictationEngines
import DictationService
import FoundationEssentials
import Glibc

extension Command {
    static let service: Command = Command(
        name: "service", abstract: "Keep a session ready, for keys, bars and other programs.",
        discussion: """
            “dictate toggle” and the other commands talk to this service, and start it when it isn't running.
            Ctrl-C ends it. The text of a take that is recorded then is kept.
            What the options don't say is as in the settings; see “dictate help settings”.
            “dictate service install” lets systemd and D-Bus start it, with the options that follow.
            """,
        operands: ServiceAction.operands,
        flags: [Options.trustDevice, Options.noJournal, Options.inProcess, Options.quiet] + Options.writing
            + Options.remoteFlags,
        options: [
            Options.settings.spec, Options.device.spec, Options.length.spec, Options.silence.spec, Options.socket.spec,
            Options.engine.spec, Options.locale.spec, Options.model.spec, Options.priority.spec, Options.script.spec,
            Options.context.spec, Options.vocabulary.spec,
        ] + Options.remote
    ) { invocation, console in
        if let action = invocation.operands.first {
            return try await ServiceAction(action).perform(invocation, console)
        }
        // Also while a model is loading.
        let (ends, end) = AsyncStream<Void>.makeStream()
        console.signals.receive { end.yield() }
        let manager = ServiceManager()
        let source = try ServiceSettingsSource(invocation)
        let settings = try source.read()
        let microphone = ServiceMicrophone(
            try Microphone(invocation, lingering: settings.microphoneIdleTime ?? .zero).capturer)
        let keeping = Keeping(invocation, settings)
        keeping.tellOfOrphans(besides: settings.profiles.keys, console)
        let finder = ProfileEngineFinder(invocation, console)
        let listening = ListeningService(microphone, finder, console)
        let maker = ProfileMaker(spool: keeping.spool) { request throws(DictationError) in
            try await finder.engine(for: request)
        }
        let profiles = try await maker.profiles(for: settings, folder: source.folder)
        for (name, profile) in profiles.named.sorted(by: { $0.key < $1.key }) {
            if case .failure(let error) = profile {
                console.complain("The profile “\(name)” can't be used. \(error.saidOnce)")
            }
        }
        let service = DictationService(
            profiles: profiles, capturer: microphone, converters: SampleRateConverter.Provider(),
            journal: keeping.journal
        ) { () throws(DictationError) in
            let settings = try source.read()
            let profiles = try await maker.profiles(for: settings, folder: source.folder)
            // The old model serves until the new one is loaded.
            if settings.loadsModelAhead {
                try await profiles.usual.engine.prepare(profiles.usual.configuration.recognition)
            }
            await listening.follow(settings)
            return profiles
        }
        // Also whoever has started this service to ask for the last text.
        service.expectRecovery()
        let listener =
            if let socket = manager.sockets.first {
                try ServiceListener.open(service, inheriting: socket)
            } else {
                try ServiceListener.open(service, at: try socketPath(invocation))
            }
        let desktop = Desktop(service, console)
        await listening.begin(with: service, settings)

        if !invocation.has(Options.quiet) {
            let engine = [profiles.usual.engine.name, profiles.usual.model].compactMap(\.self).joined(separator: ", ")
            console.say("dictate: serves with \(engine.visible) at \(listener.path). Ctrl-C ends it.")
        }
        let watching = DictationRuntime.current.task {
            await listener.closed()
            guard !Task.isCancelled else { return }
            console.complain(
                "“\(listener.path.visible)” was removed, so no program can reach this service. It ends, and keeps the text."
            )
            end.yield()
        }
        let telling = DictationRuntime.current.task {
            var told: Set<DictationError> = []
            do throws(DictationError) {
                for try await status in await service.statusUpdates() {
                    if let error = status.spoolError, told.insert(error).inserted {
                        console.complain("The audio of \(status.take?.description ?? "the take") is not kept. \(error)")
                    }
                    if let error = status.journalError, told.insert(error).inserted {
                        console.complain("The text is not in the journal. \(error)")
                    }
                }
            } catch {}
        }
        let preparing = DictationRuntime.current.task {
            await service.recover()
            guard settings.loadsModelAhead else { return }
            do throws(DictationError) { try await service.prepare() } catch {
                if error.code != .cancelled { console.complain(finder.advised(error, settings.usual)) }
            }
        }
        manager.ready()
        manager.report(service)
        for await _ in ends { break }
        manager.stopping()
        watching.cancel()
        preparing.cancel()
        telling.cancel()
        await listening.end()
        await service.close()
        await desktop.leave()
        await listener.close()
        return .done
    }
}

/// What a service has to do with the desktop. A machine without one has none of it.
private struct Desktop {
    private let listener: BusListener?
    private let sleepGuard: SleepGuard?

    init(_ service: DictationService, _ console: Console) {
        func unlessMissing<Found>(_ open: () throws(DictationError) -> Found) -> Found? {
            do throws(DictationError) { return try open() } catch {
                if error.code != .notRunning { console.complain(error) }
                return nil
            }
        }
        listener = unlessMissing { () throws(DictationError) in try BusListener.open(service) }
        sleepGuard = unlessMissing { () throws(DictationError) in try SleepGuard.start(for: service) }
    }

    func leave() async { await listener?.close() }
}

/// Where a service keeps texts and audio.
private struct Keeping: Sendable {
    var journal: TextJournal?
    private var folder: String?

    init(_ invocation: Invocation, _ settings: ServiceSettings) {
        guard !invocation.has(Options.noJournal), let path = TextJournal.standardPath else { return }
        folder = FilePath(path).folderToOpen
        if settings.keptTexts > 0 { journal = TextJournal(path: path, limit: settings.keptTexts) }
    }

    /// Tells of audio whose profile is no longer in the settings, so that no service recognizes it.
    func tellOfOrphans(besides known: some Collection<String>, _ console: Console) {
        guard let profiles = folder.map({ $0 + "profiles/" }) else { return }
        let files = FileManager.default
        for name in ((try? files.contentsOfDirectory(atPath: profiles)) ?? []).sorted() where !known.contains(name) {
            let audio = profiles + name + "/audio"
            guard let takes = try? files.contentsOfDirectory(atPath: audio) else { continue }
            guard !takes.isEmpty else {
                // Nothing of the profile is left.
                rmdir(audio)
                rmdir(profiles + name)
                continue
            }
            console.complain(
                "There is audio without text of the profile “\(name.visible)”, which is not in the settings. Add the "
                    + "profile again to get its text, or delete “\((profiles + name).visible)”.")
        }
    }

    /// Each profile has a folder of its own, so that its audio finds its engine again after a crash.
    var spool: @Sendable (String?) -> (any AudioSpool)? {
        { [folder] profile in
            folder.map { WaveSpool(folder: $0 + (profile.map { "profiles/\($0)/audio" } ?? "audio")) }
        }
    }
}
