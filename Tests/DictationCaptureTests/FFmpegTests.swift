import DictationCore
import DictationTesting
import Foundation
import Glibc
import Testing

@testable import DictationCapture

/// Recordings that libsndfile does not read.
@Suite struct FFmpegTests {
    private let folder = TemporaryFolder()

    @Test(arguments: Encoding.everyday) func aRecordingIsReadToTheMillisecond(_ encoding: Encoding) async throws {
        try await encoding.checkRoundTrip(in: folder)
    }

    @Test func aTrackIsChosenByItsNumber() async throws {
        let path = try await Made.twoTracks(in: folder)
        for (track, frequency) in [(1, 500.0), (2, 1_000.0)] {
            #expect(try Sound(reading: path, track: track, channel: 1).frequency.isClose(to: frequency))
        }
        for track in [0, 3, -1] {
            #expect { _ = try AudioFileReader(path: path, track: track) } throws: {
                let error = $0 as? DictationError
                return error?.message.contains("has 2 audio tracks, and no audio track \(track)") == true
                    && error?.recovery == "Choose a track from 1 to 2."
            }
        }
    }

    @Test(arguments: ["a.wav", "a.m4a"]) func aChannelIsChosenByItsNumber(_ name: String) async throws {
        let path = try await Made.tone(name, in: folder)
        for (channel, frequency) in [(1, 500.0), (2, 800.0)] {
            var reader = try AudioFileReader(path: path, channel: channel)
            #expect(reader.channelCount == 2 && reader.format.channelCount == 1)
            #expect(try reader.read()?.format.channelCount == 1)
            #expect(try Sound(reading: path, channel: channel).frequency.isClose(to: frequency))
        }
        for channel in [0, 3, -1, .max] {
            #expect { _ = try AudioFileReader(path: path, channel: channel) } throws: {
                let error = $0 as? DictationError
                return error?.code == .fileUnreadable && error?.recovery == "Choose a channel from 1 to 2."
            }
        }
    }

    @Test(arguments: ["a.wav", "a.m4a", "a.mkv"]) func readingFromATimeOnGivesTheRestOfTheFile(_ name: String)
        async throws
    {
        let path = try await Made.tone(name, in: folder)
        let whole = try Sound(reading: path)
        for start in [Duration.milliseconds(250), .milliseconds(1_001)] {
            var reader = try AudioFileReader(path: path, from: start)
            #expect(reader.position == start)
            let first = try #require(try reader.read())
            #expect(first.start == start)
            let rest = try Sound(reading: path, from: start)
            let frames = Int(reader.format.frames(in: start))
            #expect(abs(whole.left.count - frames - rest.left.count) <= 1)
            // A decoder that begins in the middle takes a packet to come right.
            let settled = 4_096
            let difference = zip(whole.left.dropFirst(frames + settled), rest.left.dropFirst(settled)).map {
                abs($0 - $1)
            }
            #expect(difference.max() ?? 1 < 0.01)
        }
        for start in [Duration.seconds(3), .seconds(1_000_000)] {
            #expect(try Sound(reading: path, from: start).left.isEmpty)
        }
    }

    @Test func audioThatBeginsLateBeginsLate() async throws {
        let path = try await Made.delayed(in: folder)
        let sound = try Sound(reading: path)
        #expect(abs(sound.onset - 2.5) < 0.01, "\(sound.onset)")
    }

    @Test func thePreferredFormatIsMadeByFFmpeg() async throws {
        let path = try await Made.tone("a.m4a", in: folder)
        for type in AudioFormat.SampleType.allCases {
            // Two channels stay, because they may cancel each other.
            let wanted = AudioFormat(sampleRate: 16_000, channelCount: 2, sampleType: type)
            var mono = wanted
            mono.channelCount = 1
            var reader = try AudioFileReader(path: path, preferredFormat: mono)
            #expect(reader.format == wanted && reader.frameCount.map { abs($0 - 32_000) < 1_000 } == true)
            var loudest: Float = 0
            while let buffer = try reader.read() { loudest = max(loudest, buffer.floatSamples.map(abs).max() ?? 0) }
            #expect((0.3...0.6).contains(loudest), "\(type): \(loudest)")
        }
    }

    @Test func aVideoWithoutSoundSaysSo() async throws {
        let path = folder("silent.mp4")
        try await Made.run(["-f", "lavfi", "-i", "testsrc=d=0.2:s=64x64", path])
        #expect { _ = try AudioFileReader(path: path) } throws: {
            ($0 as? DictationError)?.message == "“\(path)” has no audio."
        }
    }

    @Test(arguments: ["-i.m4a", "-", "a%03d.m4a", "http:x.m4a", "pipe:0", "concat:a.m4a|b.m4a", "a\nb.m4a", "a?.m4a"])
    func anyNameIsTheNameOfAFile(_ name: String) async throws {
        let good = try await Made.tone("good.m4a", in: folder)
        try FileManager.default.moveItem(atPath: good, toPath: folder(name))
        #expect(try Sound(reading: folder(name)).left.count > 90_000)
    }

    /// Each file points to another recording, or to a server that counts its visitors.
    @Test func noOtherFileOrAddressIsOpened() async throws {
        let good = try await Made.tone("good.ts", in: folder)
        let server = try Visitors()
        for (name, text) in Made.pointers(to: good, folder.path, port: server.port) {
            try Data(text.utf8).write(to: URL(filePath: folder(name)))
            #expect(throws: DictationError.self, "\(name)") {
                var reader = try AudioFileReader(path: folder(name))
                while try reader.read() != nil {}
            }
        }
        #expect(server.isLonely)
    }

    @Test func addressesAndDevicesAreNoFiles() throws {
        let server = try Visitors()
        let address = "http://127.0.0.1:\(server.port)/a.m4a"
        for path in [address, "file:" + address, "hw:0", "/dev/zero", "concat:" + address, "lavfi:sine", folder.path] {
            #expect(throws: DictationError.self, "\(path)") { _ = try AudioFileReader(path: path) }
        }
        #expect(server.isLonely)
    }

    @Test func withoutTheProgramsTheErrorSaysWhatToInstall() async throws {
        let path = try await Made.tone("a.m4a", in: folder)
        let probe = try Child(Child.built("CaptureProbe"), ["whole", path], environment: ["PATH": folder.path])
        let lines = try #require(await probe.end())
        #expect(lines.contains { $0.contains("needs FFmpeg") && $0.contains("apt install ffmpeg") }, "\(lines)")
    }

    @Test func theEnvironmentGivesFFmpegNoOrders() async throws {
        let path = try await Made.tone("a.m4a", in: folder)
        let report = folder("report")
        let probe = try Child(
            Child.built("CaptureProbe"), ["whole", path], environment: ["FFREPORT": "file=\(report):level=48"])
        #expect(try #require(await probe.end()).contains { $0.hasPrefix("read 2") })
        #expect(!FileManager.default.fileExists(atPath: report))
    }

    @Test func theProgramEndsWithItsReaderAndWithItsProcess() async throws {
        let path = folder("long.m4a")
        try await Made.run(["-f", "lavfi", "-i", "anullsrc=d=3600:r=8000:cl=mono", "-c:a", "aac", "-b:a", "8k", path])
        let probe = try Child(Child.built("CaptureProbe"), ["children", path])
        let line = try #require(await probe.line { $0.hasPrefix("reading ") })
        let reading = try #require(Int32(line.dropFirst(8)), "\(line)")
        #expect(await probe.line { $0 == "released" } != nil, "\(probe.output)")
        let last = try #require(await probe.line { $0.hasPrefix("again ") })
        #expect(hasEnded(reading))
        let process = try #require(Int32(last.dropFirst(6)), "\(last)")
        #expect(!hasEnded(process))
        probe.kill()
        _ = await probe.end()
        let limit = ContinuousClock.now + .seconds(20)
        while !hasEnded(process), ContinuousClock.now < limit { poll(nil, 0, 10) }
        #expect(hasEnded(process))
    }

    /// A process that has ended may still wait for its parent to notice.
    private func hasEnded(_ process: pid_t) -> Bool {
        guard let line = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return true }
        return line.contains(") Z ") || line.contains(") X ")
    }

    @Test(arguments: ["fast.m4a", "a.mkv", "a.webm"]) func aShortenedRecordingIsReadToItsEnd(_ name: String)
        async throws
    {
        let path = try await Made.tone(name, in: folder)
        let whole = try Sound(reading: path)
        let bytes = try Data(contentsOf: URL(filePath: path))
        try bytes.prefix(bytes.count * 3 / 4).write(to: URL(filePath: path))
        let (sound, failure) = Sound.asFarAsPossible(path)
        #expect(failure?.message.contains("ends too early, after ") == true, "\(String(describing: failure))")
        #expect((whole.left.count / 2..<whole.left.count).contains(sound.left.count), "\(sound.left.count)")
    }

    @Test func damageInTheMiddleIsReportedAfterAllThatCanBeRead() async throws {
        let path = try await Made.tone("fast.m4a", in: folder)
        var bytes = try Data(contentsOf: URL(filePath: path))
        let damage = bytes.count * 3 / 4
        for index in damage..<damage + 600 { bytes[index] ^= 0x5A }
        try bytes.write(to: URL(filePath: path))
        let (sound, failure) = Sound.asFarAsPossible(path)
        #expect(failure?.message.contains("is damaged") == true, "\(String(describing: failure))")
        #expect(failure?.underlying?.domain == "ffmpeg" && failure?.underlying?.message?.contains("0x") == false)
        #expect(sound.left.count > 90_000, "what follows the damage keeps its time")
        #expect(abs(sound.onset - 0.5) < 0.01)
    }

    @Test func aVoiceMemoIsCapturedLikeAnyFile() async throws {
        let path = try await Made.tone("a.m4a", in: folder)
        let capturer = FileCapturer(path: path, from: .milliseconds(500))
        let stream = try await capturer.start(CaptureOptions())
        #expect(capturer.progress.position == .milliseconds(500))
        let heard = await Heard(stream)
        #expect(abs(heard.frames - 24_000) < 1_000, "\(heard.frames)")
        #expect(capturer.progress.fraction.map { $0 > 0.97 } == true, "\(capturer.progress)")
        await capturer.stop(.full)
    }
}

extension Double {
    fileprivate func isClose(to other: Double) -> Bool { abs(self - other) < other / 50 }
}
