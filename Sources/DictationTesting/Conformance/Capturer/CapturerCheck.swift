import DictationCore

/// One run of the capturer suite.
struct CapturerCheck {
    let suite: CapturerConformance
    let findings: Findings<CapturerConformance.Clause>

    private var runtime: DictationRuntime { findings.runtime }
    private var isLive: Bool { suite.capturer.pacing == .live }

    func run() async {
        await tryDevices()
        await tryPermission()
        await stop(.stopIsSafeAtAnyTime, "before any start")
        await tryListening(.full)
        await tryListening(.warm)
        await tryLateReader()
        await trySecondStart()
        await tryStopDuringStart()
        await tryStopsAtOnce()
        if isLive { await trySlowReader() } else { await tryOnDemand() }
        await tryTrouble()
        await tryFailure()
        findings.leave(.gapsAreCounted, because: "the capturer lost no audio")
    }

    // MARK: Calls, each with a time limit

    private func start(
        _ clause: CapturerConformance.Clause, _ capturer: (any AudioCapturer)? = nil, options: CaptureOptions? = nil
    ) async -> Outcome<CaptureStream>? {
        let capturer = capturer ?? suite.capturer
        let options = options ?? suite.options
        return await findings.bounded(clause, "start(_:)") {
            await Outcome.of { () throws(DictationError) in try await capturer.start(options) }
        }
    }

    /// Starts a capturer and returns a reader for its stream. A failure breaks the promise and returns `nil`.
    private func open(_ clause: CapturerConformance.Clause, _ capturer: (any AudioCapturer)? = nil) async
        -> CaptureReader?
    {
        switch await start(clause, capturer) {
        case .success(let stream)?: return CaptureReader(stream)
        case .failure(let error)?:
            findings.broken(clause, "start(_:) to succeed", saw: "\(error.code.rawValue) (\(error.message))")
            return nil
        case nil: return nil
        }
    }

    @discardableResult
    private func stop(
        _ clause: CapturerConformance.Clause, _ when: String, _ mode: CaptureOptions.StopMode = .full,
        _ capturer: (any AudioCapturer)? = nil
    ) async -> Bool {
        let capturer = capturer ?? suite.capturer
        let isBack = await findings.bounded(clause, "stop(_:) \(when)") {
            await capturer.stop(mode)
            return true
        }
        return findings.expect(clause, isBack == true, "stop(_:) \(when) to return", saw: "that it did not")
    }

    @discardableResult
    private func expectEnd(_ reader: CaptureReader, _ clause: CapturerConformance.Clause, _ when: String) async -> Bool
    {
        let end = await reader.end(within: suite.responseTimeout)
        return findings.expect(
            clause, end == .finished, "the stream to end without an error \(when)",
            saw: end.map { "\($0)" } ?? "no end within \(suite.responseTimeout)")
    }

    private func expectAudio(_ reader: CaptureReader, _ clause: CapturerConformance.Clause = .audioComes) async {
        let came = await reader.first(within: suite.responseTimeout) {
            $0.hasAudio || $0.end != nil ? $0.hasAudio : nil
        }
        findings.expect(
            clause, came == true, "a buffer within \(suite.responseTimeout)",
            saw: reader.log.value.end.map { "\($0)" } ?? "\(reader.log.value.elements.count) events, no buffer")
    }

    // MARK: Before the start

    private func tryDevices() async {
        let capturer = suite.capturer
        let answer = await findings.bounded(.devicesAreUnique, "devices()") {
            await Outcome.of { () throws(DictationError) in try await capturer.devices() }
        }
        guard case .success(let devices)? = answer else {
            findings.expect(
                .devicesAreUnique, answer?.error == nil, "devices() to succeed", saw: answer?.summary ?? "no answer")
            return
        }
        guard !devices.isEmpty else {
            return findings.leave(
                .devicesAreUnique, .defaultDeviceIsFirst, .unknownDeviceThrows, because: "the capturer lists no device")
        }
        let ids = devices.map(\.id)
        findings.expect(
            .devicesAreUnique, Set(ids).count == ids.count && !ids.contains(""), "identifiers that differ",
            saw: ids.joined(separator: ", "))
        findings.expect(
            .defaultDeviceIsFirst, !devices.dropFirst().contains(where: \.isDefault), "the default device first",
            saw: devices.map { $0.isDefault ? "\($0.id) (default)" : $0.id }.joined(separator: ", "))
        var options = suite.options
        options.device = ids.joined() + "-that-is-not-there"
        let refused = await start(.unknownDeviceThrows, options: options)
        findings.expect(
            .unknownDeviceThrows, refused?.error?.code == .deviceNotFound, "deviceNotFound from start(_:)",
            saw: refused?.summary ?? "no answer")
        if refused?.error == nil { await stop(.stopIsSafeAtAnyTime, "after a start") }
    }

    private func tryPermission() async {
        guard let denied = suite.denied else {
            return findings.leave(.deniedThrows, because: "the suite has no “denied” capturer")
        }
        let authorization = await findings.bounded(.deniedThrows, "authorization") { await denied.authorization }
        findings.expect(
            .deniedThrows, authorization != .authorized, "authorization to be denied", saw: "that it is authorized")
        let answer = await start(.deniedThrows, denied)
        findings.expect(
            .deniedThrows, answer?.error?.code == .permissionDenied, "permissionDenied from start(_:)",
            saw: answer?.summary ?? "no answer")
        await stop(.stopIsSafeAtAnyTime, "after a start that was not permitted", .full, denied)
    }

    // MARK: Listening

    private func tryListening(_ mode: CaptureOptions.StopMode) async {
        guard let reader = await open(.startsAgainAfterStop) else { return }
        findings.expect(.startsAgainAfterStop, true, "", saw: "")
        reader.begin()
        await expectAudio(reader)
        try? await runtime.sleep(suite.listening)
        await stop(.stopIsSafeAtAnyTime, "while audio comes, \(mode)", mode)
        await expectEnd(reader, .stopEndsTheStream, "after stop(.\(mode))")
        await stop(.stopIsSafeAtAnyTime, "a second time", mode)
        TimelineRules(findings: findings).judge(reader.log.value.elements)
    }

    private func tryLateReader() async {
        guard isLive else {
            return findings.leave(
                .stopDeliversWhatWasCaptured, because: "an on-demand capturer does not capture ahead")
        }
        guard let reader = await open(.stopDeliversWhatWasCaptured) else { return }
        let began = runtime.now()
        try? await runtime.sleep(suite.listening + suite.latency)
        let lasted = runtime.now() - began
        await stop(.stopIsSafeAtAnyTime, "before anyone reads")
        reader.begin()
        await expectEnd(reader, .stopEndsTheStream, "when it is read after stop(_:)")
        let position = reader.log.value.position
        findings.expect(
            .stopDeliversWhatWasCaptured, position >= lasted - suite.latency,
            "\(lasted - suite.latency) of audio at least, after \(lasted)", saw: "\(position)")
        TimelineRules(findings: findings).judge(reader.log.value.elements)
    }

    private func trySecondStart() async {
        guard let reader = await open(.secondStartThrows) else { return }
        let second = await start(.secondStartThrows)
        findings.expect(
            .secondStartThrows, second?.error?.code == .alreadyRunning, "alreadyRunning from a second start",
            saw: second?.summary ?? "no answer")
        reader.begin()
        await expectAudio(reader, .secondStartThrows)
        let before = reader.log.value.position
        let wentOn = await reader.first(within: suite.responseTimeout) {
            $0.position > before || $0.end == .finished ? true : $0.end != nil ? false : nil
        }
        findings.expect(
            .secondStartThrows, wentOn == true, "the first stream to go on after a second start",
            saw: "that it stays at \(before)")
        await stop(.stopIsSafeAtAnyTime, "after a second start")
        await expectEnd(reader, .stopEndsTheStream, "after a second start and stop(_:)")
    }

    private func tryStopDuringStart() async {
        let capturer = suite.capturer
        let options = suite.options
        let clause = CapturerConformance.Clause.stopDuringStartEnds
        let starting = runtime.task {
            await Outcome.of { () throws(DictationError) in try await capturer.start(options) }
        }
        await stop(.stopIsSafeAtAnyTime, "during a start")
        guard let answer = await findings.bounded(clause, "start(_:) during a stop", { await starting.value }) else {
            return
        }
        if case .success(let stream) = answer {
            // If the start came after the stop, only another stop ends it.
            await stop(.stopIsSafeAtAnyTime, "after a start")
            let reader = CaptureReader(stream)
            reader.begin()
            await expectEnd(reader, clause, "after stop(_:)")
        } else {
            findings.expect(
                clause, answer.error?.code == .cancelled, "a stream, or cancelled", saw: answer.summary)
        }
        guard let reader = await open(clause) else { return }
        await stop(.stopIsSafeAtAnyTime, "right after a start")
        reader.begin()
        await expectEnd(reader, clause, "after a stop(_:) right after the start")
    }

    private func tryStopsAtOnce() async {
        guard let reader = await open(.startsAgainAfterStop) else { return }
        reader.begin()
        await expectAudio(reader)
        let capturer = suite.capturer
        let stops = [CaptureOptions.StopMode.full, .warm, .full].map { mode in
            runtime.task { await capturer.stop(mode) }
        }
        for stop in stops {
            _ = await findings.bounded(.stopIsSafeAtAnyTime, "each of three stops at once") { await stop.value }
        }
        await expectEnd(reader, .stopEndsTheStream, "after three stops at once")
    }

    // MARK: Readers

    private func trySlowReader() async {
        findings.leave(.onDemandLosesNothing, because: "the capturer is live")
        guard let overflow = suite.overflow else {
            return findings.leave(.slowReadersAreTold, because: "the suite has no “overflow”")
        }
        guard let reader = await open(.slowReadersAreTold) else { return }
        let began = runtime.now()
        try? await runtime.sleep(overflow)
        let lasted = runtime.now() - began
        await stop(.stopIsSafeAtAnyTime, "when audio was lost")
        reader.begin()
        await expectEnd(reader, .stopEndsTheStream, "when audio was lost")
        let log = reader.log.value
        findings.expect(
            .slowReadersAreTold, !log.gaps.isEmpty && log.position >= lasted - suite.latency,
            "buffers and gaps that cover \(lasted)", saw: "\(log.gaps.count) gaps, and \(log.position) in all")
        TimelineRules(findings: findings).judge(log.elements)
    }

    private func tryOnDemand() async {
        findings.leave(.slowReadersAreTold, because: "the capturer is on demand")
        var logs: [CaptureReader.Log] = []
        for pause in [Duration.zero, suite.listening] {
            guard let reader = await open(.onDemandLosesNothing) else { return }
            try? await runtime.sleep(pause)
            reader.begin()
            _ = await reader.first(within: suite.responseTimeout) {
                $0.end != nil || $0.position > .seconds(10) ? true : nil
            }
            await stop(.stopIsSafeAtAnyTime, "of an on-demand capturer")
            _ = await reader.end(within: suite.responseTimeout)
            logs.append(reader.log.value)
        }
        let counts = logs.map { $0.buffers.prefix(100).map(\.frameCount) }
        let shared = zip(counts[0], counts[1]).allSatisfy { $0 == $1 }
        let lost = logs.flatMap(\.gaps).filter { $0.cause == .overrun }
        findings.expect(
            .onDemandLosesNothing, shared && lost.isEmpty && counts.allSatisfy { !$0.isEmpty },
            "the same buffers for a late reader",
            saw: "\(counts[0].count) and \(counts[1].count) buffers, \(lost)")
    }

    // MARK: Trouble

    private func tryTrouble() async {
        guard let troubled = suite.troubled else {
            return findings.leave(.troubleIsNotTheEnd, because: "the suite has no “troubled” capturer")
        }
        let clause = CapturerConformance.Clause.troubleIsNotTheEnd
        guard let reader = await open(clause, troubled) else { return }
        reader.begin()
        let came = await reader.first(within: suite.responseTimeout * 2) { log in
            log.end != nil || Trouble(log.elements).isOver ? true : nil
        }
        let trouble = Trouble(reader.log.value.elements)
        findings.expect(
            clause, came == true && trouble.isOver && !trouble.hadAudioWhileGone,
            "interrupted, a gap, resumed and then audio", saw: trouble.seen.joined(separator: ", "))
        await stop(.stopIsSafeAtAnyTime, "after trouble", .full, troubled)
        await expectEnd(reader, .stopEndsTheStream, "after trouble and stop(_:)")
        TimelineRules(findings: findings).judge(reader.log.value.elements)
    }

    private func tryFailure() async {
        guard let failing = suite.failing else {
            return findings.leave(.failureEndsTheStream, because: "the suite has no “failing” capturer")
        }
        let clause = CapturerConformance.Clause.failureEndsTheStream
        guard let reader = await open(clause, failing) else { return }
        reader.begin()
        let end = await reader.end(within: suite.responseTimeout * 2)
        var isFailure = false
        if case .failed? = end { isFailure = true }
        findings.expect(
            clause, isFailure, "the stream to end with an error", saw: end.map { "\($0)" } ?? "no end")
        TimelineRules(findings: findings).judge(reader.log.value.elements)
        await stop(clause, "after a failure", .full, failing)
        let again = await start(clause, failing)
        findings.expect(
            clause, again?.error?.code != .alreadyRunning, "a new start to be possible after a failure",
            saw: again?.summary ?? "no answer")
        await stop(clause, "after a failure and a new start", .full, failing)
    }
}

/// The order of events when a device disappears and returns.
private struct Trouble {
    private(set) var seen: [String] = []
    private(set) var hadAudioWhileGone = false
    private(set) var isOver = false

    init(_ events: [CaptureEvent]) {
        var wasInterrupted = false
        var hadGap = false
        var hasResumed = false
        for event in events {
            switch event {
            case .buffer:
                if seen.last != "audio" { seen.append("audio") }
                if wasInterrupted, !hasResumed { hadAudioWhileGone = true }
                if hadGap, hasResumed { isOver = true }
            case .gap:
                seen.append("gap")
                if wasInterrupted { hadGap = true }
            case .interrupted:
                seen.append("interrupted")
                wasInterrupted = true
                hasResumed = false
            case .resumed:
                seen.append("resumed")
                if wasInterrupted { hasResumed = true }
            case .routeChanged: seen.append("route changed")
            }
        }
    }
}
