public import DictationCore

/// Tries the promises of `FormatConverter` on the converters that a provider makes.
///
///     let report = try await ConverterConformance(MyConverters()).run()
///     print(report)
public struct ConverterConformance: ConformanceSuite {
    /// The provider that makes the converters.
    public var provider: any FormatConverterProvider
    /// The conversions that the provider must support.
    public var conversions: [ConverterConformance.Conversion]
    /// The time limit for all tests of one conversion.
    public var responseTimeout: Duration
    /// The largest allowed difference between a sound and its conversion, relative to full scale.
    public var tolerance: Decibels
    /// The seed for the random sizes of buffers.
    public var seed: UInt64

    /// Creates a suite for a provider.
    public init(
        _ provider: any FormatConverterProvider,
        conversions: [ConverterConformance.Conversion] = ConverterConformance.Conversion.sameRate
            + ConverterConformance.Conversion.toSpeech,
        responseTimeout: Duration = .seconds(30), tolerance: Decibels = Decibels(-40), seed: UInt64 = 1
    ) {
        self.provider = provider
        self.conversions = conversions
        self.responseTimeout = responseTimeout
        self.tolerance = tolerance
        self.seed = seed
    }

    /// Tries each promise on each conversion.
    public func run() async throws(DictationError) -> ConformanceReport<ConverterConformance.Clause> {
        guard !conversions.isEmpty else {
            throw DictationError(
                .invalidInput, "The conformance suite has no conversions.",
                recovery: "Pass the conversions that the provider supports, such as Conversion.sameRate.")
        }
        for conversion in conversions { _ = (try conversion.input.validated(), try conversion.output.validated()) }
        let findings = Findings<ConverterConformance.Clause>(responseTimeout: responseTimeout)
        for conversion in conversions {
            let check = ConverterCheck(suite: self, conversion: conversion, findings: findings)
            // A converter that hangs blocks its thread, so each conversion has its own.
            let work = Task(executorPreference: findings.runtime.blockingExecutor("conformance")) { check.run() }
            let limit = "\(conversion) to return within \(responseTimeout)"
            let isDone = await findings.runtime.within(responseTimeout) {
                await work.value
                return true
            }
            findings.expect(.convertingComesBack, isDone == true, limit, saw: "that it did not")
        }
        if !conversions.contains(where: { $0.input.channelCount != $0.output.channelCount }) {
            findings.leave(.channelsAreKept, because: "no conversion changes the number of channels")
        }
        if !conversions.contains(where: { $0.input.sampleType.isFloatingPoint }) {
            findings.leave(.hostileSamplesAreHarmless, because: "no conversion has floating-point input")
        }
        return findings.report(on: "\(type(of: provider))")
    }
}

extension AudioFormat.SampleType {
    var isFloatingPoint: Bool { self == .float32 || self == .float64 }
}
