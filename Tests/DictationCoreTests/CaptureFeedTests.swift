import DictationCore
import DictationTesting
import Synchronization
import Testing

private func ramp(_ first: Int, _ count: Int, rate: Int = 16_000) -> AudioBuffer {
    AudioBuffer((first..<first + count).map { Int16(truncatingIfNeeded: $0) }, sampleRate: rate)
}

@Suite struct CaptureFeedTests {
    @Test func theRingGivesEverythingBackAcrossItsSeam() {
        let ring = AudioRing(format: .speech, frameCapacity: 1_000, bufferCapacity: 10)
        var next = 0
        for size in [400, 300, 290, 1, 999, 1_000, 7, 512] {
            let isIn = ramp(next, size).withUnsafeBytes { ring.write($0, start: .milliseconds(next)) }
            #expect(isIn)
            let out = ring.read()
            #expect(out?.int16Samples == ramp(next, size).int16Samples)
            #expect(out?.start == .milliseconds(next))
            next += size
        }
        #expect(ring.read() == nil)
        #expect(!ramp(0, 1_001).withUnsafeBytes { ring.write($0, start: .zero) })
    }

    @Test func twoThreadsSeeEverySampleOnce() async {
        let ring = AudioRing(format: .speech, frameCapacity: 333, bufferCapacity: 5)
        let total = 100_000
        let writing = Task(executorPreference: BlockingThread(name: "writer")) {
            var next = 0
            var random = SplitMix64(seed: 1)
            while next < total {
                let size = min(total - next, Int.random(in: 1...100, using: &random))
                let buffer = ramp(next, size)
                while !buffer.withUnsafeBytes({ ring.write($0, start: .zero) }) { await Task.yield() }
                next += size
            }
        }
        let isWhole = await Task(executorPreference: BlockingThread(name: "reader")) {
            var next = 0
            while next < total {
                guard let buffer = ring.read() else {
                    await Task.yield()
                    continue
                }
                guard buffer.int16Samples == ramp(next, buffer.frameCount).int16Samples else { return false }
                next += buffer.frameCount
            }
            return true
        }.value
        await writing.value
        #expect(isWhole)
    }

    /// Reads the feed's stream and describes each event in a line of text.
    private func read(_ feed: CaptureFeed) async -> [String] {
        var lines: [String] = []
        do {
            for try await event in feed.stream {
                switch event {
                case .buffer(let buffer): lines.append("\(buffer.frameCount)@\(buffer.start.milliseconds)")
                case .gap(let gap):
                    lines.append("\(gap.cause) \(gap.frameCount)@\(gap.range.lowerBound.milliseconds)")
                case .interrupted(let cause): lines.append("\(cause)")
                case .resumed: lines.append("resumed")
                case .routeChanged: lines.append("route")
                }
            }
        } catch {
            lines.append("\(error.code.rawValue)")
        }
        return lines
    }

    @Test func everythingComesInOrder() async {
        let feed = CaptureFeed()
        feed.write(ramp(0, 160))
        feed.send(.interrupted(.deviceLost))
        feed.lose(frames: 1_600, format: .speech, cause: .unplugged)
        feed.send(.resumed(nil))
        feed.write(ramp(0, 480, rate: 48_000))
        feed.write(ramp(0, 160))
        feed.finish(throwing: DictationError(.deviceLost, "gone"))
        feed.finish()
        feed.write(ramp(0, 160))
        #expect(
            await read(feed) == [
                "160@0", "deviceLost", "unplugged 1600@10", "resumed", "480@110", "160@120", "deviceLost",
            ])
        #expect(await read(feed).isEmpty)
    }

    @Test func aSlowReaderLosesTheNewestAndIsTold() async {
        let feed = CaptureFeed(capacity: .milliseconds(100))
        for number in 0..<30 { feed.write(ramp(number * 160, 160)) }
        feed.send(.routeChanged(nil))
        feed.finish()
        let expected = (0..<10).map { "160@\($0 * 10)" } + ["overrun 3200@100", "route"]
        #expect(await read(feed) == expected)
    }

    @Test func whatNobodyReadsDoesNotPileUp() async throws {
        let feed = CaptureFeed(capacity: .milliseconds(100))
        var frames = 0
        for number in 0..<20_000 {
            feed.send(.interrupted(.noData))
            feed.write(ramp(0, 16, rate: number % 2 == 0 ? 16_000 : 8_000))
            feed.lose(frames: 16, format: .speech, cause: .stalled)
            frames += 32
        }
        feed.finish()
        var events = 0
        var counted = 0
        var position: Duration = .zero
        for try await event in feed.stream {
            events += 1
            switch event {
            case .buffer(let buffer):
                #expect(buffer.start == position)
                counted += buffer.frameCount
                position = buffer.end
            case .gap(let gap):
                #expect(gap.range.lowerBound == position)
                counted += Int(gap.frameCount)
                position = gap.range.upperBound
            default: break
            }
        }
        #expect(counted == frames)
        #expect(events < 1_200)
        #expect(position == feed.position)
    }

    @Test func noKindOfEventIsLostWhenNobodyReads() async {
        let feed = CaptureFeed()
        let causes: [AudioGap.Cause] = [.overrun, .suspended, .unplugged, .stalled]
        for number in 0..<1_000 { feed.lose(frames: 16, format: .speech, cause: causes[number % 2]) }
        feed.send(.interrupted(.suspended))
        feed.send(.interrupted(.deviceLost))
        for number in 0..<400 { feed.lose(frames: 16, format: .speech, cause: causes[number % 4]) }
        feed.send(.resumed(AudioDevice(id: "old", name: "An old microphone")))
        feed.send(.routeChanged(nil))
        feed.write(ramp(0, 160))
        feed.send(.interrupted(.deviceLost))
        feed.send(.resumed(nil))
        feed.finish()
        let lines = await read(feed)
        #expect(lines.count == 1_008)
        #expect(lines.prefix(1_000) == (0..<1_000).map { "\(causes[$0 % 2]) 16@\($0)" }[...])
        #expect(
            lines.dropFirst(1_000) == [
                "suspended", "overrun 1760@1000", "suspended 1600@1110", "unplugged 1600@1210", "stalled 1600@1310",
                "route", "deviceLost", "resumed",
            ])
    }

    @Test func aReaderThatCatchesUpGetsAudioAgain() async throws {
        let feed = CaptureFeed()
        for _ in 0..<1_500 { feed.send(.interrupted(.noData)) }
        feed.write(ramp(0, 160))
        var iterator = feed.stream.makeAsyncIterator()
        for _ in 0..<1_001 {
            guard case .interrupted? = try await iterator.next() else {
                Issue.record("An event is missing.")
                return
            }
        }
        feed.write(ramp(160, 160))
        feed.finish()
        #expect(await read(feed) == ["overrun 160@0", "160@10"])
    }

    @Test func audioAndGapsThatAreSentAsEventsLieOnTheTimeline() async {
        let feed = CaptureFeed()
        feed.send(.buffer(ramp(0, 160).moved(to: .seconds(Int64.max))))
        let farAway = Duration(attoseconds: .min)..<Duration(attoseconds: .max)
        for _ in 0..<1_100 { feed.send(.gap(AudioGap(range: farAway, frameCount: 160, cause: .stalled))) }
        feed.finish()
        let lines = await read(feed)
        #expect(lines.prefix(3) == ["160@0", "stalled 160@10", "stalled 160@20"])
        #expect(lines.last == "stalled 16160@10000")
    }

    @Test(arguments: [false, true]) func aWaitingReaderIsWoken(_ relays: Bool) async {
        let feed = CaptureFeed(wakesFromOwnThread: relays)
        let writing = Task(executorPreference: BlockingThread(name: "writer")) {
            for number in 0..<2_000 {
                feed.write(ramp(number * 16, 16))
                await Task.yield()
            }
            feed.finish()
        }
        var frames = 0
        var iterator = feed.stream.makeAsyncIterator()
        while case .buffer(let buffer)? = try? await iterator.next() { frames += buffer.frameCount }
        await writing.value
        #expect(frames == 32_000)
    }

    @Test(arguments: [false, true]) func aCancelledReaderIsLetGo(_ relays: Bool) async {
        let feed = CaptureFeed(wakesFromOwnThread: relays)
        let reading = Task { await read(feed) }
        await Task.yield()
        reading.cancel()
        #expect(await reading.value.isEmpty)
        feed.finish()
    }

    @Test func theSameScheduleGivesTheSameStream() async throws {
        func run() async throws -> [String] {
            try await VirtualTime.run(seed: 7) { clock in
                let runtime = DictationRuntime.current
                let feed = CaptureFeed(capacity: .milliseconds(50))
                runtime.task {
                    for number in 0..<200 {
                        try? await runtime.sleep(.milliseconds(10))
                        feed.write(ramp(number * 160, 160))
                    }
                    feed.finish()
                }
                var lines: [String] = []
                for try await event in feed.stream {
                    switch event {
                    case .buffer(let buffer): lines.append("buffer \(buffer.range) at \(clock.now.offset)")
                    case .gap(let gap): lines.append("gap \(gap.range) at \(clock.now.offset)")
                    default: break
                    }
                    try await runtime.sleep(.milliseconds(14))
                }
                return lines
            }
        }
        let first = try await run()
        #expect(first.contains { $0.hasPrefix("gap") })
        #expect(try await run() == first)
    }
}

extension Duration {
    fileprivate var milliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}
