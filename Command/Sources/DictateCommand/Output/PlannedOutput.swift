import DictationText

/// A format, and where its documents go.
struct PlannedOutput: Sendable, Hashable {
    let format: OutputFormat
    let destination: Destination

    /// Whether nothing in it shows that one of some recordings has no words.
    func hidesSilence(of count: Int = 1) -> Bool {
        (destination == .standardOutput || count > 1 && !destination.isSeparate) && !format.reportsFailures
    }

    /// Interprets `--output` and each `--format` for recordings, or for a microphone.
    static func plan(
        _ path: String?, _ formats: [OutputFormat], sources: [String], areRecordings: Bool
    ) throws(UsageError) -> [PlannedOutput] {
        guard formats.count > 1 else {
            let format = formats.first ?? .text
            let destination = try Destination(path, sources: sources.count, format: format)
            return [PlannedOutput(format: format, destination: destination)]
        }
        guard let path else {
            guard areRecordings, !sources.contains("-") else {
                throw UsageError(
                    "Standard output takes only one format: give --output, to which each format adds its ending.",
                    command: "transcribe")
            }
            return formats.map { PlannedOutput(format: $0, destination: .besideRecordings) }
        }
        guard path != "-" else {
            throw UsageError(
                "Standard output takes only one format: give another --output, to which each format adds its ending.",
                command: "transcribe")
        }
        // `--output talk.srt` for SubRip and a page means talk.srt and talk.html.
        let base = formats.contains { FilePath(path).hasEnding($0.ending) } ? FilePath(path).withoutEnding : path
        let isFolder = Destination.isFolder(path)
        var plan: [PlannedOutput] = []
        for format in formats {
            let place = isFolder ? path : base + "." + format.ending
            let destination = try Destination(
                place, sources: sources.count, format: format, writtenAs: path)
            plan.append(PlannedOutput(format: format, destination: destination))
        }
        return plan
    }

    /// The path of the document of a recording; `nil` for standard output.
    func path(of index: Int, in sources: [String]) -> String? {
        let paths = destination.paths(for: sources, format: format)
        return paths.count == 1 ? paths[0] : paths.indices.contains(index) ? paths[index] : nil
    }
}
