public import DictationCore

/// Tries the promises of `AudioCapturer` on a capturer.
///
///     let report = try await CapturerConformance(MyCapturer()).run()
///     print(report)
///
/// The suite works with real devices and files, and with scripted capturers in ``VirtualTime``. A live capturer must be
/// able to record for a few seconds.
public struct CapturerConformance: ConformanceSuite {
    /// The capturer to test.
    public var capturer: any AudioCapturer
    /// The options for each start.
    public var options: CaptureOptions
    /// The time that the suite listens when it needs audio.
    public var listening: Duration
    /// The time limit for everything that should happen at once, including the first audio.
    public var responseTimeout: Duration
    /// The length of audio that may still be in the device at a stop.
    public var latency: Duration
    /// The time without a reader after which the capturer loses audio; `nil` skips this check.
    public var overflow: Duration?
    /// A capturer whose device disappears after a while and returns.
    public var troubled: (any AudioCapturer)?
    /// A capturer that fails after a while.
    public var failing: (any AudioCapturer)?
    /// A capturer without permission to record.
    public var denied: (any AudioCapturer)?

    /// Creates a suite for a capturer.
    public init(
        _ capturer: any AudioCapturer, options: CaptureOptions = CaptureOptions(),
        listening: Duration = .milliseconds(500), responseTimeout: Duration = .seconds(5),
        latency: Duration = .milliseconds(300), overflow: Duration? = nil, troubled: (any AudioCapturer)? = nil,
        failing: (any AudioCapturer)? = nil, denied: (any AudioCapturer)? = nil
    ) {
        self.capturer = capturer
        self.options = options
        self.listening = listening
        self.responseTimeout = responseTimeout
        self.latency = latency
        self.overflow = overflow
        self.troubled = troubled
        self.failing = failing
        self.denied = denied
    }

    /// Tries each promise on the capturer.
    public func run() async throws(DictationError) -> ConformanceReport<CapturerConformance.Clause> {
        let check = CapturerCheck(suite: self, findings: Findings(responseTimeout: responseTimeout))
        await check.run()
        return check.findings.report(on: "The capturer \(type(of: capturer))")
    }
}
