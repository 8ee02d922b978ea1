import DictationCore
import DictationSystem

/// A helper's work: it loads a model and decodes two seconds of noise.
///
/// Loading alone is not enough, because some damage inside a network shows only when it decodes audio.
struct TestDecoding: CheckedModel {
    let folder: String
    let layout: ModelLayout
    let files: [String]

    func outcome() -> HelperTrial.Outcome {
        limitMemory()
        do throws(DictationError) {
            if layout.isStreaming {
                try decodeStream()
            } else {
                _ = try OfflineRecognizer(self, SherpaOnnxOfflineEngine.Configuration()).text(of: Self.noise)
            }
            return .works
        } catch {
            return .refused
        }
    }

    private func decodeStream() throws(DictationError) {
        let recognizer = try Recognizer(
            self, layout.hasBeamSearch ? .beam : .greedy, SherpaOnnxEngine.Configuration())
        let stream = try recognizer.makeStream(hotwords: nil)
        Self.noise.withUnsafeBufferPointer { stream.accept($0) }
        stream.inputFinished()
        // Two seconds have fewer steps than this. The limit stops a model whose steps never end.
        for _ in 0..<1_000 where recognizer.isReady(stream) { recognizer.decode([stream.loan]) }
        _ = recognizer.tokens(of: stream, withConfidence: true)
    }

    /// Limits the memory of the helper to eight times the files' size plus 2 GB.
    ///
    /// A small file can ask for any amount of memory. Such a file fails here, so that the program never loads it.
    private func limitMemory() {
        let size = allFiles.reduce(Int64(0)) { sum, file in
            var info = stat()
            return stat(file, &info) == 0 ? sum + Int64(info.st_size) : sum
        }
        // The sixth number of `statm` is the number of data pages that the process already has.
        let statm = (try? OpenFile.reading("/proc/self/statm")?.readAll()) ?? []
        let numbers = String(decoding: statm, as: UTF8.self).split(separator: " ").compactMap { Int64($0) }
        guard numbers.count > 5 else { return }
        let limit = rlim_t(numbers[5] * Int64(sysconf(Int32(_SC_PAGESIZE))) + 2 << 30 + size * 8)
        var limits = rlimit(rlim_cur: limit, rlim_max: limit)
        setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limits)
    }

    private static var noise: [Float] {
        var random: UInt32 = 1
        return (0..<32_000).map { _ in
            random = random &* 1_664_525 &+ 1_013_904_223
            return Float(Int32(bitPattern: random)) / 2_147_483_648 * 0.1
        }
    }
}

extension HelperTrial {
    /// Does the helper's work.
    func perform() -> Outcome {
        do throws(DictationError) {
            SherpaOnnxLibrary.location = library.path
            let loaded = try SherpaOnnxLibrary.load()
            if let version = library.version, version != loaded.version {
                throw .unsupportedLibrary(library.path, version: loaded.version)
            }
        } catch {
            return .failed(error)
        }
        switch work {
        case nil: return .works
        case .model(let model):
            _ = HelperRestrictions.apply(reading: [model.folder] + model.files, memory: nil)
            return TestDecoding(folder: model.folder, layout: model.layout, files: model.files).outcome()
        case .detectors(let folder):
            let detectors = SherpaOnnxOfflineEngine.Detectors(folder: folder)
            _ = HelperRestrictions.apply(reading: detectors.files, memory: nil)
            return (try? detectors.load()) == nil ? .refused : .works
        }
    }
}
