#if SoundFile
import DictationSystem

/// Where the parts of a recording's container end, compared with where its file ends.
///
/// The decoders read the first recording of a file, up to the length that it declares. This walks over the parts without
/// decoding any, so that a decoder can say what it left.
enum ContainerEnd: Equatable {
    /// The file ends where its last part does, or the container has no such lengths.
    case whole
    /// The last part should be longer.
    case early
    /// Another recording of the same kind begins.
    case anotherRecording
    /// Bytes follow that belong to no part, and are not silence.
    case moreBytes

    init(_ file: ReadableFile) { self = Walk(file: file).end() }

    /// What follows in a file without parts after a place to which a decoder has read.
    init(_ file: ReadableFile, readTo place: Int64) { self = Walk(file: file).remainder(at: place) }
}

/// A walk from part to part of a container.
private struct Walk {
    let file: ReadableFile

    /// How the parts of a container are laid out.
    private struct Layout {
        /// The place of the first part.
        let start: Int64
        /// What another recording begins with, from a place on.
        let mark: (place: Int, bytes: [UInt8])
        /// The number of bytes that may be missing, because some writers count a header twice.
        var slack: Int64 = 0
        /// Whether the parts can be told from samples.
        var namesParts = false
        /// The name of the part with samples, of which a decoder reads one.
        var samples: String?
        /// Returns the place after the part at a place: that of the next part, `Int64.max` if the part lasts to the end of
        /// the file or of the walk, or `nil` if no part begins there.
        let next: (_ head: Bytes, _ place: Int64) -> Int64?
    }

    /// Some bytes of the file, which may end before them.
    private struct Bytes {
        let bytes: [UInt8]

        func big(_ range: Range<Int>) -> Int64 { number(bytes.dropFirst(range.lowerBound).prefix(range.count)) }
        func little(_ range: Range<Int>) -> Int64 {
            number(bytes.dropFirst(range.lowerBound).prefix(range.count).reversed())
        }
        func has(_ text: String, at place: Int = 0) -> Bool { bytes.dropFirst(place).starts(with: text.utf8) }
        var isName: Bool { bytes.count >= 4 && bytes[..<4].allSatisfy { (0x20..<0x7F).contains($0) } }

        private func number(_ bytes: some Sequence<UInt8>) -> Int64 {
            Int64(bitPattern: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }
    }

    func end() -> ContainerEnd {
        guard let layout else { return .whole }
        var (place, hasSamples) = (layout.start, false)
        // The limit guards against a file of a million empty parts.
        for _ in 0..<10_000 where place < file.byteCount {
            let head = bytes(at: place)
            if place > 0, head.bytes.dropFirst(layout.mark.place).starts(with: layout.mark.bytes) {
                return .anotherRecording
            }
            if layout.namesParts, isTag(head, at: place) { return .whole }
            if let samples = layout.samples, head.has(samples) {
                if hasSamples { return remainder(at: place) }
                hasSamples = true
            }
            guard let next = layout.next(head, place) else { return layout.namesParts ? remainder(at: place) : .whole }
            guard next > place, next < .max else { return .whole }
            place = next
        }
        return place > file.byteCount + layout.slack ? .early : .whole
    }

    private func bytes(at place: Int64, count: Int = 32) -> Bytes {
        var bytes = [UInt8](repeating: 0, count: count)
        let filled = bytes.withUnsafeMutableBytes { (try? file.read(into: $0, from: place)) ?? 0 }
        return Bytes(bytes: Array(bytes.prefix(filled)))
    }

    /// Tells samples from tags and padding.
    func remainder(at place: Int64) -> ContainerEnd {
        guard file.byteCount - place > 1_000 else { return .whole }
        let rest = bytes(at: place, count: 1 << 16)
        return isTag(rest, at: place) || rest.bytes.allSatisfy { $0 == 0 } ? .whole : .moreBytes
    }

    /// Whether a tag of a music player begins at a place. A chunk may be called "ID3 ", and a tag's title looks like the size
    /// of a chunk.
    private func isTag(_ head: Bytes, at place: Int64) -> Bool {
        head.has("ID3") && !head.isName || head.has("TAG") && file.byteCount - place == 128 || head.has("APETAGEX")
    }

    private var layout: Layout? {
        let head = bytes(at: 0, count: 1_024)
        if head.has("RIFF") {
            return chunks(mark: head.bytes, size: { $0.little(4..<8) })
        } else if head.has("FORM") {
            return chunks(mark: head.bytes, size: { $0.big(4..<8) })
        } else if head.has(".snd") {
            let size = head.big(8..<12)
            return single(".snd", from: head.big(4..<8), size == 0xFFFF_FFFF ? nil : size)
        } else if head.has("NIST_1A\n") {
            return single("NIST_1A", from: sphereHeader(head).start, sphereHeader(head).size)
        } else if head.has("caff") {
            return Layout(start: 8, mark: (0, Array("caff".utf8))) { part, place in
                let size = part.big(4..<12)
                return size < 0 ? .max : place.after(12, size)
            }
        } else if head.has("ftyp", at: 4) {
            return Layout(start: 0, mark: (4, Array("ftyp".utf8))) { part, place in
                guard part.bytes.count >= 8 else { return place + 8 }
                let size = part.big(0..<4)
                return size == 0 ? .max : place.after(0, size == 1 ? part.big(8..<16) : size)
            }
        } else if head.has("Creative Voice File\u{1A}") {
            // A block of type 0 ends the recording.
            return Layout(start: head.little(20..<22), mark: (0, Array("Creative Voice File".utf8))) { part, place in
                part.bytes.first == 0 ? place + 1 : place.after(4, part.little(1..<4))
            }
        } else if head.bytes.starts(with: ebml) {
            return Layout(start: 0, mark: (0, ebml)) { part, place in
                // An element's identifier, then its length, each with its own length in the first bits.
                guard let name = part.bytes.first, let first = part.bytes.dropFirst(name.leadingZeroBitCount + 1).first
                else { return place + 2 }
                let (start, count) = (name.leadingZeroBitCount + 1, first.leadingZeroBitCount + 1)
                guard name != 0, first != 0 else { return nil }
                let mask = Int64(1) << (7 * Int64(count)) - 1
                let size = part.big(start..<start + count) & mask
                return size == mask ? .max : place.after(Int64(start + count), size)
            }
        }
        return nil
    }

    private var ebml: [UInt8] { [0x1A, 0x45, 0xDF, 0xA3] }

    /// The layout of RIFF and AIFF: chunks with names, whose sizes a byte of padding makes even.
    private func chunks(mark: [UInt8], size: @escaping (Bytes) -> Int64) -> Layout {
        // The kind is behind the size. A long AVI file goes on in parts of another kind.
        let kind = Array(mark.dropFirst(8).prefix(4))
        return Layout(start: 12, mark: (8, kind), slack: 512, namesParts: true, samples: "data") { part, place in
            guard part.isName else { return nil }
            let size = size(part)
            // A writer to a pipe does not know the size of the samples. The name of another part of that size is samples too:
            // some writers leave out the byte of padding.
            let mayLast = ["data", "SSND", "LIST", "RIFF"].contains { part.has($0) }
            if size >= 0x7FF0_0000 { return mayLast ? .max : nil }
            return size == 0 && part.has("data") ? .max : place.after(8, size + size % 2)
        }
    }

    /// The layout of a header and samples.
    private func single(_ mark: String, from start: Int64, _ size: Int64?) -> Layout {
        Layout(start: 0, mark: (0, Array(mark.utf8)), namesParts: true) { _, place in
            guard place == 0 else { return nil }
            return size.map { max(1, start).after(0, $0) } ?? .max
        }
    }

    /// What the text at the beginning of a NIST SPHERE file says of its samples. Compressed ones have no size.
    private func sphereHeader(_ head: Bytes) -> (start: Int64, size: Int64?) {
        let lines = String(decoding: head.bytes, as: UTF8.self).split(separator: "\n")
        func value(_ name: String) -> Substring? {
            lines.first { $0.hasPrefix(name + " ") }?.split(separator: " ").last
        }
        let start = lines.dropFirst().first.flatMap { Int64($0.filter { $0 != " " }) } ?? 1_024
        let isPlain = value("sample_coding").map { ["pcm", "ulaw", "mu-law", "alaw"].contains($0) } ?? true
        let sizes = [value("sample_count"), value("sample_n_bytes"), value("channel_count") ?? "1"]
            .compactMap { $0.flatMap { Int64($0) } }.filter { (0...1 << 40).contains($0) }
        guard isPlain, sizes.count == 3, sizes[1] <= 8, sizes[2] <= 64 else { return (start, nil) }
        return (start, sizes.reduce(1, *))
    }
}

extension Int64 {
    /// Returns the place after a header and a size, or this one, which ends a walk, if the file can't be that long.
    fileprivate func after(_ header: Int64, _ size: Int64) -> Int64 {
        let (end, isTooLong) = addingReportingOverflow(header)
        let (whole, overflows) = end.addingReportingOverflow(size)
        return isTooLong || overflows || size < 0 ? self : whole
    }
}
#endif
