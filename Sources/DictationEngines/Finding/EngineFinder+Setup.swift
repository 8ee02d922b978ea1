public import DictationCore

extension EngineFinder {
    /// What to install for the best engine of a locale on a machine. An ``EngineFinder`` returns it.
    ///
    /// A setup downloads and changes nothing. A first-run window shows it, asks the user once, and installs the missing parts
    /// in their order:
    ///
    ///     let inventory = ScriptedAssetInventory([ScriptedAssetInventory.Asset(english)])
    ///     let finder = EngineFinder(
    ///         options: .liveDictation("en-US"), candidates: [EngineCandidate("scripted", models: [])], inventory: inventory)
    ///     let setup = try await finder.setup()
    ///     for part in setup.missing { try await inventory.installation(of: part.id)?.install() }
    public struct Setup: Sendable, Hashable {
        /// The locale to recognize.
        public let locale: SpeechLocale
        /// The best engine for the locale on the machine.
        public let engine: EngineID
        /// The name of the installed model that the engine uses; `nil` if a model is missing.
        public let model: String?
        /// The engine's library and model, in the order of their installation. Leaves out those that did not come from the
        /// inventory.
        public let parts: [Part]
        /// The reasons why better engines or models were not chosen.
        public let failures: [EngineFinder.Failure]
        /// The setups of other models that are known to have at most half of the missing model's size, the best first.
        public internal(set) var smaller: [EngineFinder.Setup]

        /// A library or a model of a setup.
        public struct Part: Sendable, Hashable, Identifiable {
            /// The library or model.
            public let asset: ModelAsset
            /// Whether it is installed.
            public let isInstalled: Bool
            /// What its installation would download.
            public let download: ModelAsset.Download

            /// The number of bytes that are still to download. If only the installed size is known, this is that size, which
            /// a download exceeds rarely; `nil` if neither is known.
            public var estimatedDownloadByteCount: Int64? { download.remainingByteCount ?? asset.byteCount }

            /// The name of the asset.
            public var id: ModelAsset.ID { asset.id }

            /// Creates a part.
            public init(
                _ asset: ModelAsset, isInstalled: Bool = false, download: ModelAsset.Download = ModelAsset.Download()
            ) {
                self.asset = asset
                self.isInstalled = isInstalled
                self.download = download
            }
        }

        /// Creates a setup.
        public init(
            locale: SpeechLocale, engine: EngineID, model: String? = nil, parts: [Part],
            failures: [EngineFinder.Failure] = [],
            smaller: [EngineFinder.Setup] = []
        ) {
            self.locale = locale
            self.engine = engine
            self.model = model
            self.parts = parts
            self.failures = failures
            self.smaller = smaller
        }

        /// The parts to install, in order.
        public var missing: [Part] { parts.filter { !$0.isInstalled } }

        /// Whether the engine is ready to use.
        public var isComplete: Bool { missing.isEmpty }

        /// The missing parts without known hashes. Their installation needs the user's consent.
        public var unpinned: [Part] { missing.filter { !$0.asset.isPinned } }

        /// The system packages that the user must install first, such as `python3-pip`.
        public var packages: [String] { Set(missing.compactMap(\.download.package)).sorted() }

        /// The number of bytes that are still to download; `nil` if unknown.
        public var downloadByteCount: Int64? { .sum(missing.map(\.download.remainingByteCount)) }

        /// An estimate of the number of bytes that are still to download, also where only the installed size of a part is known;
        /// `nil` if neither is known.
        public var estimatedDownloadByteCount: Int64? { .sum(missing.map(\.estimatedDownloadByteCount)) }

        /// The size of the missing parts when installed; `nil` if unknown.
        public var installedByteCount: Int64? { .sum(missing.map(\.asset.byteCount)) }

        /// The free space that the installation needs at most, because a download stays until its files are installed;
        /// `nil` if unknown.
        public var requiredFreeByteCount: Int64? { .sum([downloadByteCount, installedByteCount]) }

        /// An estimate of the memory that the engine needs; `nil` if unknown.
        ///
        /// An engine needs about twice the size of its model, and 100 MB besides.
        public var memoryByteCount: Int64? {
            let models = parts.filter { $0.asset.kind == .model }.map(\.asset.byteCount)
            return models.isEmpty ? nil : .sum(models + models + [100 << 20])
        }

        /// Returns what a machine lacks for this setup. An unknown size counts as sufficient.
        public func shortages(on machine: EngineFinder.Machine) -> [Shortage] {
            guard !isComplete else { return [] }
            return [
                Shortage(.memory, needed: memoryByteCount, available: machine.memoryByteCount),
                Shortage(.disk, needed: requiredFreeByteCount, available: machine.freeByteCount),
            ].compactMap(\.self)
        }

        /// Too little memory or disk space.
        public struct Shortage: Sendable, Hashable, CustomStringConvertible {
            /// The kinds of shortages.
            @nonexhaustive public enum Kind: Sendable, Hashable {
                /// The machine's memory.
                case memory
                /// The free space on the disk for models.
                case disk
            }

            /// What is too small.
            public let kind: Kind
            /// The number of bytes that the setup needs.
            public let needed: Int64
            /// The number of bytes that the machine has.
            public let available: Int64

            init?(_ kind: Kind, needed: Int64?, available: Int64?) {
                guard let needed, let available, needed > available else { return nil }
                (self.kind, self.needed, self.available) = (kind, needed, available)
            }

            /// The shortage as a sentence in English.
            public var description: String {
                let (needed, available) = (needed / 1_000_000 + 1, available / 1_000_000)
                return switch kind {
                case .memory: "The engine needs about \(needed) MB of memory, but this machine has \(available) MB."
                case .disk: "The installation needs \(needed) MB on the disk, but only \(available) MB are free."
                }
            }
        }
    }
}
