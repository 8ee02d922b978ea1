import CSherpaOnnx
public import DictationCore
import DictationSystem
import Synchronization

/// The library sherpa-onnx, which a program loads when an engine first needs it.
///
/// No build needs the library. A program finds it in the first of these places:
///
/// 1. ``location``, if the program sets it;
/// 2. the file or folder in the environment variable `DICTATION_SHERPA_ONNX`;
/// 3. the folder `sherpa-onnx-library` of the standard `ModelStore`, where `dictate setup` installs it;
/// 4. the folders of `Scripts/install sherpa-onnx`: `swift-dictation/sherpa-onnx/lib` in the user's data folder, then
///    `/usr/local/lib`;
/// 5. the folders that the system's loader searches.
///
/// A process has at most one library, and keeps it. If there is none, each call looks again, so a running program can
/// use a library that was installed meanwhile.
public final class SherpaOnnxLibrary: @unchecked Sendable {  // The functions never change, and the library stays open.
    /// The path of the library's file.
    public let path: String
    /// The version of the library.
    public let version: String
    let functions: SherpaFunctions

    var reference: HelperTrial.Library { .init(path: path, version: version) }

    static let oldest = LibraryVersion(1, 13, 0)
    static let newest = LibraryVersion(2, 0, 1)

    private static let loaded = Mutex<SherpaOnnxLibrary?>(nil)
    private static let chosen = Mutex<String?>(nil)

    /// The file or folder of the library; `nil` to search for it. Set it before the first engine. A library that is
    /// already loaded stays.
    public static var location: String? {
        get { chosen.withLock { $0 } }
        set { chosen.withLock { $0 = newValue } }
    }

    /// Returns the library, and loads it if necessary. Blocks for a moment at the first call.
    ///
    /// A new library is first loaded by a helper process; see ``DictationHelper``. Without a helper the check is left out.
    ///
    /// - Throws: `libraryNotInstalled`, or `libraryInvalid` for a library that is damaged or has an unsupported version.
    public static func load() throws(DictationError) -> SherpaOnnxLibrary {
        try loaded.withLock { loaded throws(DictationError) in
            if let loaded { return loaded }
            let library = try load(from: .standard(chosen: location))
            loaded = library
            return library
        }
    }

    /// Finds a library that works, for a helper that will load it. Loads it only if no file can be checked.
    @discardableResult static func find() throws(DictationError) -> HelperTrial.Library {
        if let loaded = loaded.withLock({ $0 }) { return loaded.reference }
        var first: DictationError?
        let places = LibraryPlaces.standard(chosen: location)
        for file in try places.files() {
            do throws(DictationError) {
                if PathBytes(file).folder == nil { return try load().reference }
                try examine(file, places)
                return .init(path: file)
            } catch {
                first = first ?? error
            }
        }
        throw first ?? .noLibrary()
    }

    static func load(from places: LibraryPlaces) throws(DictationError) -> SherpaOnnxLibrary {
        var first: DictationError?
        for file in try places.files() {
            // The error of an installed library says more than the loader's, which comes last.
            do throws(DictationError) { return try checked(file, places) } catch { first = first ?? error }
        }
        throw first ?? .noLibrary()
    }

    /// Loads a file that has passed the checks. A name without a folder is for the loader, which checks it itself.
    private static func checked(
        _ file: String, _ places: LibraryPlaces
    ) throws(DictationError) -> SherpaOnnxLibrary {
        if PathBytes(file).folder != nil { try examine(file, places) }
        return try SherpaOnnxLibrary(opening: file)
    }

    /// Checks a file, and the library beside it that it needs.
    private static func examine(_ file: String, _ places: LibraryPlaces) throws(DictationError) {
        let folder = PathBytes(file).folder ?? "."
        try check(file)
        let beside = folder + "/libonnxruntime.so"
        let hasRuntime = !FileListing.stamp(of: beside).isEmpty
        if hasRuntime { try check(beside) }
        guard !places.damaged.contains(folder) else {
            throw .badLibrary(file, "its files changed after the installation")
        }
        if HelperRole.own == nil { try LibraryCheck(files: hasRuntime ? [file, beside] : [file]).run() }
    }

    private static func check(_ file: String) throws(DictationError) {
        do throws(SharedObject.Defect) { _ = try SharedObject(path: file) } catch {
            throw .badLibrary(file, error.reason)
        }
    }

    private init(opening file: String) throws(DictationError) {
        guard let handle = dlopen(file, RTLD_NOW | RTLD_LOCAL) else {
            let reason = dlerror().map { String(cString: $0) }
            guard PathBytes(file).folder != nil else { throw .noLibrary(reason) }
            throw .badLibrary(
                file, "the system can't load it",
                underlying: .init(domain: "dlopen", code: 0, message: reason))
        }
        do throws(DictationError) {
            guard let version = sherpa_version(handle).map({ String(cString: $0) }) else {
                throw .badLibrary(file, "it is not sherpa-onnx")
            }
            guard LibraryVersion(version).map((Self.oldest...Self.newest).contains) == true else {
                throw .unsupportedLibrary(file, version: version)
            }
            self.version = version
            functions = try Self.functions(of: handle, file)
        } catch {
            dlclose(handle)
            throw error
        }
        let found = withUnsafePointer(to: functions) { sherpa_path($0).map { String(cString: $0) } }
        path = PathBytes(file).folder == nil ? found ?? file : file
    }

    private static func functions(
        of handle: UnsafeMutableRawPointer, _ file: String
    ) throws(DictationError) -> SherpaFunctions {
        let functions = UnsafeMutablePointer<SherpaFunctions>.allocate(capacity: 1)
        defer { functions.deallocate() }
        if let missing = sherpa_find_functions(handle, functions) {
            throw .badLibrary(file, "it has no function “\(String(cString: missing))”")
        }
        return functions.pointee
    }
}
