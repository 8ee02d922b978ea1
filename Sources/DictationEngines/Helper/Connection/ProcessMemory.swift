import DictationSystem

/// The memory of processes.
enum ProcessMemory {
    /// Returns the number of bytes that a process keeps in memory; `nil` if it has ended.
    static func residentBytes(of process: pid_t) -> Int64? {
        guard let file = try? OpenFile.reading("/proc/\(process)/statm"), let bytes = try? file.readAll() else {
            return nil
        }
        // The second number is the count of resident pages.
        let numbers = String(decoding: bytes, as: UTF8.self).split(separator: " ").prefix(2).compactMap { Int64($0) }
        return numbers.count == 2 ? numbers[1] * Int64(sysconf(Int32(_SC_PAGESIZE))) : nil
    }
}
