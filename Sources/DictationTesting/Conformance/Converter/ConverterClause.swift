/// The promises of `FormatConverter` and `FormatConverterProvider`.
public enum ConverterClause: String, ConformanceClause {
    /// Each conversion that was asked for can be made.
    case conversionsAreMade
    /// Formats that audio can't have throw.
    case senselessFormatThrows
    /// The converter says what it takes and gives.
    case formatsAreTruthful
    /// Cutting changes nothing.
    case chunkingChangesNothing
    /// No frame too few or too many.
    case framesAreAccountedFor
    /// Times follow from frames.
    case timesFollowFrames
    /// Other formats throw.
    case wrongFormatThrows
    /// Flushing forgets.
    case flushLeavesAsNew
    /// Empty buffers change nothing.
    case emptyBuffersChangeNothing
    /// The sound stays what it was.
    case soundIsKept
    /// No channel is lost.
    case channelsAreKept
    /// Bad samples stay bad samples.
    case hostileSamplesAreHarmless
    /// Converters don't share anything.
    case convertersAreIndependent
    /// Converting comes back.
    case convertingComesBack

    /// The promise, in a sentence.
    public var statement: String {
        switch self {
        case .conversionsAreMade: "makeConverter(from:to:) makes each converter that it is said to make."
        case .senselessFormatThrows: "makeConverter(from:to:) throws unsupportedFormat for what audio can't be."
        case .formatsAreTruthful: "inputFormat and outputFormat are those asked for, and all output is in the latter."
        case .chunkingChangesNothing: "The same samples come out however the input is cut into buffers."
        case .framesAreAccountedFor:
            "After flush() the output has the input's frames times the ratio of rates, to the nearest."
        case .timesFollowFrames: "Output times follow from the first input's time and the frames given out."
        case .wrongFormatThrows:
            "A buffer of another format throws unsupportedFormat and changes nothing; samples are never reinterpreted."
        case .flushLeavesAsNew: "After flush() the converter is as new."
        case .emptyBuffersChangeNothing: "An empty buffer, and a flush() without input, give an empty buffer."
        case .soundIsKept: "A tone comes out as the same tone, as loud and at the same time as it went in."
        case .channelsAreKept:
            "What is on one channel alone is heard after channels are joined, and on each when split."
        case .hostileSamplesAreHarmless:
            "Samples beyond full scale, infinite or not a number come out as some sample, and leave later sound alone."
        case .convertersAreIndependent: "Converters that are used in turn give what each would give alone."
        case .convertingComesBack: "Making a converter, convert(_:) and flush() come back."
        }
    }
}
