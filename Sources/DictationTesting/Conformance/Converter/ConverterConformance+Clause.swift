extension ConverterConformance {
    /// The promises of `FormatConverter` and `FormatConverterProvider`.
    public enum Clause: String, ConformanceClause {
        /// The provider makes every converter.
        case conversionsAreMade
        /// Invalid formats throw.
        case senselessFormatThrows
        /// The converter has the requested formats.
        case formatsAreTruthful
        /// The sizes of buffers make no difference.
        case chunkingChangesNothing
        /// The number of output frames is right.
        case framesAreAccountedFor
        /// Times follow from frames.
        case timesFollowFrames
        /// Buffers in another format throw.
        case wrongFormatThrows
        /// `flush()` resets the converter.
        case flushLeavesAsNew
        /// Empty buffers make no difference.
        case emptyBuffersChangeNothing
        /// The sound stays the same.
        case soundIsKept
        /// No channel is lost.
        case channelsAreKept
        /// Invalid samples do not affect later sound.
        case hostileSamplesAreHarmless
        /// Converters don't affect each other.
        case convertersAreIndependent
        /// Every call returns.
        case convertingComesBack

        /// The promise in one sentence.
        public var statement: String {
            switch self {
            case .conversionsAreMade: "makeConverter(from:to:) makes a converter for each of the suite's conversions."
            case .senselessFormatThrows: "makeConverter(from:to:) throws unsupportedFormat for an invalid format."
            case .formatsAreTruthful:
                "inputFormat and outputFormat are the requested formats, and all output is in outputFormat."
            case .chunkingChangesNothing: "The output samples do not depend on how the input is cut into buffers."
            case .framesAreAccountedFor:
                "After flush(), the output has the input's number of frames times the ratio of the rates, rounded."
            case .timesFollowFrames:
                "Output times follow from the time of the first input and the number of earlier output frames."
            case .wrongFormatThrows:
                "A buffer in another format throws unsupportedFormat and does not affect the output."
            case .flushLeavesAsNew: "After flush(), the converter behaves like a new one."
            case .emptyBuffersChangeNothing:
                "convert(_:) with an empty buffer and flush() without input return an empty buffer."
            case .soundIsKept: "A tone keeps its pitch, its loudness and its time."
            case .channelsAreKept:
                "Sound on a single channel remains when channels are joined, and reaches every channel when one is split."
            case .hostileSamplesAreHarmless:
                "Infinite, NaN and too large samples cause no error and do not affect sound after a flush()."
            case .convertersAreIndependent: "Converters that are used in turn do not affect each other."
            case .convertingComesBack: "makeConverter(from:to:), convert(_:) and flush() return."
            }
        }
    }
}
