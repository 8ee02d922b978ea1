import DictationCore

/// The checked parameters of an acoustic model's signal processing, from its `feat.params`.
///
/// PocketSphinx ends the process when some parameters are bad, so every parameter is checked before PocketSphinx gets
/// it.
struct SphinxParameters: Sendable, Hashable {
    /// The parameters as PocketSphinx's settings.
    private(set) var settings: [SphinxSetting] = []

    /// Reads the text of a `feat.params`.
    init(_ text: String) throws(DictationError) {
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
            if words.isEmpty || words[0].hasPrefix("#") { continue }
            guard words.count % 2 == 0 else {
                throw Self.error("line \(number + 1) is not made of names and values")
            }
            for index in stride(from: 0, to: words.count, by: 2) {
                try add(words[index], words[index + 1], line: number + 1)
            }
        }
        if let streams {
            // Each stream takes some of the feature's numbers, by index. PocketSphinx does not check the indexes.
            let largest = streams.split(whereSeparator: { "/,-".contains($0) }).compactMap { Int($0) }.max() ?? 0
            let width =
                featureType == "1s_c_d_ld_dd" ? 4 : featureType == "1s_c" ? 1 : featureType.hasSuffix("_d_dd") ? 3 : 2
            guard featureType.hasPrefix("1s_"), largest < width * cepstrumWidth else {
                throw Self.error("-svspec uses more numbers than -feat has")
            }
        }
        guard !["s2_4x", "s3_1x39"].contains(featureType) || cepstrumWidth == 13 else {
            throw Self.error("-feat \(featureType) needs -ncep 13")
        }
        guard cepstrumWidth <= filterCount else {
            throw Self.error("-ncep \(cepstrumWidth) is more than -nfilt \(filterCount)")
        }
        guard number("-lowerf", 133.33334) < number("-upperf", 6855.4976) else {
            throw Self.error("-lowerf is not below -upperf")
        }
        guard number("-upperf", 6855.4976) <= Double(sampleRate) / 2 else {
            throw Self.error("-upperf lies above half the sample rate of \(sampleRate) Hz")
        }
        guard Double(sampleRate) * number("-wlen", 0.025625) <= number("-nfft", 512) else {
            throw Self.error("-nfft is too small for the window of -wlen")
        }
    }

    /// The audio's rate, in hertz.
    var sampleRate: Int {
        let highest = number("-upperf", 6855.4976)
        return Int(number("-samprate", highest > 4_000 ? 16_000 : 8_000))
    }

    /// The number of values in a frame.
    var cepstrumWidth: Int { Int(number("-ncep", 13)) }
    private var filterCount: Int { Int(number("-nfilt", 40)) }

    /// The mean to begin with, before any speech.
    var initialMean: [Float] {
        let given = value("-cmninit")?.split(separator: ",").compactMap { Float($0) } ?? [8]
        let short = max(0, cepstrumWidth - given.count)
        return Array(given.prefix(cepstrumWidth)) + Array(repeating: 0, count: short)
    }

    /// The type of the features, such as `1s_c_d_dd`.
    var featureType: String { value("-feat") ?? "1s_c_d_dd" }
    /// How the features are split into streams; `nil` when they are not.
    var streams: String? { value("-svspec") }

    /// The lengths of the vectors in an acoustic model with these parameters.
    var streamLengths: [Int] {
        if let streams {
            // Not a path: the slashes separate the parts of a vector.
            return streams.split(separator: "/").map { stream in
                stream.split(separator: ",").reduce(0) { sum, part in
                    let ends = part.split(separator: "-").compactMap { Int($0) }
                    return sum + max(0, (ends.last ?? 0) - (ends.first ?? 0)) + 1
                }
            }
        }
        return switch featureType {
        case "s2_4x": [cepstrumWidth - 1, 2 * (cepstrumWidth - 1), 3, cepstrumWidth - 1]
        case "1s_c": [cepstrumWidth]
        case "1s_c_d", "1s_c_dd": [2 * cepstrumWidth]
        case "1s_c_d_ld_dd": [4 * cepstrumWidth]
        default: [3 * cepstrumWidth]
        }
    }

    private func value(_ name: String) -> String? { settings.last { $0.name == name }?.value }
    private func number(_ name: String, _ standard: Double) -> Double { value(name).flatMap(Double.init) ?? standard }

    // MARK: Checking

    fileprivate enum Rule {
        case number(ClosedRange<Double>)
        case whole(ClosedRange<Int>)
        case word(Set<String>)
        case numbers
        case streams
    }

    private static let truth = Rule.word(["yes", "no", "true", "false", "1", "0", "t", "f", "y", "n"])

    private static let rules: [String: Rule] = [
        "-samprate": .number(8_000...48_000), "-frate": .whole(100...100), "-wlen": .number(0.01...0.1),
        "-nfft": .word(["256", "512", "1024", "2048", "4096"]), "-nfilt": .whole(4...128),
        "-lowerf": .number(0...24_000), "-upperf": .number(100...24_000), "-ncep": .whole(2...64),
        "-alpha": .number(0...1), "-lifter": .whole(0...100), "-transform": .word(["legacy", "dct", "htk"]),
        "-feat": .word(["1s_c_d_dd", "s2_4x", "s3_1x39", "1s_c", "1s_c_d", "1s_c_dd", "1s_c_d_ld_dd"]),
        "-svspec": .streams, "-agc": .word(["none", "max", "emax", "noise"]),
        "-cmn": .word(["none", "batch", "current", "live", "prior"]), "-cmninit": .numbers, "-varnorm": truth,
        "-model": .word(["ptm", "semi", "cont"]), "-dither": truth, "-round_filters": truth, "-unit_area": truth,
        "-remove_dc": truth, "-remove_noise": truth, "-remove_silence": truth, "-doublebw": truth,
        "-smoothspec": truth, "-logspec": .word(["no"]), "-warp_type": .word(["inverse_linear", "inverse", "none"]),
        "-vad_threshold": .number(0...10), "-vad_prespeech": .whole(1...50), "-vad_startspeech": .whole(1...50),
        "-vad_postspeech": .whole(1...500),
    ]

    private mutating func add(_ name: String, _ value: String, line: Int) throws(DictationError) {
        guard name.hasPrefix("-"), name.utf8.count <= 40,
            name.utf8.dropFirst().allSatisfy({ (97...122).contains($0) || $0 == 95 })
        else { throw Self.error("line \(line) has a name that is not of the form “-nfilt”") }
        guard let rule = Self.rules[name] else {
            throw Self.error("line \(line) sets “\(name)”, which is not known to be safe")
        }
        guard rule.allows(value) else { throw Self.error("line \(line) gives \(name) an invalid value") }
        settings.append(SphinxSetting(name, value))
    }

    private static func error(_ what: String) -> DictationError {
        DictationError(.modelInvalid, "The model's feat.params is damaged: \(what).", recovery: "Install it again.")
    }
}

extension SphinxParameters.Rule {
    func allows(_ value: String) -> Bool {
        switch self {
        case .number(let range): Double(value).map(range.contains) ?? false
        case .whole(let range): Int(value).map(range.contains) ?? false
        case .word(let words): words.contains(value)
        case .numbers:
            value.utf8.count < 1_000
                && value.split(separator: ",", omittingEmptySubsequences: false).allSatisfy {
                    Float($0).map { $0.isFinite && abs($0) < 10_000 } ?? false
                }
        case .streams:
            value.utf8.count < 200
                // Not a path: the slashes separate the parts of a vector.
                && value.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { stream in
                    stream.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { part in
                        let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) ?? -1 }
                        return (1...2).contains(ends.count) && ends.allSatisfy { (0..<200).contains($0) }
                            && (ends.first ?? 0) <= (ends.last ?? 0)
                    }
                }
        }
    }
}

/// One of PocketSphinx's settings, such as `-maxhmmpf` with the value `3000`.
struct SphinxSetting: Sendable, Hashable {
    var name: String
    var value: String

    init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
