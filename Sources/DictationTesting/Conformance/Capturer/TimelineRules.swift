import DictationCore

/// Checks the promises that show in a stream's events alone.
struct TimelineRules {
    let findings: Findings<CapturerConformance.Clause>

    func judge(_ events: [CaptureEvent]) {
        var timeline = AudioTimeline()
        var format: AudioFormat?
        var isFirst = true
        for event in events {
            switch event {
            case .buffer(let buffer):
                let isWhole = !buffer.isEmpty && Self.isValid(buffer.format)
                findings.expect(
                    .buffersAreWhole, isWhole, "a buffer with frames in a valid format",
                    saw: "\(buffer.frameCount) frames of \(buffer.format)")
                guard isWhole else { continue }
                format = buffer.format
                let expected = timeline.advance(by: Int64(buffer.frameCount), of: buffer.format)
                judge(buffer.start..<max(buffer.start, buffer.end), expected, isFirst, buffer.format, "a buffer")
                isFirst = false
            case .gap(let gap):
                // A gap before the first audio has the rate of that audio.
                guard let rate = format ?? Self.nextFormat(in: events) else { continue }
                let length = rate.duration(ofFrames: gap.frameCount)
                let lasts = gap.range.upperBound - gap.range.lowerBound
                findings.expect(
                    .gapsAreCounted, gap.frameCount > 0 && Self.isNear(length, lasts, slack(rate) * 2),
                    "a gap as long as its frames, \(length)", saw: "\(gap)")
                let expected = timeline.advance(by: gap.frameCount, of: rate)
                judge(gap.range, expected, isFirst, rate, "a gap")
                isFirst = false
            case .interrupted, .resumed, .routeChanged: break
            }
        }
    }

    private func judge(
        _ range: Range<Duration>, _ expected: Range<Duration>, _ isFirst: Bool, _ format: AudioFormat, _ what: String
    ) {
        let slack = slack(format)
        if isFirst {
            findings.expect(
                .timesBeginAtZero, Self.isNear(range.lowerBound, .zero, slack), "the first event, \(what), at zero",
                saw: "\(range.lowerBound)")
        } else {
            findings.expect(
                .timelineIsContiguous, Self.isNear(range.lowerBound, expected.lowerBound, slack),
                "\(what) at \(expected.lowerBound), the end of the previous event", saw: "\(range.lowerBound)")
        }
        // A clock drifts from the count of frames by more than rounding does.
        findings.expect(
            .timesAreCountedInFrames, Self.isNear(range.lowerBound, expected.lowerBound, .microseconds(1)),
            "\(what) at \(expected.lowerBound), counted in frames", saw: "\(range.lowerBound)")
    }

    private func slack(_ format: AudioFormat) -> Duration { format.duration(ofFrames: 1) / 2 }

    private static func isNear(_ a: Duration, _ b: Duration, _ slack: Duration) -> Bool {
        a >= b - slack && a <= b + slack
    }

    private static func isValid(_ format: AudioFormat) -> Bool {
        AudioFormat.sampleRates.contains(format.sampleRate) && AudioFormat.channelCounts.contains(format.channelCount)
    }

    private static func nextFormat(in events: [CaptureEvent]) -> AudioFormat? {
        for case .buffer(let buffer) in events { return buffer.format }
        return nil
    }
}

typealias CaptureReader = StreamReader<CaptureStream>

extension CaptureReader.Log {
    /// The end of the timeline.
    var position: Duration {
        elements.reduce(.zero) { position, event in
            switch event {
            case .buffer(let buffer): max(position, buffer.end)
            case .gap(let gap): max(position, gap.range.upperBound)
            case .interrupted, .resumed, .routeChanged: position
            }
        }
    }

    var buffers: [AudioBuffer] { elements.compactMap { if case .buffer(let buffer) = $0 { buffer } else { nil } } }
    var gaps: [AudioGap] { elements.compactMap { if case .gap(let gap) = $0 { gap } else { nil } } }
    var hasAudio: Bool { elements.contains { if case .buffer = $0 { true } else { false } } }
}
