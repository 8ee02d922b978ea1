import Foundation
import TestSupport
import Testing

@testable import DictationBatch

struct ProcessorAllocationTests {
    @Test(
        arguments: [
            ([:], 8, nil, 8), (["SLURM_CPUS_PER_TASK": "3"], 8, nil, 3),
            (["SLURM_CPUS_PER_TASK": "3", "SLURM_CPUS_ON_NODE": "6", "OMP_NUM_THREADS": "1"], 8, nil, 3),
            (["SLURM_CPUS_ON_NODE": "6", "OMP_NUM_THREADS": "1"], 8, nil, 6), (["OMP_NUM_THREADS": "4,2"], 8, nil, 4),
            // Never more than the system gives.
            (["SLURM_CPUS_PER_TASK": "64"], 8, nil, 8), (["OMP_NUM_THREADS": "64"], 8, 2.5, 2), ([:], 8, 0.5, 1),
            (["SLURM_CPUS_PER_TASK": "0"], 2, nil, 2),
            (["OMP_NUM_THREADS": "many", "SLURM_CPUS_PER_TASK": ""], 2, nil, 2),
            (["SLURM_CPUS_ON_NODE": "-4"], 0, nil, 1),
        ] as [([String: String], Int, Double?, Int)])
    func theAllocationIsNeverExceeded(environment: [String: String], affinity: Int, quota: Double?, count: Int) {
        #expect(ProcessorAllocation(environment: environment, affinity: affinity, quota: quota).count == count)
    }

    @Test func theQuotaOfAGroupAboveCounts() throws {
        let root = try TemporaryFolder()
        #expect(ProcessorAllocation.quota(below: root.path) == nil)
        for folder in ["proc/self", "sys/fs/cgroup/job/step"] { try makeFolder(root.file(folder)) }
        _ = try root.write(Array("0::/job/step\n".utf8), to: "proc/self/cgroup")
        _ = try root.write(Array("max 100000\n".utf8), to: "sys/fs/cgroup/job/step/cpu.max")
        #expect(ProcessorAllocation.quota(below: root.path) == nil)
        _ = try root.write(Array("250000 100000\n".utf8), to: "sys/fs/cgroup/job/cpu.max")
        #expect(ProcessorAllocation.quota(below: root.path) == 2.5)
    }

    @Test func theOlderControlGroupsCountToo() throws {
        let root = try TemporaryFolder()
        for folder in ["proc/self", "sys/fs/cgroup/cpu,cpuacct/job"] { try makeFolder(root.file(folder)) }
        _ = try root.write(Array("4:memory:/other\n3:cpu,cpuacct:/job\n".utf8), to: "proc/self/cgroup")
        _ = try root.write(Array("150000\n".utf8), to: "sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us")
        _ = try root.write(Array("100000\n".utf8), to: "sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us")
        #expect(ProcessorAllocation.quota(below: root.path) == 1.5)
    }

    @Test(arguments: [("0-3,8", 5), ("0", 1), ("1,3,5-6", 4)])
    func theAffinityIsAListOfCores(list: String, count: Int) throws {
        let root = try TemporaryFolder()
        try makeFolder(root.file("proc/self"))
        _ = try root.write(Array("Name:\tx\nCpus_allowed_list:\t\(list)\nMems:\t0\n".utf8), to: "proc/self/status")
        #expect(ProcessorAllocation.affinity(below: root.path) == count)
    }

    @Test func thisProcessHasACore() { #expect(ProcessorAllocation.current.count >= 1) }
}
