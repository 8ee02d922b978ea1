#if SherpaOnnx
    import DictationCore
    import Glibc

    /// A model whose files are tried before they are loaded.
    protocol TriedModel: Sendable {
        var folder: String { get }
        /// What the helper process loads it as.
        var kind: String { get }
        /// The files in the order in which the helper takes them.
        var files: [String] { get }
    }

    extension SherpaOnnxModel: TriedModel {
        var kind: String { "transducer" }
        var files: [String] { [encoder, decoder, joiner, tokens] }
    }

    extension SherpaOnnxOfflineModel: TriedModel {
        var kind: String { "moonshine" }
        var files: [String] { [encoder, decoder, tokens] }
    }

    extension SherpaOnnxConfiguration {
        /// Tries a model, unless it is known to work.
        func tryOut(_ model: any TriedModel) throws(DictationError) {
            if modelTrial == .whenNew { try DictationEngines.ModelTrial(model: model).run() }
        }
    }

    /// Tries a model in a helper process, once for each version of its files.
    ///
    /// The C library ends the process on some damaged files: it doesn't catch what ONNX Runtime throws. No check of the
    /// files foresees all of that, so a model has to have worked once in a process that may die.
    struct ModelTrial: Sendable {
        let model: any TriedModel
        /// The longest that a model may take to load and to decode two seconds.
        var limit = Duration.seconds(120)
        /// Where it is remembered which models work.
        var memory: String? = Self.defaultMemory
        /// More for the helper's environment.
        var environment: [String: String] = [:]

        private static let prefix = "SWIFT_DICTATION_SHERPA_TRIAL"

        /// Throws when the model does not work; blocks until that is known.
        func run() throws(DictationError) {
            let fingerprint = fingerprint
            if let fingerprint, isRemembered(fingerprint) { return }
            var environment = environment
            environment[Self.prefix] = model.kind
            for (index, file) in model.files.enumerated() { environment["\(Self.prefix)_\(index)"] = file }
            switch try HelperProcess.run(environment, within: limit) {
            case .late:
                throw invalid("it was not done with two seconds of audio after \(limit)", signal: nil, "")
            case .ended(let signal, let output):
                try judge(output, signal)
            }
            if let fingerprint { remember(fingerprint) }
        }

        private func judge(_ output: String, _ signal: Int32?) throws(DictationError) {
            let verdict = output.split(separator: "\n").last { $0.hasPrefix("sherpa-onnx-trial:") }
            let parts = verdict?.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false) ?? []
            switch parts.dropFirst().first {
            // What goes wrong inside a network that hears whole stretches is printed, and the text left empty.
            case "works" where output.contains("Caught exception"):
                throw invalid("it fails when it hears audio", signal: signal, output)
            case "works": return
            case "version": try SherpaOnnxLibrary.check(loaded: parts.last.map(String.init) ?? "unknown")
            case "refused": throw invalid("sherpa-onnx can't load it", signal: signal, output)
            default: throw invalid("it ended the process that tried it", signal: signal, output)
            }
        }

        private func invalid(_ reason: String, signal: Int32?, _ output: String) -> DictationError {
            let said = output.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }
            let telling =
                said.last { $0.contains("what()") } ?? said.last { !$0.isEmpty && !$0.hasPrefix("sherpa-onnx-trial") }
            return DictationError(
                .modelInvalid, "The model in \(model.folder) does not work: \(reason).",
                recovery: "Install the model again, all its files from one source.",
                underlying: .init(
                    domain: "sherpa-onnx", code: Int(signal ?? 0), message: telling.map { String($0.prefix(500)) }))
        }

        // MARK: Remembering

        private static var defaultMemory: String? {
            func folder(_ variable: String) -> String? {
                getenv(variable).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
            }
            return (folder("XDG_CACHE_HOME") ?? folder("HOME").map { $0 + "/.cache" })
                .map { $0 + "/swift-dictation/sherpa-onnx" }
        }

        /// What tells these files from any others, also from what was at the same paths before.
        var fingerprint: String? {
            var parts = [SherpaOnnxLibrary.loadedVersion]
            for path in model.files {
                let stamp = FileListing.stamp(of: path)
                guard !stamp.isEmpty else { return nil }
                parts.append(stamp.map(String.init).joined(separator: "."))
            }
            return parts.joined(separator: "_")
        }

        /// The fingerprint is a file's target, so that it is there whole or not at all.
        private func file(_ fingerprint: String) -> String? {
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325
            for byte in fingerprint.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            return memory.map { "\($0)/works-\(String(hash, radix: 16))" }
        }

        private func isRemembered(_ fingerprint: String) -> Bool {
            guard let file = file(fingerprint) else { return false }
            var target = [UInt8](repeating: 0, count: 4_096)
            let count = target.withUnsafeMutableBytes { bytes in
                bytes.withMemoryRebound(to: CChar.self) { text in
                    text.baseAddress.map { readlink(file, $0, text.count) } ?? -1
                }
            }
            return count > 0 && String(decoding: target[..<count], as: UTF8.self) == fingerprint
        }

        private func remember(_ fingerprint: String) {
            // Where it can't be remembered, the trial is made again next time.
            guard let memory, let file = file(fingerprint) else { return }
            var path = ""
            for part in memory.split(separator: "/") {
                path += "/" + part
                mkdir(path, 0o755)
            }
            unlink(file)
            symlink(fingerprint, file)
        }
    }
#endif
