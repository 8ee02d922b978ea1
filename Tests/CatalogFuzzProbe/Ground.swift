import Foundation
import Glibc

/// A tree of folders with files of a user's in them, and a store deep inside.
struct Ground {
    let root: String
    private let device: dev_t
    var store: String { root + "/home/user/.local/share/models" }
    var archive: String { root + "/home/user/archive" }

    init(_ root: String) throws {
        self.root = root
        var status = stat()
        guard stat(root.isEmpty ? "/" : root, &status) == 0 else { throw Mistake("there is no \(root)") }
        device = status.st_dev
        let folders = [
            "/etc", "/tmp", "/evil", "/home/user/.config/autostart", "/home/user/.local/share/models",
            "/home/user/.local/share/applications", "/home/user/.local/bin", "/home/other", "/a/b/c/d",
        ]
        for folder in folders {
            try FileManager.default.createDirectory(atPath: root + folder, withIntermediateDirectories: true)
        }
        for file in [
            "/etc/passwd", "/home/user/.bash_profile", "/home/user/.local/share/.profile", "/home/user/.local/file",
            "/home/user/.config/autostart/theirs.desktop", "/home/other/file", "/a/b/c/d/file", "/file",
        ] { try write(Array("precious".utf8), to: root + file) }
        try write([], to: archive)
    }

    func write(_ bytes: [UInt8], to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard file >= 0 else { throw Mistake("\(path) can't be written: \(errno)") }
        defer { close(file) }
        guard Glibc.write(file, bytes, bytes.count) == bytes.count else { throw Mistake("\(path) can't be written") }
    }

    /// Everything but the store: what it is, its size, its times and its bytes.
    func snapshot() throws -> [[UInt8]: String] {
        var found: [[UInt8]: String] = [:]
        let (own, input) = (Array(store.utf8), Array(archive.utf8))
        try walk(Array((root.isEmpty ? "/" : root).utf8)) { path, status in
            if path == own || path == input { return false }
            var text = "\(status.st_mode) \(status.st_ino) \(status.st_nlink)"
            // The folders of the store and of the archive change when those are renamed or made.
            if status.st_mode & S_IFMT == S_IFREG {
                text += " \(status.st_size) \(status.st_mtim.tv_sec) \(status.st_mtim.tv_nsec) \(try bytes(path))"
            }
            found[path] = text
            return true
        }
        return found
    }

    /// Throws when the store holds anything but files and folders, or what an attempt left behind.
    func checkStore() throws {
        let staging = Array((store + "/.staging/").utf8)
        try walk(Array(store.utf8)) { path, status in
            let kind = status.st_mode & S_IFMT
            guard kind == S_IFREG || kind == S_IFDIR else { throw Mistake("\(shown(path)) is no file") }
            guard status.st_mode & (S_ISUID | S_ISGID) == 0 else { throw Mistake("\(shown(path)) has odd rights") }
            if path.starts(with: staging), path.count > staging.count + "model".utf8.count {
                throw Mistake("\(shown(path)) was left behind")
            }
            return true
        }
    }

    /// The model's files by their paths; `nil` when it isn't installed.
    func model() throws -> [[UInt8]: [UInt8]]? {
        let place = Array((store + "/model").utf8)
        var status = stat()
        guard lstat(String(decoding: place, as: UTF8.self), &status) == 0 else { return nil }
        var found: [[UInt8]: [UInt8]] = [:]
        try walk(place) { path, status in
            guard status.st_mode & S_IFMT == S_IFREG else { return true }
            let name = Array(path.dropFirst(place.count + 1))
            if name != Array(".model.json".utf8) { found[name] = try bytes(path) }
            return true
        }
        return found
    }

    private func shown(_ path: [UInt8]) -> String { String(decoding: path, as: UTF8.self).debugDescription }

    private func bytes(_ path: [UInt8]) throws -> [UInt8] {
        let file = open(path.map(CChar.init(bitPattern:)) + [0], O_RDONLY | O_NOFOLLOW)
        guard file >= 0 else { throw Mistake("\(shown(path)) can't be read") }
        defer { close(file) }
        var block = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(file, &block, block.count)
        return Array(block.prefix(max(0, count)))
    }

    /// Calls the closure for a path and, as long as it answers `true`, for what is in it; follows no link, and stays on
    /// the file system of the ground.
    private func walk(_ path: [UInt8], _ visit: ([UInt8], stat) throws -> Bool) throws {
        var status = stat()
        let text = path.map(CChar.init(bitPattern:)) + [0]
        guard lstat(text, &status) == 0 else { return }
        guard status.st_dev == device, try visit(path, status), status.st_mode & S_IFMT == S_IFDIR else { return }
        guard let stream = opendir(text) else { throw Mistake("\(shown(path)) can't be listed") }
        defer { closedir(stream) }
        var children: [[UInt8]] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name != Array(".".utf8), name != Array("..".utf8) { children.append(name) }
        }
        for child in children { try walk((path == [0x2F] ? [] : path) + [0x2F] + child, visit) }
    }
}
