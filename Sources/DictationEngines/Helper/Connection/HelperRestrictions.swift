import CDictationHelper
import DictationCore
import DictationSystem

/// What a helper can't do, once it has its libraries.
enum HelperRestrictions {
    /// The files that the C libraries read to know the processors, the memory and the time. The C code adds the
    /// process's own folder in `/proc`.
    private static let systemFiles = [
        "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system", "/sys/fs/cgroup", "/dev/null", "/dev/urandom",
        "/etc/localtime", "/usr/share/zoneinfo",
    ]
    /// The addresses that a process needs besides its memory, for the stacks of threads and for unused reserves.
    private static let spareAddresses: Int64 = 4 << 30

    /// The restrictions that helpers have on this machine.
    static var available: Set<EngineCapabilities.Restriction> { named(dictation_helper_restrictions()) }

    /// Restricts this process forever. Call it before the process starts a thread.
    ///
    /// - Parameters:
    ///   - paths: The files to read, and the folders whose files to read.
    ///   - memory: The limit of the memory; `nil` for the memory of the machine.
    /// - Returns: The restrictions that now hold for every thread.
    static func apply(reading paths: [String], memory: Int64?) -> Set<EngineCapabilities.Restriction> {
        let limit = (memory ?? systemMemoryByteCount ?? 1 << 40).addingReportingOverflow(spareAddresses)
        let size = limit.overflow ? UInt64.max : UInt64(max(0, limit.partialValue))
        let readable = (paths.flatMap { [$0] + linkedFiles(in: $0, depth: 2) } + systemFiles).map { strdup($0) }
        defer { for path in readable { free(path) } }
        let pointers = readable.map { UnsafePointer($0) } + [nil]
        return named(pointers.withUnsafeBufferPointer { dictation_helper_restrict($0.baseAddress, size) })
    }

    /// Returns the targets of the links in a folder, which may lie elsewhere.
    private static func linkedFiles(in folder: String, depth: Int) -> [String] {
        guard depth > 0, let names = try? FileListing.names(in: folder) else { return [] }
        return names.map { folder + "/" + $0 }.flatMap { path in
            var status = stat()
            guard lstat(path, &status) == 0 else { return [String]() }
            if status.st_mode & S_IFMT == S_IFLNK { return [path] }
            return status.st_mode & S_IFMT == S_IFDIR ? linkedFiles(in: path, depth: depth - 1) : []
        }
    }

    private static func named(_ bits: Int32) -> Set<EngineCapabilities.Restriction> {
        let known: [(Int, EngineCapabilities.Restriction)] = [
            (dictation_helper_no_new_privileges, .noNewPrivileges), (dictation_helper_no_network, .noNetwork),
            (dictation_helper_no_programs, .noPrograms), (dictation_helper_no_other_files, .noOtherFiles),
            (dictation_helper_limited_memory, .limitedMemory),
        ]
        // A helper turns core files off when it starts.
        return Set(known.filter { Int(bits) & $0.0 != 0 }.map(\.1) + [.noCoreFiles])
    }
}
