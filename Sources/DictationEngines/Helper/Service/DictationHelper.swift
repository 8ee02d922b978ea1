import CDictationHelper
import DictationCapture
package import DictationSystem

/// A helper process for work that may crash: the engine of a ``HelperEngine``, loading a new model, and decoding a recording
/// of anybody's.
///
/// Make your program its own helper with the first line of `main`:
///
///     DictationHelper.runIfAsked()
///
/// A program without its own `main`, such as a plug-in or a test runner, uses the executable `dictation-helper`. The
/// library looks for it at the path in the environment variable `DICTATION_HELPER`, beside the running program, and on
/// the `PATH`.
public enum DictationHelper: Sendable {
    /// Does a helper's work and ends the process, if the library started this process as a helper. Otherwise returns at
    /// once.
    ///
    /// Call it before anything else, because every helper also runs the code before this call.
    public static func runIfAsked() {
        HelperRole.offer()
        if let role = HelperRole.own { run(role) }
    }

    /// Keeps what this process has in memory, such as voice, texts and tokens, out of core dumps.
    ///
    /// A helper does so by itself. The program that starts it has to call this, at the beginning of `main`, because it
    /// concerns everything in the process, and the programs that it starts. After it, a crash leaves nothing to debug.
    ///
    /// - Parameter fromPrograms: Whether no other program of the same user can read the memory either, as debuggers do.
    ///   A server can pass `true`. A program that asks a desktop portal for something can't: portals look into the
    ///   programs that they serve.
    public static func keepMemoryPrivate(fromPrograms: Bool = false) {
        dictation_helper_keep_memory_private(fromPrograms ? 1 : 0)
    }

    /// Does a helper's work and ends the process.
    package static func run(_ role: HelperRole = HelperRole.own ?? .engine) -> Never {
        #if SoundFile
        if role == .decoder { DecoderService.run() }
        #endif
        // The helper keeps none of the program's descriptors open, and ends when the program ends.
        dictation_helper_confine(HelperRole.memory + 1, 1)
        HelperService.run()
    }
}

extension HelperRole {
    /// The descriptor of the memory that a helper with an engine shares with the process that started it.
    static let memory: Int32 = 4
    /// The words of sherpa-onnx when an offline model fails while it decodes. It then returns no text and no error.
    static let caughtException = "Caught exception"
}
