#if SoundFile
import CDictationHelper
import DictationSystem

/// A program that reads the files that it gets and may do nothing else: it opens no connection and no other file but its
/// libraries, writes no file, and starts or disturbs no other process.
///
/// The kernel enforces it with the same means as for a helper, so far as it has them. A program that is a script can't
/// start the real one.
struct ConfinedProgram {
    /// The folders in which systems keep programs and libraries, and none of their users' files.
    private static let softwareFolders = [
        "/usr", "/bin", "/lib", "/lib32", "/lib64", "/opt", "/nix/store", "/gnu/store", "/home/linuxbrew/.linuxbrew",
        "/etc/ld.so.cache", "/etc/ld.so.preload",
    ]

    private let path: String
    private let arguments: [String]
    private let environment: [String]

    /// Describes a program.
    ///
    /// - Parameters:
    ///   - path: The program's path.
    ///   - arguments: The program's arguments; the first is its name.
    ///   - environment: The environment variables, each as `NAME=value`.
    init(_ path: String, _ arguments: [String], environment: [String]) {
        self.path = path
        self.arguments = arguments
        self.environment = environment
    }

    /// Starts the program in a process group of its own, with files as its descriptors from 1 on.
    func start(_ files: [Int32]) throws(SystemError) -> RunningProgram {
        let copies = try DescriptorCopies(of: files, from: files.count + 1)
        defer { withExtendedLifetime(copies) {} }
        let files = copies.numbers
        var process: Int32 = 0
        let code = withList(arguments) { arguments in
            withList(environment) { environment in
                withList(Self.softwareFolders + ownLibraries) { folders in
                    files.withUnsafeBufferPointer { files in
                        path.withCString { path in
                            var program = dictation_helper_program(
                                path: path, arguments: arguments, environment: environment, readable: folders,
                                files: files.baseAddress, file_count: Int32(files.count), memory: DecoderLimits.memory)
                            return dictation_helper_start(&program, &process)
                        }
                    }
                }
            }
        }
        guard code == 0 else { throw SystemError("posix_spawn", code: code) }
        return RunningProgram(process)
    }

    /// The folders of libraries that come with the program, and those that the user named for it.
    private var ownLibraries: [String] {
        let name = "LD_LIBRARY_PATH="
        let named = environment.first { $0.hasPrefix(name) }?.utf8.dropFirst(name.utf8.count)
        let folders = named?.split { $0 == 0x3A || $0 == 0x3B }.map { String(Substring($0)) } ?? []
        return folders.filter { PathBytes($0).isAbsolute } + [realFolder.map { $0 + "/../lib" }].compactMap(\.self)
    }

    /// The folder of the program's file, also if the path is a link to it.
    private var realFolder: String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return PathBytes(String(cString: real)).folder
    }
}

/// Calls a function with a list of texts that ends with a null pointer.
private func withList<Result>(
    _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
) -> Result {
    let copies = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    let pointers = copies.map { UnsafePointer($0) } + [nil]
    return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
}
#endif
