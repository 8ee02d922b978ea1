import DictationCore
import DictationSystem
import FoundationEssentials

extension BatchItem {
    /// Reads a line of a manifest: a JSON object of NeMo or Lhotse, or a path. A line that is neither has a ``fault``.
    ///
    /// - Parameters:
    ///   - text: The line.
    ///   - number: The number of the line, from 1.
    ///   - folder: The manifest's folder. Relative paths are looked up there first.
    init(line text: [UInt8], number: Int, folder: String) {
        guard text.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else {
            self.init(pathLine: text, number: number)
            return
        }
        let json = JSONObject(text)
        do throws(LineFault) {
            guard let json else { throw LineFault("is not a JSON object") }
            if json["audio_filepath"] != nil {
                self = try .nemo(json, Self.decoded(NeMoLine.self, from: json), folder)
            } else if json["recording"] != nil {
                self = try .lhotse(json, Self.decoded(LhotseCut.self, from: json), folder)
            } else {
                throw LineFault("has neither “audio_filepath” nor “recording”")
            }
        } catch {
            self.init(faultyLine: number, "Line \(number) of the manifest \(error.what).")
            line = json.map { BatchManifest.Line(format: .nemo, json: $0) }
        }
    }

    /// Creates an item for a line that can't be used.
    init(faultyLine number: Int, _ message: String) {
        self.init(path: "", id: "#\(number)")
        fault = DictationError(.invalidInput, message, recovery: "Correct the line.")
    }

    private init(pathLine text: [UInt8], number: Int) {
        let path = text.last == UInt8(ascii: "\r") ? text.dropLast() : text[...]
        guard let path = String(validating: path, as: UTF8.self), !path.utf8.contains(0) else {
            self.init(faultyLine: number, "Line \(number) of the manifest is not text in UTF-8.")
            return
        }
        self.init(path: path)
    }

    private static func decoded<Line: Decodable>(
        _ type: Line.Type, from json: JSONObject
    ) throws(LineFault) -> Line {
        do { return try JSONDecoder().decode(type, from: Data(json.text.utf8)) } catch let error as DecodingError {
            throw LineFault("can't be read: \(error.words)")
        } catch {
            throw LineFault("is not JSON")
        }
    }

    private static func nemo(
        _ json: JSONObject, _ line: NeMoLine, _ folder: String
    ) throws(LineFault) -> BatchItem {
        let offset = try time(line.offset ?? 0, "offset")
        guard !line.path.isEmpty else { throw LineFault("has an empty “audio_filepath”") }
        guard !line.path.utf8.contains(0) else { throw LineFault("has a null character in “audio_filepath”") }
        // NeMo writes 0 for a length that is not known.
        let duration = try time(line.duration ?? 0, "duration")
        var item = BatchItem(
            path: line.path, id: try id(json["id"]), offset: offset, duration: duration > .zero ? duration : nil,
            channel: try nemoChannel(json["channel_selector"]),
            reference: json["text"].flatMap { JSONText.decoded(String.self, from: $0) })
        // The name is the path as it was written.
        item.path = path(line.path, in: folder)
        item.line = BatchManifest.Line(format: .nemo, json: json)
        return item
    }

    private static func lhotse(
        _ json: JSONObject, _ cut: LhotseCut, _ folder: String
    ) throws(LineFault) -> BatchItem {
        guard let source = cut.recording.sources.first, cut.recording.sources.count == 1, source.type == "file" else {
            throw LineFault("has a recording that is not one file")
        }
        guard !source.source.utf8.contains(0) else { throw LineFault("has a null character in its “source”") }
        let texts = (cut.supervisions ?? []).compactMap(\.text)
        var item = BatchItem(
            path: path(source.source, in: folder), id: cut.id, offset: try time(cut.start, "start"),
            duration: try time(cut.duration, "duration"), channel: try channel(json["channel"], "channel"),
            reference: texts.isEmpty ? nil : texts.joined(separator: " "))
        item.line = BatchManifest.Line(format: .lhotse, json: json)
        return item
    }

    /// Returns a name: a string, or a whole number. An empty string is none, and so is `null`.
    private static func id(_ json: String?) throws(LineFault) -> String? {
        guard let json, json != "null" else { return nil }
        if let text = JSONText.decoded(String.self, from: json) { return text.isEmpty ? nil : text }
        guard let number = JSONText.decoded(Int.self, from: json) else {
            throw LineFault("has an “id” that is neither text nor a whole number")
        }
        return String(number)
    }

    /// Returns the only channel of a NeMo line. For the word “average”, NeMo mixes all channels, as a batch does without a
    /// channel.
    private static func nemoChannel(_ json: String?) throws(LineFault) -> Int? {
        json == "\"average\"" ? nil : try channel(json, "channel_selector")
    }

    /// The greatest number of channels of any recording: that of WAV.
    private static let channelLimit = 1 << 16

    /// Returns the number of a channel, from 1. The manifests count from 0. Whether the recording has the channel is known
    /// when it is opened.
    private static func channel(_ json: String?, _ key: String) throws(LineFault) -> Int? {
        guard let json, json != "null" else { return nil }
        guard let index = JSONText.decoded(Int.self, from: json), (0..<channelLimit).contains(index) else {
            throw LineFault("has a “\(key)” that is not the number of one channel, counted from 0")
        }
        return index + 1
    }

    private static func time(_ seconds: Double, _ key: String) throws(LineFault) -> Duration {
        guard let time = Duration(recordingSeconds: seconds) else {
            throw LineFault("has the “\(key)” \(seconds), which is no time of a recording")
        }
        return time
    }

    /// A relative path is that of a file beside the manifest, if one exists there.
    private static func path(_ written: String, in folder: String) -> String {
        guard written.utf8.first != UInt8(ascii: "/") else { return written }
        let beside = folder + "/" + written
        return FileListing.hasFile(beside) ? beside : written
    }
}

/// What is wrong with a line, after “Line 7 of the manifest”.
private struct LineFault: Error {
    let what: String
    init(_ what: String) { self.what = what }
}

/// The members of NeMo's lines that are read.
private struct NeMoLine: Decodable {
    var path: String
    var offset: Double?
    var duration: Double?

    private enum CodingKeys: String, CodingKey {
        case path = "audio_filepath"
        case offset, duration
    }
}

/// The members of Lhotse's cuts that are read.
private struct LhotseCut: Decodable {
    struct Recording: Decodable {
        struct Source: Decodable {
            var type: String
            var source: String
        }
        var sources: [Source]
    }
    struct Supervision: Decodable { var text: String? }

    var id: String
    var start: Double
    var duration: Double
    var recording: Recording
    var supervisions: [Supervision]?
}
