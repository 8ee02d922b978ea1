import DictationCore
import DictationSystem
import DictationTesting
import Foundation
import Glibc
import Testing

@testable import DictationCapture

/// Reads a file to its end.
func readAll(_ path: String, raw: AudioFormat? = nil) throws -> (format: AudioFormat, samples: [Float]) {
    var reader = try AudioFileReader(path: path, raw: raw)
    var samples: [Float] = []
    while let buffer = try reader.read() { samples += buffer.floatSamples }
    return (reader.format, samples)
}

@Suite struct FileCapturerTests {
    private let folder = TemporaryFolder()

    /// A tone of a second, in a file of the kind that the name says.
    private func make(_ name: String, _ options: [String] = []) async throws -> String {
        let arguments =
            ["-n", "-r", "48000", "-c", "2"] + (options.isEmpty && !name.hasSuffix("ogg") ? ["-b", "16"] : options) + [
                folder(name), "synth", "1", "sine", "500", "vol", "0.5",
            ]
        let sox = try Child("/usr/bin/sox", arguments)
        let output = try #require(await sox.end(), "install sox")
        try #require(FileManager.default.fileExists(atPath: folder(name)), "sox: \(output); install libsox-fmt-all")
        return folder(name)
    }

    /// A tone's loudness and how often it swings; the tools that encode may bring it to full scale.
    private struct Tone {
        var rms: Double
        var swings = 0

        init(_ samples: [Float], channels: Int) {
            let left = stride(from: 0, to: samples.count, by: channels).map { samples[$0] }
            rms = (left.map { Double($0) * Double($0) }.reduce(0, +) / Double(max(1, left.count))).squareRoot()
            var isHigh = false
            for sample in left where abs(sample) > 0.1 {
                if sample > 0, !isHigh { swings += 1 }
                isHigh = sample > 0
            }
        }

        var isWhole: Bool { (0.3...0.8).contains(rms) && (495...510).contains(swings) }
    }

    @Test(arguments: [
        ("a.wav", [], AudioFormat.SampleType.int16), ("a24.wav", ["-b", "24"], .int32),
        ("af.wav", ["-e", "float", "-b", "32"], .float32), ("a.flac", [], .int16), ("a.aiff", [], .int16),
        ("a.ogg", [], .float32), ("a.mp3", [], .float32), ("a.opus", [], .float32),
    ])
    func everyFormatIsRead(_ name: String, _ options: [String], _ type: AudioFormat.SampleType) async throws {
        let path = try await encoded(name, options)
        let (format, samples) = try readAll(path)
        #expect(format == AudioFormat(sampleRate: 48_000, channelCount: 2, sampleType: type))
        let tone = Tone(samples, channels: 2)
        #expect(tone.isWhole, "\(tone)")
        // A lossy encoder adds some of its own at both ends.
        #expect((48_000...52_000).contains(samples.count / 2))
    }

    /// sox writes all but Opus and, on some systems, MP3; libsndfile's own tool writes those.
    private func encoded(_ name: String, _ options: [String]) async throws -> String {
        guard name.hasSuffix("opus") || name.hasSuffix("mp3") else { return try await make(name, options) }
        let wave = try await make("source.wav")
        let convert = try Child("/usr/bin/sndfile-convert", [wave, folder(name)])
        let output = try #require(await convert.end())
        try #require(FileManager.default.fileExists(atPath: folder(name)), "\(output); install sndfile-programs")
        return folder(name)
    }

    @Test(arguments: [AudioFormat.SampleType.int16, .int32, .float32, .float64])
    func rawSamplesNeedTheirFormatTold(_ type: AudioFormat.SampleType) throws {
        let format = AudioFormat(sampleRate: 16_000, channelCount: 2, sampleType: type)
        let samples = (0..<2_000).map { Float($0 % 64 - 32) / 64 }
        let float = AudioBuffer(samples, sampleRate: 16_000, channelCount: 2)
        let buffer = try BasicConverter(from: float.format, to: format).convert(float)
        try buffer.withUnsafeBytes { Data($0) }.write(to: URL(fileURLWithPath: folder("a.raw")))
        let read = try readAll(folder("a.raw"), raw: format)
        #expect(read.format == format)
        #expect(read.samples == samples)
        #expect { _ = try readAll(folder("a.raw")) } throws: {
            ($0 as? DictationError)?.recovery?.contains("raw:") == true
        }
    }

    @Test func onDemandAFileIsReadAsFastAsItIsAskedFor() async throws {
        let path = try await make("b.flac")
        try await VirtualTime.run { clock in
            let capturer = FileCapturer(path: path)
            let stream = try await capturer.start(CaptureOptions())
            #expect(capturer.progress.fraction == 0)
            await #expect {
                _ = try await capturer.start(CaptureOptions())
            } throws: {
                ($0 as? DictationError)?.code == .alreadyRunning
            }
            #expect(await Heard(stream).frames == 48_000)
            #expect(capturer.progress.fraction == 1)
            #expect(clock.now.offset == .zero)
            await capturer.stop(.full)
        }
    }

    @Test func liveAFileTakesItsTime() async throws {
        let path = try await make("c.flac")
        try await VirtualTime.run { clock in
            let capturer = FileCapturer(path: path, pacing: .live)
            let stream = try await capturer.start(CaptureOptions())
            await clock.advance(by: .milliseconds(333))
            await capturer.stop(.full)
            #expect(await Heard(stream).frames == 15_984)
            let again = try await capturer.start(CaptureOptions())
            #expect(await Heard(again).frames == 48_000)
            #expect(clock.now.offset == .milliseconds(1_333))
        }
    }

    @Test(arguments: [CaptureStream.Pacing.live, .onDemand]) func progressGrowsWithWhatIsRead(
        _ pacing: CaptureStream.Pacing
    )
        async throws
    {
        let path = try await make("p.wav")
        try await VirtualTime.run { _ in
            let capturer = FileCapturer(path: path, pacing: pacing, bufferDuration: .milliseconds(50))
            #expect(capturer.progress.position == .zero && capturer.progress.fraction == nil)
            var events = try await capturer.start(CaptureOptions()).makeAsyncIterator()
            for count in 1...20 {
                guard case .buffer? = try await events.next() else {
                    Issue.record("no buffer")
                    return
                }
                #expect(capturer.progress.position == .milliseconds(50 * count))
                #expect(capturer.progress.duration == .seconds(1))
                #expect(abs((capturer.progress.fraction ?? -1) - Double(50 * count) / 1_000) < 1e-9)
            }
            await capturer.stop(.full)
        }
    }

    /// `Scripts/prove capture` asks for ten hours.
    @Test func aLongFileTakesNoMoreMemoryThanAShortOne() async throws {
        let seconds = Proof.isWhole ? 36_000 : 900
        let sox = try Child(
            "/usr/bin/sox",
            ["-n", "-r", "8000", "-c", "1", "-b", "16", folder("long.flac"), "synth", "\(seconds)", "sine", "300"])
        _ = try #require(await sox.end(within: .seconds(600)), "install sox")
        let probe = try Child(Child.built("CaptureProbe"), ["whole", folder("long.flac")])
        let lines = try #require(await probe.end(within: .seconds(900)))
        let words = try #require(lines.first { $0.hasPrefix("read") }, "\(lines)").split(separator: " ").compactMap {
            Double($0)
        }
        print("long file: \(lines)")
        #expect(words[0] == Double(seconds))
        #expect(words[2] - words[1] < 2_000)
    }

    @Test func badFilesAreRefusedOrReadUpToTheDamage() async throws {
        var sources: [(String, Data)] = []
        for name in ["d.wav", "d.flac", "d.ogg", "d.aiff", "d.mp3", "d.opus"] {
            sources.append((name, try Data(contentsOf: URL(fileURLWithPath: try await encoded(name, [])))))
        }
        var random = SplitMix64(seed: 9)
        var outcomes: [String: Int] = [:]
        for (name, whole) in sources {
            var bad = [
                Data(), Data(whole.prefix(3)), Data(whole.prefix(whole.count / 2)),
                Data((0..<5_000).map { _ in UInt8.random(in: 0...255, using: &random) }),
            ]
            for _ in 0..<6 {
                var lying = whole
                for _ in 0..<4 {
                    lying[Int.random(in: 0..<min(400, lying.count), using: &random)] = UInt8.random(
                        in: 0...255, using: &random)
                }
                bad.append(lying)
            }
            for data in bad {
                let path = folder("bad-" + name)
                try data.write(to: URL(fileURLWithPath: path))
                do throws(DictationError) {
                    var reader = try AudioFileReader(path: path)
                    var frames = 0
                    while frames < 1 << 22, let buffer = try reader.read() { frames += buffer.frameCount }
                    outcomes["read", default: 0] += 1
                } catch {
                    #expect(error.code == .fileUnreadable)
                    #expect(error.recovery != nil)
                    outcomes["refused", default: 0] += 1
                }
            }
        }
        print("bad files: \(outcomes)")
        #expect(outcomes["refused", default: 0] > 0)
    }

    /// However much is asked for at once.
    @Test(arguments: [100, 4_096, 1 << 20]) func aDamagedFileGivesAllThatCanBeRead(_ size: Int) async throws {
        for (name, least) in [("e.flac", 15_000), ("e.wav", 23_989)] {
            let path = try await make(name)
            let whole = try readAll(path).samples
            let data = try Data(contentsOf: URL(fileURLWithPath: path))
            try data.prefix(data.count / 2).write(to: URL(fileURLWithPath: path))
            var reader = try AudioFileReader(path: path)
            var samples: [Float] = []
            var failure: DictationError?
            do throws(DictationError) {
                while let buffer = try reader.read(frames: size) { samples += buffer.floatSamples }
            } catch { failure = error }
            #expect(failure?.code == .fileUnreadable, "\(name)")
            #expect(failure?.recovery != nil)
            #expect(samples.count >= 2 * least, "\(name)")
            #expect(samples == Array(whole.prefix(samples.count)))
            #expect(try reader.read() == nil)
        }
    }

    /// Programs that write to a pipe promise anything, and those that are killed nothing.
    @Test(
        arguments: [
            (0, 0), (8, 0), (36, 0), (0x7FFF_F024, 0x7FFF_F000), (0x8000_0024, 0x8000_0000), (0xFFFF_FFFF, 0xFFFF_FFFF),
        ] as [(UInt32, UInt32)])
    func aHeaderThatWasNeverCompletedIsNoDamage(_ file: UInt32, _ samples: UInt32) async throws {
        for bits in ["16", "24"] {
            let path = try await make("pipe.wav", ["-b", bits])
            let whole = try readAll(path).samples
            var data = try Data(contentsOf: URL(fileURLWithPath: path))
            let field = try #require(data.range(of: Data("data".utf8))).upperBound
            for byte in 0..<4 {
                data[4 + byte] = UInt8(truncatingIfNeeded: file >> (8 * UInt32(byte)))
                data[field + byte] = UInt8(truncatingIfNeeded: samples >> (8 * UInt32(byte)))
            }
            try data.write(to: URL(fileURLWithPath: path))
            #expect(try readAll(path).samples == whole)
        }
    }

    @Test func aFileWithoutSamplesIsEmpty() async throws {
        let path = try await make("none.wav")
        var data = try Data(contentsOf: URL(fileURLWithPath: path))
        let field = try #require(data.range(of: Data("data".utf8))).upperBound
        data = data.prefix(field) + Data(count: 4) + Data("LIST".utf8) + Data([4, 0, 0, 0]) + Data("INFO".utf8)
        data[4] = UInt8(data.count - 8)
        for byte in 5..<8 { data[byte] = 0 }
        try data.write(to: URL(fileURLWithPath: path))
        #expect(try readAll(path).samples.isEmpty)
    }

    @Test func rawSamplesAreReadToTheirLastWholeFrame() throws {
        let format = AudioFormat(sampleRate: 8_000, channelCount: 2)
        for (bytes, frames) in [(0, 0), (1, 0), (3, 0), (4, 1), (4_001, 1_000), (4_003, 1_000)] {
            try Data((0..<bytes).map { UInt8(truncatingIfNeeded: $0) }).write(
                to: URL(fileURLWithPath: folder("cut.raw")))
            #expect(try readAll(folder("cut.raw"), raw: format).samples.count == frames * 2)
        }
    }

    /// A CAF file of a second, which has four bytes for the number of its channels.
    private func caf(channels: UInt32) -> Data {
        func big(_ number: UInt32) -> Data { withUnsafeBytes(of: number.bigEndian) { Data($0) } }
        let rate = withUnsafeBytes(of: Double(8_000).bitPattern.bigEndian) { Data($0) }
        let description = rate + Data("lpcm".utf8) + big(0) + big(2 &* channels) + big(1) + big(channels) + big(16)
        return Data("caff".utf8) + Data([0, 1, 0, 0]) + Data("desc".utf8) + big(0) + big(32) + description
            + Data("data".utf8) + big(0) + big(16_004) + big(0) + Data(count: 16_000)
    }

    @Test(arguments: [1 << 31, 0x7FFF_FFFF, .max, 100_000, 0] as [UInt32])
    func aHeaderOfTwoThousandMillionChannelsIsRefused(_ channels: UInt32) async throws {
        try caf(channels: 1).write(to: URL(fileURLWithPath: folder("one.caf")))
        #expect(try readAll(folder("one.caf")).samples.count == 8_000)
        try caf(channels: channels).write(to: URL(fileURLWithPath: folder("many.caf")))
        // Two bytes is what AIFF and WAV have for it.
        for (name, tag, offset) in [("e.aiff", "COMM", 4), ("e.wav", "fmt ", 6)] {
            var data = try Data(contentsOf: URL(fileURLWithPath: try await make(name)))
            let chunk = try #require(data.range(of: Data(tag.utf8)))
            let place = chunk.upperBound + offset
            data.replaceSubrange(place..<place + 2, with: [0xFF, 0xFF])
            try data.write(to: URL(fileURLWithPath: folder("many" + name)))
        }
        for name in ["manye.aiff", "manye.wav", "many.caf"] {
            #expect { _ = try readAll(folder(name)) } throws: {
                ($0 as? DictationError)?.code == .fileUnreadable && ($0 as? DictationError)?.recovery != nil
            }
        }
        let raw = AudioFormat(sampleRate: 8_000, channelCount: Int(channels))
        #expect { _ = try readAll(folder("one.caf"), raw: raw) } throws: {
            ($0 as? DictationError)?.code == .unsupportedFormat
        }
    }

    @Test func aFileThatMayNotBeReadSaysSo() async throws {
        let path = try await make("secret.wav")
        chmod(path, 0)
        let probe = try Child(Child.built("CaptureProbe"), ["refused", path])
        let lines = try #require(await probe.end())
        #expect(
            lines.contains { $0.hasPrefix("error fileUnreadable") && $0.contains("Permission denied") }, "\(lines)")
        #expect(lines.contains { $0.contains("Change the permissions") }, "\(lines)")
    }

    /// libsndfile closes what it can't read. Were it ours, we would close it again: by then another thread's file.
    @Test(arguments: ["", "no audio at all", "RIFF\u{1}\u{1}\u{1}\u{1}WAVEfmt ", "fLaC", "OggS", "ID3"])
    func aFileThatIsRefusedIsClosedOnce(_ contents: String) throws {
        try Data(contents.utf8).write(to: URL(filePath: folder("bad")))
        let source = try ReadableFile(path: folder("bad"))
        #expect(throws: DictationError.self) { _ = try AudioFileReader(source) }
        var (open, named) = (stat(), stat())
        #expect(fstat(source.descriptor, &open) == 0 && stat(folder("bad"), &named) == 0)
        #expect(open.st_ino == named.st_ino && open.st_dev == named.st_dev)
    }

    @Test func whatIsNoFileIsNamed() throws {
        #expect { _ = try readAll("/nowhere.wav") } throws: {
            ($0 as? DictationError)?.underlying?.code == Int(ENOENT)
        }
        #expect { _ = try readAll("/tmp") } throws: { ($0 as? DictationError)?.message.contains("not a file") == true }
        #expect { _ = try readAll("/dev/zero") } throws: { ($0 as? DictationError)?.code == .fileUnreadable }
    }
}

extension FileCapturerTests {
    /// What takes too long for everyday runs.
    @Suite struct ProofTests {
        private let tests = FileCapturerTests()

        /// The same as `Scripts/fuzz audio-files` does a million times, under AddressSanitizer.
        @Test func changedFilesAreReadOrRefusedAndLeaveNothingOpen() async throws {
            var paths: [String] = []
            for name in ["f.wav", "f.flac", "f.ogg", "f.aiff", "f.mp3", "f.opus"] {
                paths.append(try await tests.encoded(name, []))
            }
            let folder = tests.folder
            paths.append(folder("f.raw"))
            try FileManager.default.copyItem(atPath: folder("f.wav"), toPath: folder("f.raw"))
            let probe = try Child(Child.built("CaptureProbe"), ["read", folder.path, "8500", "1500", "1"] + paths)
            let lines = try #require(await probe.end(within: .seconds(120))).filter { $0.contains("refused") }
            print("changed files: \(lines)")
            #expect(probe.exitCode == 0, "\(probe.output)")
            #expect(lines.count == 7 && lines.allSatisfy { $0.contains("read") }, "\(lines)")
        }
    }
}
