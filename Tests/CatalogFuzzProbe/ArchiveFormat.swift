#if ModelCatalog
import CArchive

/// Forms of archives, written byte by byte: a library that writes archives would refuse what these hold.
enum ArchiveFormat: CaseIterable {
    case ustar, gnu, pax, zip, zipWithUTF8

    /// Whether libarchive turns names into their composed form.
    var composes: Bool { self == .pax || self == .zipWithUTF8 }

    var isTar: Bool { self != .zip && self != .zipWithUTF8 }

    var longestPath: Int { self == .ustar ? 99 : 3_000 }

    func canHold(_ kind: HostileArchive.Entry.Kind) -> Bool {
        switch self {
        case .ustar, .gnu, .pax: true
        case .zip, .zipWithUTF8: kind == .file || kind == .folder || kind == .symbolicLink
        }
    }

    func bytes(_ entries: [HostileArchive.Entry]) -> [UInt8] {
        switch self {
        case .zip, .zipWithUTF8: zip(entries)
        case .ustar, .gnu, .pax: entries.flatMap(tar) + [UInt8](repeating: 0, count: 1_024)
        }
    }

    // MARK: tar

    private func tar(_ entry: HostileArchive.Entry) -> [UInt8] {
        let type: Character =
            switch entry.kind {
            case .file: "0"
            case .hardLink: "1"
            case .symbolicLink: "2"
            case .device: "3"
            case .folder: "5"
            case .pipe: "6"
            }
        var before: [UInt8] = []
        if self == .pax {
            var length = entry.path.count + 7
            while "\(length)".utf8.count + entry.path.count + 7 != length { length += 1 }
            let record = Array("\(length) path=".utf8) + entry.path + [0x0A]
            before = header(Array("header".utf8), "x", record.count) + padded(record)
        } else if self == .gnu, entry.path.count > 99 {
            before = header(Array("././@LongLink".utf8), "L", entry.path.count + 1) + padded(entry.path + [0])
        }
        let name = self == .pax ? Array("short".utf8) : Array(entry.path.prefix(99))
        return before + header(name, type, entry.content.count, link: "/etc/passwd") + padded(entry.content)
    }

    private func header(_ name: [UInt8], _ type: Character, _ size: Int, link: String = "") -> [UInt8] {
        var block = [UInt8](repeating: 0, count: 512)
        func put(_ bytes: [UInt8], at place: Int) {
            block.replaceSubrange(place..<place + bytes.count, with: bytes)
        }
        func octal(_ number: Int, _ digits: Int) -> [UInt8] {
            let text = String(number, radix: 8)
            return Array((String(repeating: "0", count: digits - text.count) + text).utf8)
        }
        put(name, at: 0)
        for (place, digits) in [(100, 7), (108, 7), (116, 7)] { put(octal(0o644, digits), at: place) }
        put(octal(size, 11), at: 124)
        put(octal(0, 11), at: 136)
        put(Array(String(type).utf8), at: 156)
        if type == "1" || type == "2" { put(Array(link.utf8), at: 157) }
        put(Array((self == .gnu ? "ustar  " : "ustar\u{0}00").utf8), at: 257)
        put([UInt8](repeating: 0x20, count: 8), at: 148)
        put(octal(block.reduce(0) { $0 + Int($1) }, 6) + [0], at: 148)
        return block
    }

    private func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: (512 - bytes.count % 512) % 512)
    }

    // MARK: zip

    private func zip(_ entries: [HostileArchive.Entry]) -> [UInt8] {
        var (bytes, directory): ([UInt8], [UInt8]) = ([], [])
        for entry in entries {
            let content = entry.kind == .symbolicLink ? Array("/etc/passwd".utf8) : entry.content
            let mode =
                switch entry.kind {
                case .symbolicLink: 0o120777
                case .folder: 0o040755
                default: 0o100644
                }
            let flags = self == .zipWithUTF8 ? 1 << 11 : 0
            let common =
                little(flags, 2) + little(0, 2) + little(0, 4) + little(Int(crc32(content)), 4)
                + little(content.count, 4) + little(content.count, 4) + little(entry.path.count, 2) + little(0, 2)
            directory +=
                little(0x0201_4B50, 4) + little(3 << 8 | 20, 2) + little(20, 2) + common + little(0, 2)
                + little(0, 2)
                + little(0, 2) + little(mode << 16, 4) + little(bytes.count, 4) + entry.path
            bytes += little(0x0403_4B50, 4) + little(20, 2) + common + entry.path + content
        }
        return bytes + directory + little(0x0605_4B50, 4) + little(0, 4) + little(entries.count, 2)
            + little(entries.count, 2) + little(directory.count, 4) + little(bytes.count, 4) + little(0, 2)
    }

    private func little(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    private func crc32(_ bytes: [UInt8]) -> UInt32 {
        var crc = UInt32.max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }
}

/// The bytes, compressed once more.
func gzipped(_ bytes: [UInt8]) -> [UInt8] {
    guard let archive = archive_write_new(), let entry = archive_entry_new() else { return [] }
    defer {
        archive_entry_free(entry)
        archive_write_free(archive)
    }
    archive_write_set_format_raw(archive)
    archive_write_add_filter_gzip(archive)
    archive_write_set_bytes_per_block(archive, 0)
    var count = 0
    var packed = [UInt8](repeating: 0, count: bytes.count + 4_096)
    packed.withUnsafeMutableBytes { buffer in
        // The same bytes each time.
        archive_write_set_options(archive, "gzip:!timestamp")
        archive_write_open_memory(archive, buffer.baseAddress, buffer.count, &count)
        archive_entry_set_pathname(entry, "data")
        archive_entry_set_filetype(entry, 0o100_000)
        archive_write_header(archive, entry)
        archive_write_data(archive, bytes, bytes.count)
        archive_write_close(archive)
    }
    return Array(packed.prefix(count))
}
#endif
