import CDictationHost
import DictationCore
import DictationPlatform

/// A helper process for work that may crash: the engine of a ``HostedEngine``, and loading a new model.
///
/// Make your program its own helper with the first line of `main`:
///
///     DictationHost.runIfAsked()
///
/// A program without its own `main`, such as a plug-in or a test runner, uses the executable `dictation-helper`. The
/// library looks for it at the path in the environment variable `DICTATION_HELPER`, beside the running program, and on
/// the `PATH`.
public enum DictationHost: Sendable {
    /// Does a helper's work and ends the process, if the library started this process as a helper. Otherwise returns at
    /// once.
    ///
    /// Call it before anything else, because every helper also runs the code before this call.
    public static func runIfAsked() {
        HelperRole.offer()
        if HelperRole.isHelper { run() }
    }

    /// Does a helper's work and ends the process.
    package static func run() -> Never {
        // The helper keeps none of the program's descriptors open, and ends when the program ends.
        if HostService.isMeant(by: HelperRole.connection) {
            dictation_host_confine(HelperRole.memory + 1)
            HostService.run()
        }
        dictation_host_confine(HelperRole.connection + 1)
        do throws(HelperMessageError) {
            let request = try HelperRequest(from: HelperRole.connection)
            let outcome =
                request.version == HelperRequest.currentVersion
                ? request.perform()
                : .unable("it knows version \(HelperRequest.currentVersion) of the request, not \(request.version)")
            let answer = HelperAnswer(nonce: request.nonce, outcome: outcome)
            try answer.send(to: HelperRole.connection)
            // Not `_exit`: a damaged library may fail only in the work that it does at the end of a process.
            exit(0)
        } catch {
            let advice =
                "\(HelperRole.argument) is only for programs with swift-dictation, which start their helper with it.\n"
            _ = advice.utf8CString.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count - 1) }
            _exit(HelperRole.misuse)
        }
    }
}

extension HelperRequest {
    fileprivate func perform() -> HelperAnswer.Outcome {
        do throws(DictationError) {
            SherpaOnnxLibrary.location = library.path
            let loaded = try SherpaOnnxLibrary.load()
            if let version = library.version, version != loaded.version {
                throw .unsupportedLibrary(library.path, version: loaded.version)
            }
        } catch {
            return .failed(error)
        }
        guard let model else { return .works }
        _ = HelperRestrictions.apply(reading: [model.folder] + model.files, memory: nil)
        return TestDecoding(folder: model.folder, layout: model.layout, files: model.files).outcome()
    }
}
