import COnnxRuntime
import DictationCore
import DictationSystem
import Synchronization

/// A network that ONNX Runtime runs on one thread: the library that lies beside sherpa-onnx, which uses it too.
final class OnnxNetwork: Sendable {
    private let handle: LibraryHandle
    private let path: String

    /// Numbers that go into a network, or come out of it.
    struct Tensor {
        var name: String
        var shape: [Int64]
        var numbers: [Float]
    }

    /// Loads a network.
    ///
    /// - Throws: `libraryNotInstalled` or `libraryInvalid` without the library, `modelInvalid` for a file that it can't load.
    init(path: String) throws(DictationError) {
        let library = try Self.library()
        var message: UnsafeMutablePointer<CChar>?
        guard let handle = onnx_load(library, path, &message) else { throw .badNetwork(path, Self.text(message)) }
        self.handle = LibraryHandle(pointer: handle)
        self.path = path
    }

    deinit { onnx_free(handle.pointer) }

    /// Runs the network.
    ///
    /// - Parameters:
    ///   - inputs: The numbers that go in.
    ///   - integer: An input that is one whole number.
    ///   - outputs: Receives the numbers that come out. Each must have the size of the network's output.
    func run(
        _ inputs: [Tensor], integer: (name: String, value: Int64)? = nil, into outputs: inout [Tensor]
    ) throws(DictationError) {
        // What the tensors point to lives until the end of the call.
        let names = (inputs + outputs).map(\.name) + [integer?.name ?? ""]
        let cNames = names.map { strdup($0) }
        defer { for name in cNames { free(name) } }
        let number = UnsafeMutablePointer<Int64>.allocate(capacity: 1)
        number.initialize(to: integer?.value ?? 0)
        let memory = (inputs + outputs).map { tensor in
            let memory = UnsafeMutableBufferPointer<Float>.allocate(capacity: tensor.numbers.count)
            _ = memory.initialize(from: tensor.numbers)
            return memory
        }
        defer {
            number.deallocate()
            for memory in memory { memory.deallocate() }
        }
        var tensors = zip(inputs + outputs, zip(cNames, memory)).map { tensor, place in
            OnnxTensor(place.0, tensor.shape, count: place.1.count, numbers: place.1.baseAddress)
        }
        if integer != nil {
            tensors.insert(OnnxTensor(cNames.last ?? nil, [], count: 1, integer: number), at: inputs.count)
        }
        let inputCount = inputs.count + (integer == nil ? 0 : 1)
        let message = onnx_run(
            handle.pointer, Array(tensors[..<inputCount]), inputCount, Array(tensors[inputCount...]), outputs.count)
        if let message { throw .badNetwork(path, Self.text(message)) }
        for index in outputs.indices { outputs[index].numbers = Array(memory[inputs.count + index]) }
    }

    private static func text(_ message: UnsafeMutablePointer<CChar>?) -> String {
        defer { free(message) }
        return message.map { String(cString: $0) } ?? "out of memory"
    }

    // MARK: The library

    private static func path(beside sherpa: String) -> String {
        (PathBytes(sherpa).folder ?? ".") + "/libonnxruntime.so"
    }

    /// Whether the library lies beside sherpa-onnx. It may also be a part of that, where nobody else can use it.
    static var isAvailable: Bool {
        (try? SherpaOnnxLibrary.find()).map { FileListing.hasFile(path(beside: $0.path)) } ?? false
    }

    /// The open library, which lasts as long as the process.
    private static let opened = Mutex<LibraryHandle?>(nil)

    private static func library() throws(DictationError) -> OpaquePointer {
        let sherpa = try SherpaOnnxLibrary.load()
        return try opened.withLock { opened throws(DictationError) in
            if let opened { return opened.pointer }
            let file = path(beside: sherpa.path)
            guard let handle = dlopen(file, RTLD_NOW | RTLD_LOCAL), let pointer = onnx_library(handle) else {
                throw .badLibrary(file, "it is not ONNX Runtime, which the speech detectors need")
            }
            opened = LibraryHandle(pointer: pointer)
            return pointer
        }
    }
}

extension OnnxTensor {
    fileprivate init(
        _ name: UnsafeMutablePointer<CChar>?, _ shape: [Int64], count: Int, numbers: UnsafeMutablePointer<Float>? = nil,
        integer: UnsafeMutablePointer<Int64>? = nil
    ) {
        self.init()
        (self.name, self.numbers, self.integer) = (UnsafePointer(name), numbers, integer)
        (dimensions, self.count) = (min(3, shape.count), count)
        let padded = shape.prefix(3) + [1, 1, 1]
        self.shape = (padded[0], padded[1], padded[2])
    }
}

extension DictationError {
    fileprivate static func badNetwork(_ path: String, _ message: String) -> DictationError {
        DictationError(
            .modelInvalid, "The network in \(path) does not work.",
            recovery: "Install the asset “speech-detectors” again.",
            underlying: .init(domain: "onnxruntime", code: 0, message: message))
    }
}
