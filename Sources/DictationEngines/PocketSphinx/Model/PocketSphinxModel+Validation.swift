public import DictationCore
import DictationSystem
import Synchronization

extension PocketSphinxModel {
    /// Reads every file of the model and checks that PocketSphinx can load it.
    ///
    /// PocketSphinx ends the process when some files are damaged. An engine therefore calls this before the first
    /// session, and again after a file has changed.
    ///
    /// - Throws: `DictationError` with the code `modelInvalid` when a file is damaged.
    public func validate() throws(DictationError) {
        let stamps = files.map { FileListing.stamp(of: $0) }
        if Self.checked.withLock({ $0[self] == stamps }) { return }
        let parameters = try SphinxParameters(
            String(
                decoding: try FileListing.contents(of: acousticModel + "/feat.params", limit: 100_000), as: UTF8.self))
        guard parameters == self.parameters else {
            throw DictationError(
                .modelInvalid, "The files of the model “\(name)” have changed.", recovery: "Look for models again."
            )
        }
        let definition = try SphinxDefinition(file: acousticModel + "/mdef")
        try checkGaussians(definition)
        try checkTransitions(definition)
        try SphinxDictionary(dictionary).check(phones: definition.phones, file: dictionary)
        let fillers = acousticModel + "/noisedict"
        if !FileListing.stamp(of: fillers).isEmpty {
            try SphinxDictionary(fillers).check(phones: definition.phones, file: fillers)
        }
        if let languageModel { try SphinxTrie(file: languageModel) }
        Self.checked.withLock { $0[self] = stamps }
    }

    private static let checked = Mutex<[PocketSphinxModel: [[Int64]]]>([:])

    private var files: [String] {
        let names = [
            "feat.params", "mdef", "means", "variances", "transition_matrices", "sendump", "mixture_weights",
            "noisedict",
            "feature_transform",
        ]
        return names.map { acousticModel + "/" + $0 } + [dictionary] + (languageModel.map { [$0] } ?? [])
    }

    private func damaged(_ what: String) -> DictationError {
        DictationError(
            .modelInvalid, "The acoustic model in “\(acousticModel)” is damaged: \(what).",
            recovery: "Install the model again.")
    }

    private func checkGaussians(_ definition: SphinxDefinition) throws(DictationError) {
        let means = try SphinxArrays(file: acousticModel + "/means", dimensionCount: 3, hasVectors: true)
        let variances = try SphinxArrays(file: acousticModel + "/variances", dimensionCount: 3, hasVectors: true)
        guard means.dimensions == variances.dimensions else {
            throw damaged("its means and variances don't belong together")
        }
        let books = means.dimensions[0]
        let streams = Array(means.dimensions[3...])
        guard means.dimensions[2] >= 1, streams == parameters.streamLengths else {
            throw damaged("its means have vectors of \(streams), but feat.params says \(parameters.streamLengths)")
        }
        guard FileListing.stamp(of: acousticModel + "/feature_transform").isEmpty else {
            throw damaged("it has a feature transform, which can't be checked")
        }
        if FileListing.isFile(acousticModel + "/sendump") {
            guard books == 1 || books == definition.phoneCount else {
                throw damaged("it has \(books) codebooks for \(definition.phoneCount) phones")
            }
            try SphinxWeights.check(
                file: acousticModel + "/sendump", streams: streams.count, densities: means.dimensions[2],
                senones: definition.senoneCount)
        } else {
            let weights = try SphinxArrays(
                file: acousticModel + "/mixture_weights", dimensionCount: 3, hasVectors: false)
            guard weights.dimensions == [definition.senoneCount, streams.count, means.dimensions[2]],
                [1, definition.phoneCount, definition.senoneCount].contains(books)
            else { throw damaged("its mixture weights don't belong to its means") }
        }
    }

    private func checkTransitions(_ definition: SphinxDefinition) throws(DictationError) {
        let matrices = try SphinxArrays(
            file: acousticModel + "/transition_matrices", dimensionCount: 3, hasVectors: false)
        let states = definition.stateCount
        guard matrices.dimensions == [definition.matrixCount, states, states + 1] else {
            throw matrices.damaged("it does not belong to the model's definition")
        }
        // A state may lead to itself, to the next state or to the one after. PocketSphinx ends the process when a state
        // leads elsewhere.
        for (index, value) in matrices.values.enumerated() {
            let from = index / (states + 1) % states
            let to = index % (states + 1)
            guard value >= 0, value == 0 || (from...(from + 2)).contains(to) else {
                throw matrices.damaged("a state leads to a state that it must not lead to")
            }
        }
    }
}

/// The mixture weights of an acoustic model in their compact form, `sendump`.
enum SphinxWeights {
    static func check(file: String, streams: Int, densities: Int, senones: Int) throws(DictationError) {
        var data = try SphinxBytes(file: file)
        if data.bytes.count >= 4, data.bytes[0] == 0 { data.isSwapped = true }
        var expected = ["feature_count": streams, "mixture_count": densities, "model_count": senones]
        var clusters = 0
        var bits = 8
        _ = try string(&data, shortest: 1)
        _ = try string(&data, shortest: 1)
        while let text = try string(&data, shortest: 0) {
            let words = text.split(separator: " ")
            guard words.count == 2, let number = Int(words[1]) else { continue }
            switch words[0] {
            case "cluster_count": clusters = number
            case "cluster_bits": bits = number
            default:
                if let right = expected.removeValue(forKey: String(words[0])), right != number {
                    throw data.damaged("its \(words[0]) is \(number), not \(right)")
                }
            }
        }
        guard [0, 15, 16].contains(clusters), [4, 8].contains(bits), clusters == 0 ? bits == 8 : true else {
            throw data.damaged("it has \(clusters) clusters of \(bits) bits")
        }
        var rows = densities
        var columns = senones
        if clusters == 0 {
            rows = try data.number(densities...densities, "the number of rows")
            columns = try data.number(senones...(senones + 65_536), "the number of columns")
        }
        let codebook = clusters == 15 ? 16 : clusters
        let step = bits == 4 ? (columns + 1) / 2 : columns
        try data.skip(codebook + streams * rows * step)
        guard data.left == 0 else { throw data.damaged("it is \(data.left) bytes too long") }
    }

    /// Reads a text and the length in front of it. Returns `nil` for the zero length that ends the list of texts.
    private static func string(_ data: inout SphinxBytes, shortest: Int) throws(DictationError) -> String? {
        let length = try data.number(shortest...999, "the length of a text")
        if length == 0 { return nil }
        let start = data.offset
        try data.skip(length)
        guard shortest == 0 || data.bytes[data.offset - 1] == 0 else { throw data.damaged("a text in it has no end") }
        return String(decoding: data.bytes[start..<data.offset].prefix { $0 != 0 }, as: UTF8.self)
    }
}
