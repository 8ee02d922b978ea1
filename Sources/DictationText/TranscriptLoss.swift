public import DictationCore

extension Transcript {
    /// Describes the audio that has no text, with its times and causes; `nil` if nothing is missing.
    ///
    ///     "Audio without text: 0:03.0–0:15.4 (the engine failed)."
    ///
    /// Every surface says this sentence: an incomplete text looks like a complete one. The transcript's
    /// ``DictationCore/Transcript/error`` is not repeated.
    public var loss: String? {
        let losses = AudioLoss.all(in: self)
        if losses.isEmpty {
            return isComplete || error != nil ? nil : "The engine did not finish all audio, so words may be missing."
        }
        let most = 5
        var text = losses.prefix(most).map(\.description).joined(separator: ", ")
        if losses.count > most {
            let rest = losses.dropFirst(most).reduce(Duration.zero) { $0 + $1.length }
            text += ", and \(losses.count - most) more, \(rest.inTenths) s together"
        }
        return "Audio without text: \(text)."
    }
}

/// One piece of lost audio: gaps that touch and have the same cause.
private struct AudioLoss: CustomStringConvertible {
    var range: Range<Duration>
    let cause: AudioGap.Cause

    var length: Duration { range.upperBound - range.lowerBound }
    var description: String {
        "\(range.lowerBound.onClockInTenths)–\(range.upperBound.onClockInTenths) (\(cause.reason))"
    }

    static func all(in transcript: Transcript) -> [AudioLoss] {
        var losses: [AudioLoss] = []
        for gap in transcript.gaps.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) where !gap.range.isEmpty {
            if let last = losses.last, last.cause == gap.cause, gap.range.lowerBound <= last.range.upperBound {
                losses[losses.count - 1].range =
                    last.range.lowerBound..<max(last.range.upperBound, gap.range.upperBound)
            } else {
                losses.append(AudioLoss(range: gap.range, cause: gap.cause))
            }
        }
        return losses
    }
}

extension AudioGap.Cause {
    /// The cause, as a person reads it.
    fileprivate var reason: String {
        switch self {
        case .overrun: "the program was too slow to record it"
        case .suspended: "the machine or its sound server slept"
        case .unplugged: "the microphone was disconnected"
        case .stalled: "the microphone delivered nothing"
        case .engineBehind: "the engine was too slow"
        case .engineFailed: "the engine failed"
        case .damaged: "its file is damaged"
        case .notKept: "the disk did not keep it"
        }
    }
}

extension Duration {
    fileprivate var inTenths: String {
        let tenths = (milliseconds + 50) / 100
        return "\(tenths / 10).\(tenths % 10)"
    }

    fileprivate var onClockInTenths: String {
        let tenths = (milliseconds + 50) / 100
        return "\(Duration.milliseconds(tenths * 100).onClock).\(tenths % 10)"
    }
}
