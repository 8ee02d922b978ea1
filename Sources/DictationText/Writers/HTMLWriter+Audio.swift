public import FoundationEssentials

extension HTMLWriter {
    /// A recording that a page by ``HTMLWriter`` plays.
    public enum Audio: Sendable, Hashable {
        /// A file, as a path relative to the page. The page finds it only as long as both keep their places.
        case file(String)
        /// The contents of a file, inside the page, with its media type, such as `audio/flac`.
        case embedded(Data, type: String)

        /// Returns the media type for the ending of a file's name. Browsers play most of these types, but not all.
        public static func mediaType(ofFileNamed name: String) -> String {
            let ending = name.utf8.lastIndex(of: UInt8(ascii: ".")).map { name[name.utf8.index(after: $0)...] } ?? ""
            return switch ending.lowercased() {
            case "wav", "wave": "audio/wav"
            case "flac": "audio/flac"
            case "mp3": "audio/mpeg"
            case "aac": "audio/aac"
            case "m4a", "m4b", "mp4", "m4v", "mov": "audio/mp4"
            case "ogg", "oga", "opus", "ogv": "audio/ogg"
            case "webm": "audio/webm"
            case "mka", "mkv": "audio/x-matroska"
            case "aif", "aiff": "audio/aiff"
            default: "application/octet-stream"
            }
        }

        /// The address for a quoted attribute of the page. Cannot name a file on another machine, or another protocol.
        var address: String {
            switch self {
            case .file(let path): Self.relative(path)
            case .embedded(let data, let type): "data:\(type.inHTML);base64,\(data.base64EncodedString())"
            }
        }

        /// Returns a path as a relative address. Percent-encodes everything that has a meaning in an address, also the colon
        /// of a protocol. Two slashes at the start would name another machine.
        private static func relative(_ path: String) -> String {
            let start = path.utf8.prefix { $0 == UInt8(ascii: "/") }.count
            let rest = path.utf8.dropFirst(start > 1 ? start - 1 : 0)
            return String(decoding: rest, as: UTF8.self).percentEncoded(keeping: "/")
        }
    }
}
