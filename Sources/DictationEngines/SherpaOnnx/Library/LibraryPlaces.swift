import DictationCore
import DictationModels
import DictationSystem

/// The places where the library may be, in the order of the search.
struct LibraryPlaces: Sendable {
    /// A file or folder that the program or the user named. If it is not `nil`, no other place counts.
    var chosen: String?
    /// The folders that an installation uses.
    var folders: [String]
    /// The folders whose files are known to be damaged.
    var damaged: [String] = []
    /// Whether the system's loader searches too, after the folders.
    var asksLoader = true

    static let fileName = "libsherpa-onnx-c-api.so"

    /// The places of this process. A process with more rights than its user ignores the user's folders and environment.
    static func standard(chosen: String?) -> LibraryPlaces {
        let environment = TrustedEnvironment.isTrusted ? UserFolders.environment : [:]
        let store = ModelStore(environment: environment)
        let installed = ([store.folder] + store.sharedFolders).filter { !$0.isEmpty }.map {
            $0 + "/sherpa-onnx-library"
        }
        let script = UserFolders.data(environment).map { $0 + "/swift-dictation/sherpa-onnx/lib" }
        return LibraryPlaces(
            chosen: chosen ?? TrustedEnvironment.value(of: "DICTATION_SHERPA_ONNX"),
            folders: installed + [script].compactMap(\.self) + ["/usr/local/lib"],
            damaged: store.damagedLibraries(of: .sherpaOnnx))
    }

    /// Returns the files to try, including those that this user can't read. The last may be a name without a folder, for
    /// the system's loader.
    ///
    /// - Throws: `libraryNotInstalled` if the program or the user named a place that has no library.
    func files() throws(DictationError) -> [String] {
        if let chosen {
            let path = PathBytes(PathBytes(chosen).isAbsolute ? chosen : "./" + chosen).withoutSlashAtEnd
            guard let file = Self.file(at: path) else {
                throw .noLibrary(in: chosen)
            }
            return [file]
        }
        let files = folders.map { $0 + "/" + Self.fileName }.filter(FileListing.hasFile)
        return asksLoader ? files + [Self.fileName] : files
    }

    /// Returns the library in a folder or in its subfolder `lib`, or the file itself.
    private static func file(at path: String) -> String? {
        [path, path + "/" + fileName, path + "/lib/" + fileName].first(where: FileListing.hasFile)
    }
}
