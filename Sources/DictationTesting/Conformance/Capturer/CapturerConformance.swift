public import DictationCore

/// Tries the promises of `AudioCapturer` on a capturer.
///
///     let report = try await CapturerConformance(MyCapturer()).run()
///     print(report)
///
/// It works with real devices and files, and with scripted ones in `VirtualTime`. A live capturer must be able to go on
/// for a few seconds.
public struct CapturerConformance: ConformanceSuite {
    /// The capturer.
    public var capturer: any AudioCapturer
    /// What is asked of it.
    public var options: CaptureOptions
    /// How long the suite listens where it needs some audio.
    public var listening: Duration
    /// How long something may take that should happen at once, the first audio included.
    public var responseTimeout: Duration
    /// How much audio may still be in the device when it is stopped.
    public var latency: Duration
    /// How long nobody has to read until audio is lost; without it, that is not tried.
    public var overflow: Duration?
    /// A capturer whose device goes away after a while and comes back.
    public var troubled: (any AudioCapturer)?
    /// A capturer that after a while can't go on.
    public var failing: (any AudioCapturer)?
    /// A capturer that may not record.
    public var denied: (any AudioCapturer)?

    /// Makes a suite for a capturer.
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
    public func run() async throws(DictationError) -> ConformanceReport<CapturerClause> {
        let check = CapturerCheck(suite: self, findings: Findings(responseTimeout: responseTimeout))
        await check.run()
        return check.findings.report(on: "The capturer \(type(of: capturer))")
    }
}
