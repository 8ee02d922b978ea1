import DictationCore
import Foundation
import Testing

@testable import DictationCapture

/// A file that lacks a part of its audio ends with an error, whatever kind its samples have.
@Suite struct ShortenedFileTests {
    private let folder = TemporaryFolder()

    /// Makes a minute of noise, which compresses badly, so that each part of the file is a part of the time.
    private func noise(_ name: String, _ codec: [String], seed: Int = 7) async throws -> Data {
        let source = ["-f", "lavfi", "-i", "anoisesrc=d=60:c=pink:r=16000:a=0.3:seed=\(seed)"]
        try await Made.run(source + codec + ["-map_metadata", "-1", "-fflags", "+bitexact", folder(name)])
        return try Data(contentsOf: URL(filePath: folder(name)))
    }

    /// Reads a file to its end. Returns the audio's length, and the error at its end.
    private func read(_ bytes: Data, _ name: String) throws -> (length: Duration, error: DictationError?) {
        try bytes.write(to: URL(filePath: folder(name)))
        var reader = try AudioFileReader(path: folder(name))
        var length = Duration.zero
        do throws(DictationError) {
            while let buffer = try reader.read() { length = buffer.end }
            return (length, nil)
        } catch {
            return (length, error)
        }
    }

    @Test(arguments: ["pcm_u8", "pcm_alaw", "pcm_mulaw", "adpcm_ima_wav", "adpcm_ms", "pcm_s16le"])
    func aWaveFileThatWasCutIsSaid(_ codec: String) async throws {
        let whole = try await noise("whole.wav", ["-c:a", codec])
        #expect(try read(whole, "again.wav").error == nil)
        let (length, error) = try read(whole.prefix(whole.count / 2), "cut.wav")
        #expect(length > .seconds(29) && length < .seconds(31))
        #expect(error?.message.contains("ends too early") == true)
    }

    @Test(arguments: ["au", "aiff", "w64", "caf"]) func aFileOfAnotherKindThatWasCutIsSaid(_ kind: String) async throws
    {
        let whole = try await noise("whole.\(kind)", [])
        #expect(try read(whole, "again.\(kind)").error == nil)
        // Whole samples are left.
        let (length, error) = try read(whole.prefix(whole.count / 4 * 2), "cut.\(kind)")
        #expect(length > .seconds(29) && length < .seconds(31))
        #expect(error?.message.contains("ends too early") == true)
    }

    @Test func anMP3FileThatLacksItsMiddleIsSaid() async throws {
        let whole = try await noise("whole.mp3", [])
        #expect(try read(whole, "again.mp3").error == nil)
        let parts = whole.prefix(whole.count * 2 / 5) + whole.suffix(whole.count * 2 / 5)
        #expect(try read(parts, "cut.mp3").error?.message.contains("ends too early") == true)
        // Without a number of frames in the file, nothing was promised.
        let plain = try await noise("plain.mp3", ["-write_xing", "0"])
        #expect(try read(plain, "again.mp3").error == nil)
    }

    @Test(arguments: [["-c:a", "libvorbis"], ["-c:a", "libopus"]])
    func anOggFileThatWasCutIsSaid(_ codec: [String]) async throws {
        let whole = try await noise("whole.ogg", codec)
        #expect(try read(whole, "again.ogg").error == nil)
        let (length, error) = try read(whole.prefix(whole.count * 6 / 10), "cut.ogg")
        #expect(length > .seconds(30) && error?.message.contains("ends too early") == true)
    }

    @Test(arguments: ["voc", "avi"]) func aFileThatEndsInsideAPartIsSaid(_ kind: String) async throws {
        let whole = try await noise("whole.\(kind)", [])
        #expect(try read(whole, "again.\(kind)").error == nil)
        let (length, error) = try read(whole.prefix(whole.count / 2), "cut.\(kind)")
        #expect(length > .seconds(25) && length < .seconds(40))
        #expect(error?.message.contains("ends too early") == true)
    }

    /// A file of a speech corpus.
    @Test func aSPHEREFileThatWasCutOrJoinedIsSaid() async throws {
        let samples = try await noise("samples.raw", ["-f", "s16le"])
        var header = """
            NIST_1A
               1024
            sample_count -i \(samples.count / 2)
            sample_n_bytes -i 2
            channel_count -i 1
            sample_byte_format -s2 01
            sample_rate -i 16000
            sample_coding -s3 pcm
            end_head

            """
        header += String(repeating: " ", count: 1_024 - header.utf8.count)
        let whole = Data(header.utf8) + samples
        #expect(try read(whole, "again.sph").error == nil)
        #expect(try read(whole.prefix(whole.count / 2), "cut.sph").error?.message.contains("ends too early") == true)
        #expect(try read(whole + whole, "two.sph").error?.message.contains("another recording") == true)
    }

    /// Its writer was killed after it had updated the header for the last time.
    @Test func samplesBehindTheDeclaredLengthAreSaid() async throws {
        let whole = try await noise("whole.wav", [])
        var short = whole
        short.replaceSubrange(40..<44, with: withUnsafeBytes(of: UInt32(320_000).littleEndian) { Data($0) })
        let (length, error) = try read(short, "short.wav")
        #expect(length == .seconds(10) && error?.message.contains("more audio than its header declares") == true)
        // Tags and padding are no audio.
        let tags = [
            Data("ID3\u{4}".utf8) + samples(20_000), Data("TAG".utf8) + samples(125),
            Data("TAGA Title".utf8) + Data(count: 118), Data("APETAGEX".utf8) + samples(2_000),
        ]
        for more in [Data(count: 20_000)] + tags {
            #expect(try read(whole + more, "more.wav").error == nil, "\(Array(more.prefix(12)))")
        }
        func samples(_ count: Int) -> Data { whole[1_000..<1_000 + count] }
    }

    /// libsndfile reads one of the parts.
    @Test func aSecondPartOfSamplesIsSaid() async throws {
        let whole = try await noise("whole.wav", [])
        var two = whole
        let size = withUnsafeBytes(of: UInt32(320_000).littleEndian) { Data($0) }
        two.replaceSubrange(40..<44, with: size)
        two.insert(contentsOf: Data("data".utf8) + size, at: 44 + 320_000)
        #expect(try read(two, "two.wav").error?.message.contains("which is not read") == true)
    }

    /// Its writer left out the byte behind a part of odd length, so that the next part has another name.
    @Test func aSecondPartWithoutPaddingIsSaid() async throws {
        let whole = try await noise("whole.wav", [])
        var two = whole
        let size = withUnsafeBytes(of: UInt32(320_001).littleEndian) { Data($0) }
        two.replaceSubrange(40..<44, with: size)
        two.insert(contentsOf: Data("data".utf8) + size, at: 44 + 320_001)
        #expect(try read(two, "two.wav").error?.message.contains("more audio than its header declares") == true)
    }

    /// A hole of whole packets, as with seed 8, has no damaged one beside it.
    @Test(arguments: [7, 8]) func aBroadcastThatLacksItsMiddleOrItsEndIsSaid(seed: Int) async throws {
        let whole = try await noise("whole.ts", ["-c:a", "aac"], seed: seed)
        #expect(try read(whole, "again.ts").error == nil)
        let parts = whole.prefix(whole.count * 2 / 5) + whole.suffix(whole.count * 2 / 5)
        for (name, bytes) in [("hole.ts", parts), ("cut.ts", whole.prefix(whole.count * 3 / 5))] {
            let (length, error) = try read(bytes, name)
            #expect(length > .seconds(30) && error?.message.contains("is damaged") == true, "\(name)")
        }
    }

    /// A script wrote the values of 16-bit samples as floats.
    @Test func samplesFarBeyondFullScaleAreSaid() async throws {
        let (length, error) = try read(
            try await noise("loud.wav", ["-c:a", "pcm_f32le", "-af", "volume=32768"]), "loud.wav")
        #expect(length == .seconds(60) && error?.message.contains("far beyond full scale") == true)
        #expect(
            try read(try await noise("clips.wav", ["-c:a", "pcm_f32le", "-af", "volume=6"]), "clips.wav").error == nil)
    }

    @Test func moreFramesThanAFLACHeaderCountsAreSaid() async throws {
        var whole = try await noise("whole.flac", [])
        whole.replaceSubrange(22..<26, with: withUnsafeBytes(of: UInt32(320_000).bigEndian) { Data($0) })
        let (length, error) = try read(whole, "short.flac")
        #expect(length == .seconds(20) && error?.message.contains("more audio than its header declares") == true)
    }

    @Test(arguments: [0, 320_000]) func moreBytesThanAnAUHeaderDeclaresAreSaid(_ count: UInt32) async throws {
        var whole = try await noise("whole.au", [])
        whole.replaceSubrange(8..<12, with: withUnsafeBytes(of: count.bigEndian) { Data($0) })
        #expect(try read(whole, "short.au").error?.message.contains("more audio than its header declares") == true)
    }

    /// Its writer was killed after it had filled in the length of the file.
    @Test func samplesWithoutADeclaredLengthAreRead() async throws {
        var whole = try await noise("whole.wav", [])
        whole.replaceSubrange(40..<44, with: Data(count: 4))
        let (length, error) = try read(whole, "zero.wav")
        #expect(length == .seconds(60) && error == nil)
    }

    /// As a balanced line that is plugged into a stereo input.
    @Test(arguments: ["wav", "m4a"]) func channelsThatCancelEachOtherAreHeard(_ kind: String) async throws {
        _ = try await noise("two.\(kind)", ["-af", "pan=stereo|c0=c0|c1=-1*c0"])
        var reader = try AudioFileReader(path: folder("two.\(kind)"), preferredFormat: .speech)
        let converter = try SampleRateConverter(from: reader.format, to: .speech)
        var loudest: Float = 0
        while let buffer = try reader.read() {
            loudest = max(loudest, try converter.convert(buffer).floatSamples.map(abs).max() ?? 0)
        }
        #expect(loudest > 0.1)
    }

    @Test(arguments: ["f32le", "f64le"]) func samplesThatAreNoNumbersAreSaid(_ type: String) async throws {
        var whole = try await noise("whole.wav", ["-c:a", "pcm_" + type])
        #expect(try read(whole, "again.wav").error == nil)
        let size = type == "f32le" ? 4 : 8
        let start = whole.count - 16_000 * size
        whole.replaceSubrange(start..<start + 8_000 * size, with: Data(repeating: 0xFF, count: 8_000 * size))
        let (length, error) = try read(whole, "nan.wav")
        #expect(length == .seconds(60))
        // The time is that of the buffer with the first of them.
        let told = error?.message ?? ""
        #expect(
            told.contains("has 8000 samples that are no numbers or far beyond full scale, from 58.88 seconds on"),
            "\(told)")
    }

    @Test(arguments: ["wav", "aiff", "au", "caf", "voc", "avi", "m4a", "mp4", "mov", "mkv", "webm"])
    func aSecondRecordingInAFileIsSaid(_ kind: String) async throws {
        let whole = try await noise("whole.\(kind)", [])
        #expect(try read(whole, "again.\(kind)").error == nil)
        #expect(try read(whole + whole, "two.\(kind)").error?.message.contains("another recording") == true)
    }

    @Test func aSecondRecordingInAFLACFileIsSaid() async throws {
        let whole = try await noise("whole.flac", [])
        let error = try read(whole + whole, "two.flac").error
        #expect(
            error?.message.contains("another recording") == true, "\(error.map(String.init(describing:)) ?? "none")")
    }

    @Test func aFLACFileThatEndsAfterItsHeaderIsSaid() async throws {
        let whole = try await noise("whole.flac", [])
        #expect(try read(whole, "again.flac").error == nil)
        // The marker and the block with the length, which says that it is the last one.
        var header = whole.prefix(42)
        header[4] |= 0x80
        #expect(try read(header, "cut.flac").error != nil)
    }

    @Test(arguments: [["-c:a", "libvorbis"], ["-c:a", "libopus"]])
    func aDamagedStretchIsSaid(_ codec: [String]) async throws {
        let whole = try await noise("whole.ogg", codec)
        #expect(try read(whole, "again.ogg").error == nil)
        var damaged = whole
        let middle = whole.count * 2 / 5..<whole.count * 3 / 5
        damaged.replaceSubrange(middle, with: Data(count: middle.count))
        #expect(try read(damaged, "damaged.ogg").error != nil)
    }
}
