import DictationCapture
import DictationCore
import DictationTesting
import Testing

/// What a stream gave, added up.
struct Heard: Sendable {
    var samples: [Float] = []
    var frames: Int64 = 0
    var gaps: [AudioGap] = []
    var events: [String] = []
    var formats: [AudioFormat] = []
    var firstAt: Duration?
    var error: DictationError?
    private(set) var position: Duration = .zero

    /// Reads a stream to its end and checks that its pieces follow one another.
    init(_ stream: CaptureStream, sourceLocation: SourceLocation = #_sourceLocation) async {
        let runtime = DictationRuntime.current
        let began = runtime.now()
        do {
            for try await event in stream {
                switch event {
                case .buffer(let buffer):
                    firstAt = firstAt ?? runtime.now() - began
                    #expect(buffer.start == position, sourceLocation: sourceLocation)
                    position = buffer.end
                    frames += Int64(buffer.frameCount)
                    samples += buffer.floatSamples
                    if formats.last != buffer.format { formats.append(buffer.format) }
                case .gap(let gap):
                    #expect(gap.range.lowerBound == position, sourceLocation: sourceLocation)
                    position = gap.range.upperBound
                    gaps.append(gap)
                    events.append("gap \(gap.cause)")
                case .interrupted(let cause): events.append("interrupted \(cause)")
                case .resumed(let device): events.append("resumed \(device?.id ?? "-")")
                case .routeChanged(let device): events.append("route \(device?.id ?? "-")")
                }
            }
        } catch {
            self.error = error
        }
    }

    var lost: Int64 { gaps.map(\.frameCount).reduce(0, +) }
}

@Suite struct ScriptedCapturerTests {
    @Test func aScriptIsPlayedInOrderAndOnTime() async throws {
        try await VirtualTime.run { clock in
            let microphone = ScriptedCapturer([
                .tone(440, for: .seconds(2)), .unplug(for: .seconds(1)), .silence(for: .seconds(5)), .end,
            ])
            let heard = await Heard(try await microphone.start(CaptureOptions()))
            #expect(heard.frames == 7 * 16_000)
            #expect(heard.events == ["interrupted deviceLost", "gap unplugged", "resumed scripted"])
            #expect(heard.gaps.map(\.range) == [.seconds(2)..<(.seconds(3))])
            #expect(clock.now.offset == .seconds(8))
            #expect(heard.samples[..<32_000].map(abs).max()! > 0.49)
            #expect((0.000_1..<0.001).contains(heard.samples[32_000...].map(abs).max()!))
            #expect(microphone.counts.captured == microphone.counts.delivered + microphone.counts.lost)
        }
    }

    @Test func anHourAtAnyRateAddsUp() async throws {
        try await VirtualTime.run { clock in
            let microphone = ScriptedCapturer(
                [.zeros(for: .seconds(3_600)), .end],
                format: AudioFormat(sampleRate: 8_000), bufferDuration: .milliseconds(100))
            var frames: Int64 = 0
            for try await event in try await microphone.start(CaptureOptions()) {
                if case .buffer(let buffer) = event { frames += Int64(buffer.frameCount) }
            }
            #expect(frames == 3_600 * 8_000)
            #expect(clock.now.offset == .seconds(3_600))
        }
    }

    @Test func aStopGivesWhatWasCapturedToTheFrame() async throws {
        try await VirtualTime.run { clock in
            let microphone = ScriptedCapturer([])
            let stream = try await microphone.start(CaptureOptions())
            let reading = DictationRuntime.current.task { await Heard(stream) }
            await clock.advance(by: .microseconds(1_234_500))
            await microphone.stop(.full)
            let heard = await reading.value
            #expect(heard.frames == 19_752)
            #expect(heard.error == nil)
            await microphone.stop(.full)
        }
    }

    @Test func aStopInTheMiddleOfAFaultEndsThere() async throws {
        try await VirtualTime.run { clock in
            let microphone = ScriptedCapturer([.zeros(for: .seconds(1)), .stall(for: .seconds(100))])
            let stream = try await microphone.start(CaptureOptions())
            await clock.advance(by: .seconds(3))
            await microphone.stop(.warm)
            let heard = await Heard(stream)
            #expect(heard.samples.allSatisfy { $0 == 0 })
            #expect((heard.frames, heard.lost) == (16_000, 32_000))
        }
    }

    @Test func theFirstBufferCanBeLate() async throws {
        try await VirtualTime.run { _ in
            let microphone = ScriptedCapturer([.nothing(for: .seconds(1)), .tone(440, for: .seconds(1)), .end])
            let heard = await Heard(try await microphone.start(CaptureOptions()))
            #expect(heard.firstAt == .milliseconds(1_100))
            #expect(heard.frames == 16_000)
        }
    }

    @Test func theFormatAndTheDeviceCanChange() async throws {
        try await VirtualTime.run { _ in
            let headset = AudioDevice(id: "headset", name: "Headset")
            let stereo = AudioFormat(sampleRate: 44_100, channelCount: 2, sampleType: .float32)
            let microphone = ScriptedCapturer([
                .tone(440, for: .seconds(1)), .format(stereo), .route(to: headset), .tone(440, for: .seconds(1)),
                .gap(for: .milliseconds(500)), .samples([Int16](repeating: 7, count: 100)), .end,
            ])
            let heard = await Heard(try await microphone.start(CaptureOptions()))
            #expect(heard.formats == [.speech, stereo, .speech])
            #expect(heard.frames == 16_000 + 44_100 + 100)
            #expect(heard.gaps.map(\.frameCount) == [22_050])
            #expect(heard.events == ["route headset", "gap overrun"])
        }
    }

    @Test func aDeviceThatStaysAwayEndsTheStreamWithAnError() async throws {
        try await VirtualTime.run { _ in
            let microphone = ScriptedCapturer([.tone(440, for: .seconds(1)), .unplug])
            let heard = await Heard(try await microphone.start(CaptureOptions()))
            #expect(heard.error?.code == .deviceLost)
            #expect(heard.frames == 16_000)
        }
    }

    @Test func aSecondStartIsRefusedUntilTheStop() async throws {
        try await VirtualTime.run { clock in
            let microphone = ScriptedCapturer(takes: [
                [.zeros(for: .seconds(1))], [.tone(440, for: .seconds(1)), .end],
            ]) {
                $0.stopDelay = .seconds(3)
            }
            let first = try await microphone.start(CaptureOptions())
            await #expect { try await microphone.start(CaptureOptions()) } throws: {
                ($0 as? DictationError)?.code == .alreadyRunning
            }
            await clock.advance(by: .seconds(1))
            let stop = DictationRuntime.current.task { await microphone.stop(.full) }
            await clock.settle()
            let second = try await microphone.start(CaptureOptions())
            #expect(clock.now.offset == .seconds(4))
            await stop.value
            #expect(await Heard(first).frames == 16_000)
            #expect(await Heard(second).samples.contains { $0 > 0.4 })
        }
    }

    @Test func aStopDuringASlowStartCancelsIt() async throws {
        try await VirtualTime.run { clock in
            let microphone = ScriptedCapturer([]) { $0.startDelay = .seconds(5) }
            let start = DictationRuntime.current.task { () async -> DictationError? in
                do throws(DictationError) { _ = try await microphone.start(CaptureOptions()) } catch { return error }
                return nil
            }
            await clock.advance(by: .seconds(1))
            await microphone.stop(.full)
            #expect(await start.value?.code == .cancelled)
        }
    }

    @Test func refusalsSayWhatToDo() async throws {
        let denied = ScriptedCapturer([]) { $0.authorization = .denied("Allow it in the settings.") }
        await #expect { try await denied.start(CaptureOptions()) } throws: {
            let error = $0 as? DictationError
            return error?.code == .permissionDenied && error?.recovery == "Allow it in the settings."
        }
        let busy = ScriptedCapturer([.end]) { $0.openFailures = 2 }
        for _ in 0..<2 {
            await #expect { try await busy.start(CaptureOptions()) } throws: {
                ($0 as? DictationError)?.isTransient == true
            }
        }
        _ = try await busy.start(CaptureOptions())
        await busy.stop(.full)
        #expect(busy.counts.starts == 3)
        await #expect { try await busy.start(CaptureOptions(device: "none")) } throws: {
            ($0 as? DictationError)?.recovery?.contains("scripted") == true
        }
        await #expect { try await ScriptedCapturer([.file("/nowhere.wav")]).start(CaptureOptions()) } throws: {
            ($0 as? DictationError)?.code == .fileUnreadable
        }
    }

    @Test func onDemandNothingIsLostHoweverSlowTheReader() async throws {
        try await VirtualTime.run { clock in
            let microphone = ScriptedCapturer(
                [.tone(440, for: .seconds(60)), .unplug(for: .seconds(1)), .zeros(for: .seconds(1))],
                pacing: .onDemand)
            let stream = try await microphone.start(CaptureOptions())
            await clock.advance(by: .seconds(100))
            let heard = await Heard(stream)
            #expect((heard.frames, heard.lost) == (61 * 16_000, 16_000))
            #expect(clock.now.offset == .seconds(100))
        }
    }

    @Test func aSlowReaderOfALiveMicrophoneIsToldWhatItLost() async throws {
        try await VirtualTime.run { clock in
            let microphone = ScriptedCapturer([.tone(440, for: .seconds(20)), .end]) { $0.capacity = .seconds(2) }
            let stream = try await microphone.start(CaptureOptions())
            await clock.advance(by: .seconds(10))
            let heard = await Heard(stream)
            #expect(heard.frames + heard.lost == 20 * 16_000)
            #expect(heard.gaps.map(\.cause) == [.overrun])
            let counts = microphone.counts
            #expect(counts.captured == counts.delivered + counts.lost)
        }
    }
}
