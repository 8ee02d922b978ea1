import DictationCore

extension Transcript {
    /// What is missing from a transcript, and what its user can do; `nil` if nothing is.
    var complaint: String? {
        let away = length { [.unplugged, .suspended, .stalled].contains($0) }
        guard !isComplete else {
            return away > .zero ? "The microphone was away for \(Self.seconds(away)), so words may be missing." : nil
        }
        let advice = "Choose a quicker engine with --engine, or try --priority speed."
        let slow = length { $0 == .engineBehind }
        let lost = length { [.overrun, .engineFailed, .damaged, .notKept].contains($0) }
        if slow > .zero {
            let others = lost > .zero ? "; \(Self.seconds(lost)) more were lost for other reasons" : ""
            return "The engine was too slow and missed \(Self.seconds(slow)) of audio\(others). \(advice)"
        }
        if lost > .zero { return "\(Self.seconds(lost)) of audio were lost, so words may be missing." }
        return "The engine did not finish in time, so words may be missing. \(advice)"
    }

    private func length(of isCounted: (AudioGap.Cause) -> Bool) -> Duration {
        gaps.filter { isCounted($0.cause) }.reduce(.zero) { $0 + ($1.range.upperBound - $1.range.lowerBound) }
    }

    /// A length in tenths of a second, or in whole seconds if it is long.
    private static func seconds(_ length: Duration) -> String {
        let tenths = max(1, Int64((length / .milliseconds(100)).rounded()))
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10) s" : "\((tenths + 5) / 10) s"
    }
}
