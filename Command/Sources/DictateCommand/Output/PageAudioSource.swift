import DictationCore
import DictationText
import FoundationEssentials
import Glibc

/// How pages get the audio of recordings.
struct PageAudioSource: Sendable {
    /// The most bytes of all recordings together. Browsers give up on pages that are much larger, and all are in memory.
    private static let limit = 200 << 20

    /// Whether the audio is a part of the page.
    let isEmbedded: Bool

    /// Returns the audio of each recording for the pages of a plan, and `nil` for each in another format.
    func audio(of recordings: [String], in plan: PlannedOutput) throws(DictationError) -> [HTMLWriter.Audio?] {
        var all: [HTMLWriter.Audio?] = []
        var room = Self.limit
        for (index, recording) in recordings.enumerated() {
            let isPage = plan.format == .html
            all.append(isPage ? try audio(of: recording, for: plan.path(of: index, in: recordings), &room) : nil)
        }
        return all
    }

    /// Returns the audio of a recording for a page at a path, or for one on standard output.
    ///
    /// - Returns: `nil` for standard input, and for a file that can't be read, which is reported when it is transcribed.
    private func audio(
        of recording: String, for page: String?, _ room: inout Int
    ) throws(DictationError) -> HTMLWriter.Audio? {
        guard recording != "-", FileIdentity(path: recording)?.isRegular == true else { return nil }
        guard isEmbedded else {
            return .file(FilePath.relative(recording, toFolder: page.map { FilePath($0).folderToOpen } ?? "."))
        }
        var info = stat()
        guard stat(recording, &info) == 0, info.st_size <= room else {
            throw DictationError(
                .invalidInput,
                "“\(recording)” is too large to be a part of a page: the limit is 200 MB for all recordings.",
                recovery: "Omit --embed-audio. Then the page plays the file from its place.")
        }
        room -= info.st_size
        guard let data = try? Data(contentsOf: URL(filePath: recording)) else { return nil }
        return .embedded(data, type: HTMLWriter.Audio.mediaType(ofFileNamed: recording))
    }
}

extension FilePath {
    /// Returns a path from a folder to a file, such as `../talk.wav`. Follows links, as far as the folders exist.
    static func relative(_ path: String, toFolder folder: String) -> String {
        let (file, folder) = (absolute(path), absolute(folder))
        let common = zip(file, folder).prefix { $0 == $1 }.count
        let steps = Array(repeating: Array("..".utf8), count: folder.count - common) + file[common...]
        return String(decoding: Array(steps.joined(separator: [UInt8(ascii: "/")])), as: UTF8.self)
    }

    /// The parts of an absolute path.
    private static func absolute(_ path: String) -> [[UInt8]] {
        if let real = realpath(path, nil) {
            defer { free(real) }
            return parts(of: String(cString: real))
        }
        let isAbsolute = path.utf8.first == UInt8(ascii: "/")
        var all = isAbsolute ? [] : absolute("/proc/self/cwd")
        for part in parts(of: path) where part != Array(".".utf8) {
            if part == Array("..".utf8) { _ = all.popLast() } else { all.append(part) }
        }
        return all
    }

    private static func parts(of path: String) -> [[UInt8]] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { Array($0) }
    }
}
