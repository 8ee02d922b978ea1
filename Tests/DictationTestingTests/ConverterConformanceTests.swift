import DictationCapture
import DictationCore
import DictationTesting
import Testing

@Suite struct ConverterConformanceTests {
    private static let few = [
        ConverterConformance.Conversion(from: AudioFormat(sampleRate: 44_100, channelCount: 2)),
        ConverterConformance.Conversion(from: AudioFormat(sampleRate: 11_025, sampleType: .float32)),
        ConverterConformance.Conversion(
            from: AudioFormat(sampleRate: 16_000, sampleType: .int24),
            to: AudioFormat(sampleRate: 16_000, channelCount: 2, sampleType: .float64)),
    ]

    @Test func soundConvertersConform() async {
        let report = await expectConformance(of: ConverterConformance(SpecimenConverters(), conversions: Self.few))
        #expect(report?.unchecked.isEmpty == true)
    }

    @Test(arguments: ConverterConformance.Clause.allCases) func aBrokenPromiseIsNamed(
        clause: ConverterConformance.Clause
    ) async throws {
        var suite = ConverterConformance(SpecimenConverters(clause), conversions: Self.few)
        if clause == .convertingComesBack {
            suite.responseTimeout = .milliseconds(100)
            suite.conversions.removeLast(2)
        }
        let report = try await suite.run()
        #expect(report.broken.contains(clause), "\(report)")
    }

    @Test func basicConvertersConform() async {
        let report = await expectConformance(
            of: ConverterConformance(BasicConverter.Provider(), conversions: ConverterConformance.Conversion.sameRate))
        #expect(report?.unchecked.isEmpty == true)
    }

    @Test func noConversionIsNoTest() async {
        await #expect(throws: DictationError.self) {
            try await ConverterConformance(BasicConverter.Provider(), conversions: []).run()
        }
    }
}
