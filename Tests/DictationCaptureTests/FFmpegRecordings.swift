import DictationCapture
import DictationCore
import Foundation
import Glibc
import Testing

/// Recordings that FFmpeg makes for the tests. Each has half a second of silence, then a tone to the end of the second
/// second: 500 Hz in the left channel and 800 Hz in the right.
enum Made {
    private static let source = [
        "-f", "lavfi", "-i",
        "aevalsrc='0.5*sin(1000*PI*t)*gt(t,0.5)|0.5*sin(1600*PI*t)*gt(t,0.5)':c=stereo:d=2:s=48000",
    ]
    private static let video = ["-f", "lavfi", "-i", "testsrc=d=2:s=128x96:r=25"]

    static func run(_ arguments: [String]) async throws {
        let ffmpeg = try Child("ffmpeg", ["-nostdin", "-v", "error", "-y"] + arguments)
        let said = try #require(await ffmpeg.end(), "install ffmpeg")
        try #require(ffmpeg.exitCode == 0, "\(said)")
    }

    /// Makes a recording of the kind that the name says.
    static func tone(_ name: String, in folder: TemporaryFolder, _ options: [String] = [], hasVideo: Bool = false)
        async throws -> String
    {
        let more = name.hasPrefix("fast") ? ["-movflags", "faststart"] : []
        try await run(source + (hasVideo ? video : []) + more + options + [folder(name)])
        return folder(name)
    }

    static func twoTracks(in folder: TemporaryFolder) async throws -> String {
        let second = ["-f", "lavfi", "-i", "sine=1000:d=2"]
        let path = folder("two.mkv")
        try await run(video + source + second + ["-map", "0", "-map", "1", "-map", "2", "-c:a", "libopus", path])
        return path
    }

    /// A video whose sound begins two seconds later.
    static func delayed(in folder: TemporaryFolder) async throws -> String {
        let path = folder("delayed.mp4")
        try await run(video + ["-itsoffset", "2"] + source + [path])
        return path
    }

    /// Files that FFmpeg would follow to another file or an address, unless it is told not to.
    static func pointers(to path: String, _ folder: String, port: UInt16) -> [(String, String)] {
        let address = "http://127.0.0.1:\(port)/good.ts"
        let playlist = { (item: String) in "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n\(item)\n#EXT-X-ENDLIST\n" }
        let manifest = { (address: String) in
            """
            <?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT2S">
            <Period><AdaptationSet mimeType="audio/mp4"><Representation id="1" bandwidth="1">
            <BaseURL>\(address)</BaseURL></Representation></AdaptationSet></Period></MPD>
            """
        }
        return [
            ("near.m3u8", playlist(path)), ("far.m3u8", playlist(address)), ("as.m4a", playlist(path)),
            ("list.ffconcat", "ffconcat version 1.0\nfile good.ts\n"),
            ("list.txt", "ffconcat version 1.0\nfile '\(path)'\n"),
            ("near.mpd", manifest(path)), ("far.mpd", manifest(address)),
            (
                "session.sdp",
                "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=a\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio \(port) RTP/AVP 0\n"
            ),
            ("list.asx", "<asx version=\"3.0\"><entry><ref href=\"\(address)\"/></entry></asx>"),
            ("list.pls", "[playlist]\nFile1=\(address)\nNumberOfEntries=1\n"),
            ("list.ram", address + "\n"), ("url.rtsp", "rtsp://127.0.0.1:\(port)/"),
            ("reference.mov", "[Reference]\nRef1=\(address)\n"),
            ("tune.lavfi", "sine=d=1"), ("options.ffmeta", ";FFMETADATA1\ntitle=\(path)\n"),
            ("subtitles.idx", "# VobSub index file, v7\n"), ("page.svg", "<svg><image href=\"\(address)\"/></svg>"),
            ("package.imf", "<?xml version=\"1.0\"?><CompositionPlaylist/>"),
            ("module.vpy", "open('\(folder)/proof', 'w')\n"), ("module.avs", "WavSource(\"\(path)\")\n"),
        ]
    }
}

/// The left channel of a recording.
struct Sound {
    private(set) var left: [Float] = []
    private var rate = 48_000.0

    init(
        reading path: String, track: Int = 1, channel: Int? = nil, from start: Duration = .zero
    ) throws(DictationError) {
        var reader = try AudioFileReader(path: path, track: track, channel: channel, from: start)
        rate = Double(reader.format.sampleRate)
        while let buffer = try reader.read() { add(buffer) }
    }

    private init() {}

    static func asFarAsPossible(_ path: String) -> (Sound, DictationError?) {
        var sound = Sound()
        do throws(DictationError) {
            var reader = try AudioFileReader(path: path)
            sound.rate = Double(reader.format.sampleRate)
            while let buffer = try reader.read() { sound.add(buffer) }
            return (sound, nil)
        } catch { return (sound, error) }
    }

    private mutating func add(_ buffer: AudioBuffer) {
        let samples = buffer.floatSamples
        left += stride(from: 0, to: samples.count, by: buffer.format.channelCount).map { samples[$0] }
    }

    var seconds: Double { Double(left.count) / rate }
    /// The second at which the tone begins.
    var onset: Double { Double(left.firstIndex { abs($0) > 0.1 } ?? left.count) / rate }

    /// The frequency of the tone's last second, but for its end, where encoders add their own.
    var frequency: Double {
        let middle = left.dropLast(Int(rate / 4)).suffix(Int(rate))
        var (swings, isHigh) = (0, false)
        for sample in middle where abs(sample) > 0.02 {
            if sample > 0, !isHigh { swings += 1 }
            isHigh = sample > 0
        }
        return Double(swings)
    }
}

/// A way to encode a recording.
struct Encoding: CustomTestStringConvertible {
    var name: String
    var options: [String] = []
    var hasVideo = false
    /// How much later than the recording the tone may begin: what the encoder adds and the container does not say.
    var delay = 0.005
    var rate = 48_000

    var testDescription: String { name + options.map { " " + $0 }.joined() }

    static let everyday = [
        Encoding(name: "a.m4a"), Encoding(name: "a.mp4", hasVideo: true), Encoding(name: "a.webm"),
        Encoding(name: "a.mkv", options: ["-c:a", "libopus"], hasVideo: true), Encoding(name: "a.wma", delay: 0.06),
    ]

    static let others = [
        Encoding(name: "a.mov", options: ["-c:a", "pcm_s16be"], hasVideo: true), Encoding(name: "fast.m4a"),
        Encoding(name: "alac.m4a", options: ["-c:a", "alac"]), Encoding(name: "a.aac", delay: 0.03),
        Encoding(name: "a.ts", options: ["-c:a", "mp2"], hasVideo: true, delay: 0.03),
        Encoding(name: "a.mpg", hasVideo: true, delay: 0.03), Encoding(name: "a.avi", hasVideo: true, delay: 0.06),
        Encoding(name: "a.flv", options: ["-ar", "44100"], hasVideo: true, delay: 0.06, rate: 44_100),
        Encoding(name: "a.ac3", delay: 0.02), Encoding(name: "a.eac3", delay: 0.02),
        Encoding(name: "a.dts", options: ["-strict", "-2"], delay: 0.03),
        Encoding(name: "a.ogv", hasVideo: true, delay: 0.06), Encoding(name: "a.wv"), Encoding(name: "a.tta"),
        Encoding(name: "flac.mka", options: ["-c:a", "flac"]),
        Encoding(name: "mp3.mkv", options: ["-c:a", "libmp3lame"], delay: 0.03),
        Encoding(name: "vorbis.webm", options: ["-c:a", "libvorbis"], delay: 0.03),
        Encoding(
            name: "a.3gp", options: ["-af", "pan=mono|c0=c0", "-ar", "16000", "-c:a", "aac"], delay: 0.01, rate: 16_000),
        Encoding(name: "a.nut", options: ["-c:a", "pcm_s16le"]), Encoding(name: "a.mxf", hasVideo: true, delay: 0.06),
        Encoding(
            name: "speex.ogg", options: ["-af", "pan=mono|c0=c0", "-c:a", "libspeex", "-ar", "16000"], delay: 0.06,
            rate: 16_000),
        Encoding(name: "alac.caf", options: ["-c:a", "alac"]),
        Encoding(name: "a.rm", options: ["-c:a", "ac3"], delay: 0.06),
    ]

    func checkRoundTrip(in folder: TemporaryFolder) async throws {
        let path = try await Made.tone(name, in: folder, options, hasVideo: hasVideo)
        var reader = try AudioFileReader(path: path)
        #expect(reader.format.sampleRate == rate)
        let declared = reader.frameCount.map { Double($0) / Double(rate) }
        #expect(declared.map { abs($0 - 2) < 1 } ?? true, "\(String(describing: declared))")
        while let buffer = try reader.read() { #expect(buffer.format == reader.format && !buffer.isEmpty) }
        let sound = try Sound(reading: path)
        #expect(sound.onset > 0.495 && sound.onset < 0.5 + delay, "\(sound.onset)")
        #expect(sound.seconds > 1.95 && sound.seconds < 2.3, "\(sound.seconds)")
        #expect(abs(sound.frequency - 500) < 15, "\(sound.frequency)")
    }
}

/// A server that nobody should visit.
final class Visitors: Sendable {
    let port: UInt16
    private let descriptor: Int32

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (socket, size) = (descriptor, length)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(socket, pointer, size) == 0 && listen(socket, 8) == 0
                    ? getsockname(socket, pointer, &length) : -1
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        try #require(code == 0)
    }

    deinit { close(descriptor) }

    /// Whether nobody has connected.
    var isLonely: Bool { accept(descriptor, nil, nil) < 0 && errno == EAGAIN }
}
