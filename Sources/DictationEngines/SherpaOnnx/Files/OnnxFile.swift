import DictationCore

/// The metadata of a network's file, and the names of its inputs and outputs.
///
/// The initializer reads the file field by field and skips the weights. It throws when the file is cut short, or is
/// neither ONNX nor in ONNX Runtime's own format.
struct OnnxFile: Sendable {
    let path: String
    private(set) var metadata: [String: String] = [:]
    private(set) var inputs: [String] = []
    private(set) var outputs: [String] = []
    private(set) var nodeCount = 0
    private(set) var isQuantized = false
    /// The inputs with a free first dimension, in which several streams can be stacked.
    private(set) var stackableInputs: Set<String> = []

    /// The size of the last dimension of each output that has a fixed one.
    private(set) var outputWidths: [String: Int] = [:]

    private enum Field {
        static let graph: UInt64 = 7
        static let operators: UInt64 = 8
        static let metadata: UInt64 = 14
    }

    private enum GraphField {
        static let node: UInt64 = 1
        static let input: UInt64 = 11
        static let output: UInt64 = 12
    }

    init(at path: String) throws(DictationError) {
        self.path = path
        let file = try OnnxBytes(at: path)
        if try OrtFile.isAt(startOf: file) {
            let network = try OrtFile(file)
            (inputs, outputs, metadata) = (network.inputs, network.outputs, network.metadata)
            outputWidths = network.outputWidths
            return
        }
        var fields = ProtobufFields(in: file, range: 0..<file.size)
        var hasOperators = false
        while let field = try fields.next() {
            switch field.number {
            case Field.graph: try readGraph(file, field.payload)
            case Field.operators: hasOperators = true
            case Field.metadata: try readMetadata(file, field.payload)
            default: break
            }
        }
        guard nodeCount > 0, hasOperators, !outputs.isEmpty else { throw file.damaged("it holds no ONNX graph") }
        // Some exports replace the metadata that the quantization wrote.
        isQuantized = metadata["onnx.infer"] == "onnxruntime.quant" || path.hasSuffix(".int8.onnx")
    }

    private mutating func readGraph(_ file: OnnxBytes, _ range: Range<Int>) throws(DictationError) {
        var fields = ProtobufFields(in: file, range: range)
        while let field = try fields.next() {
            guard inputs.count + outputs.count <= 10_000 else {
                throw file.damaged("it has too many inputs and outputs")
            }
            switch field.number {
            case GraphField.node: nodeCount += 1
            case GraphField.input: try readInput(file, field.payload)
            case GraphField.output: try readOutput(file, field.payload)
            default: break
            }
        }
    }

    private mutating func readInput(_ file: OnnxBytes, _ range: Range<Int>) throws(DictationError) {
        let name = try name(file, range)
        inputs.append(name)
        // The field numbers that lead from a value to its type, tensor, shape, first dimension and dimension name.
        var message: Range<Int>? = range
        for number in [2, 1, 2, 1, 2] as [UInt64] {
            guard let inner = message else { return }
            message = try first(number, file, inner)
        }
        if message != nil { stackableInputs.insert(name) }
    }

    private mutating func readOutput(_ file: OnnxBytes, _ range: Range<Int>) throws(DictationError) {
        let name = try name(file, range)
        outputs.append(name)
        // The field numbers that lead from a value to its type, tensor and shape.
        var message: Range<Int>? = range
        for number in [2, 1, 2] as [UInt64] {
            guard let inner = message else { return }
            message = try first(number, file, inner)
        }
        guard let shape = message else { return }
        var fields = ProtobufFields(in: file, range: shape)
        var last: Range<Int>?
        while let field = try fields.next() { if field.number == 1 { last = field.payload } }
        guard let last else { return }
        var dimension = ProtobufFields(in: file, range: last)
        while let field = try dimension.next() {
            if field.number == 1, let size = Int(exactly: field.value) { outputWidths[name] = size }
        }
    }

    private func first(
        _ number: UInt64, _ file: OnnxBytes, _ range: Range<Int>
    ) throws(DictationError) -> Range<Int>? {
        var fields = ProtobufFields(in: file, range: range)
        while let field = try fields.next() {
            if field.number == number, !field.payload.isEmpty { return field.payload }
        }
        return nil
    }

    private func name(_ file: OnnxBytes, _ range: Range<Int>) throws(DictationError) -> String {
        var fields = ProtobufFields(in: file, range: range)
        while let field = try fields.next() {
            if field.number == 1 { return try file.text(field.payload) }
        }
        return ""
    }

    private mutating func readMetadata(_ file: OnnxBytes, _ range: Range<Int>) throws(DictationError) {
        var fields = ProtobufFields(in: file, range: range)
        var key = ""
        var value = ""
        while let field = try fields.next() {
            switch field.number {
            case 1: key = try file.text(field.payload)
            case 2: value = try file.text(field.payload)
            default: break
            }
        }
        metadata[key] = value
    }
}

extension OnnxFile {
    /// Returns a number from the metadata, from 1 to a million.
    func number(_ key: String) -> Int? {
        metadata[key].flatMap(Int.init).flatMap { (1...1_000_000).contains($0) ? $0 : nil }
    }
}
