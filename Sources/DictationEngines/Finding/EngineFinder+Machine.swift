public import DictationModels
import DictationSystem

extension EngineFinder {
    /// The memory of a machine, and the free space on the disk for models.
    public struct Machine: Sendable, Hashable {
        /// The size of the memory in bytes; `nil` if unknown.
        public var memoryByteCount: Int64?
        /// The free space on the disk for models in bytes; `nil` if unknown.
        public var freeByteCount: Int64?

        /// Creates a capacity.
        public init(memoryByteCount: Int64? = nil, freeByteCount: Int64? = nil) {
            self.memoryByteCount = memoryByteCount
            self.freeByteCount = freeByteCount
        }

        /// Returns the capacity of this machine for the models of a store.
        public static func current(store: ModelStore = .standard) -> EngineFinder.Machine {
            EngineFinder.Machine(
                memoryByteCount: systemMemoryByteCount,
                freeByteCount: store.folder.isEmpty ? nil : DictationSystem.freeByteCount(at: store.folder))
        }
    }
}
