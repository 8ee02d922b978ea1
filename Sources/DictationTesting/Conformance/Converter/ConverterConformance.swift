public import DictationCore

/// Tries the promises of `FormatConverter` on the converters that a provider makes.
///
///     let report = try await ConverterConformance(MyConverters()).run()
///     print(report)
public struct ConverterConformance: ConformanceSuite {
    /// What makes the converters.
    public var provider: any FormatConverterProvider
    /// The conversions that it must make.
    public var conversions: [Conversion]
    /// How long one conversion may take to be tried, in all.
    public var responseTimeout: Duration
    /// How far the sound may be from what it was, relative to full scale.
    public var tolerance: Decibels
    /// Where the ways of cutting the audio are drawn from.
    public var seed: UInt64

    /// Makes a suite for a provider.
    public init(
        _ provider: any FormatConverterProvider,
        conversions: [Conversion] = Conversion.sameRate + Conversion.toSpeech,
        responseTimeout: Duration = .seconds(30), tolerance: Decibels = Decibels(-40), seed: UInt64 = 1
    ) {
        self.provider = provider
        self.conversions = conversions
        self.responseTimeout = responseTimeout
        self.tolerance = tolerance
        self.seed = seed
    }

    /// Tries each promise on each conversion.
    public func run() async throws(DictationError) -> ConformanceReport<ConverterClause> {
        guard !conversions.isEmpty else {
            throw DictationError(
                .invalidInput, "The conformance suite was given no conversion.",
                recovery: "Give it those that the converters are for, such as Conversion.sameRate.")
        }
        for conversion in conversions { _ = (try conversion.input.validated(), try conversion.output.validated()) }
        let findings = Findings<ConverterClause>(responseTimeout: responseTimeout)
        for conversion in conversions {
            let check = ConverterCheck(suite: self, conversion: conversion, findings: findings)
            // Converting is plain code that blocks; a converter that hangs is left behind on a thread of its own.
            let work = Task(executorPreference: findings.runtime.blockingExecutor("conformance")) { check.run() }
            let limit = "\(conversion) to come back within \(responseTimeout)"
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
            findings.leave(.hostileSamplesAreHarmless, because: "no conversion takes floating point")
        }
        return findings.report(on: "\(type(of: provider))")
    }
}

extension AudioFormat.SampleType {
    var isFloatingPoint: Bool { self == .float32 || self == .float64 }
}
