import DictationCore
import DictationEngines
import Dispatch

/// Prepares sherpa-onnx with the model of a folder and prints what came of it; for a program in any language.
@_cdecl("prepareModel") public func prepareModel(_ folder: UnsafePointer<CChar>) {
    let folder = String(cString: folder)
    let isDone = DispatchSemaphore(value: 0)
    Task {
        do {
            let engine = try SherpaOnnxEngine(folder: folder, locales: ["en-US"])
            try await engine.prepare(.liveDictation())
            print("prepared")
        } catch {
            print(error)
        }
        isDone.signal()
    }
    isDone.wait()
}
