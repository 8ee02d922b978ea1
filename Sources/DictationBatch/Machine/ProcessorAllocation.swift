import DictationSystem

/// The number of cores that this process may use.
///
/// A scheduler gives a job some of a machine's cores, and does not always keep the job from using the others. The number
/// comes from the first of these that exists, and is never more than the process's affinity and the quota of its control
/// groups allow:
///
/// 1. `SLURM_CPUS_PER_TASK`
/// 2. `SLURM_CPUS_ON_NODE`
/// 3. `OMP_NUM_THREADS`, which Ray and others set
public struct ProcessorAllocation: Sendable, Hashable {
    /// The number of cores, at least 1.
    public let count: Int
    /// What the number comes from, such as `SLURM_CPUS_PER_TASK`.
    public let origin: String

    private static let variables = ["SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE", "OMP_NUM_THREADS"]

    /// The allocation of this process.
    public static var current: ProcessorAllocation {
        let values = variables.compactMap { name in getenv(name).map { (name, String(cString: $0)) } }
        return ProcessorAllocation(
            environment: Dictionary(uniqueKeysWithValues: values),
            affinity: affinity(below: "") ?? sysconf(Int32(_SC_NPROCESSORS_ONLN)),
            quota: quota(below: ""))
    }

    init(environment: [String: String], affinity: Int, quota: Double?) {
        // OpenMP allows a list, one number for each level.
        let named = Self.variables.lazy.compactMap { name -> (Int, String)? in
            guard let text = environment[name]?.split(separator: ",").first, let count = Int(text), count > 0 else {
                return nil
            }
            return (count, name)
        }.first
        let cores = quota.map { (max(1, Int($0)), "the quota of the control group") }
        let all = [named, (max(1, affinity), "the processor affinity"), cores].compactMap(\.self)
        (count, origin) = all.min { $0.0 < $1.0 } ?? (1, "")
    }

    /// Returns the number of cores in the process's affinity; `nil` if the kernel does not tell.
    static func affinity(below root: String) -> Int? {
        let name = "Cpus_allowed_list:"
        guard let line = text(root + "/proc/self/status")?.split(separator: "\n").first(where: { $0.hasPrefix(name) })
        else { return nil }
        var count = 0
        for part in line.dropFirst(name.count).split(separator: ",") {
            let ends = part.split { $0 == "-" || $0 == " " || $0 == "\t" }.compactMap { Int($0) }
            guard let first = ends.first, let last = ends.last, last >= first else { return nil }
            count += last - first + 1
        }
        return count
    }

    /// Returns the least quota of the process's control groups, in cores; `nil` if there is none.
    ///
    /// - Parameter root: A folder in place of the root of the file system.
    static func quota(below root: String) -> Double? {
        guard let groups = text(root + "/proc/self/cgroup") else { return nil }
        var quotas: [Double] = []
        for line in groups.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            let controllers = parts[1].split(separator: ",")
            guard controllers.isEmpty || controllers.contains("cpu") else { continue }
            let base = root + "/sys/fs/cgroup" + (controllers.isEmpty ? "" : "/" + parts[1])
            // Not a path: the kernel writes it, and what it names is only read.
            var names = parts[2].split(separator: "/")
            // A group above may have a smaller quota. In a container, the group's own path is not visible.
            while true {
                let folder = ([base] + names.map(String.init)).joined(separator: "/")
                quotas += [quota(inVersion2: folder), quota(inVersion1: folder)].compactMap(\.self)
                if names.popLast() == nil { break }
            }
        }
        return quotas.min()
    }

    private static func quota(inVersion2 folder: String) -> Double? {
        let numbers = (text(folder + "/cpu.max") ?? "").split { $0 == " " || $0 == "\n" }.map { Double($0) }
        guard numbers.count == 2, let quota = numbers[0], let period = numbers[1], quota > 0, period > 0 else {
            return nil
        }
        return quota / period
    }

    private static func quota(inVersion1 folder: String) -> Double? {
        func number(_ name: String) -> Double? {
            text(folder + "/" + name).flatMap { Double($0.prefix { $0 != "\n" }) }
        }
        guard let quota = number("cpu.cfs_quota_us"), let period = number("cpu.cfs_period_us"), quota > 0, period > 0
        else { return nil }
        return quota / period
    }

    private static func text(_ path: String) -> String? {
        (try? FileListing.contents(of: path, limit: 1 << 16)).map { String(decoding: $0, as: UTF8.self) }
    }
}
