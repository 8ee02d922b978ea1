import CFullDisk
import DictationCore
import DictationModels
import Foundation
import Glibc

/// Installs a model in a process of its own, so that a test can kill it, or take its disk or its permissions away.
///
///     CatalogInstallProbe STORE CATALOG MODEL [--file-limit BYTES] [--disk-room BYTES] [--as-nobody]
///         [--stall MILLISECONDS]
///
/// CATALOG is a path, or `built-in`.
/// Prints `installed`, or the code of the error.
@main struct CatalogInstallProbe {
    static func main() async {
        #if ModelCatalog
        let arguments = CommandLine.arguments
        guard arguments.count >= 4 else { exit(2) }
        func value(_ name: String) -> Int? {
            guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return nil }
            return Int(arguments[index + 1])
        }
        if let limit = value("--file-limit") {
            // Without the signal ignored, the system would end the process rather than let it see the error.
            signal(SIGXFSZ, SIG_IGN)
            var limits = rlimit(rlim_cur: rlim_t(limit), rlim_max: rlim_t(limit))
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits)
        }
        if let room = value("--disk-room") { full_disk_after(Int64(room)) }
        if arguments.contains("--as-nobody"), setgid(65_534) != 0 || setuid(65_534) != 0 { exit(3) }
        do {
            try await install(
                ModelStore(folder: arguments[1]), catalog: arguments[2], model: arguments[3],
                stall: .milliseconds(value("--stall") ?? 5_000))
            print("installed")
        } catch let error as DictationError {
            print(error.code.rawValue)
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        } catch {
            print("\(error)")
            exit(2)
        }
        #endif
    }

    #if ModelCatalog
    private static func install(_ store: ModelStore, catalog: String, model: String, stall: Duration) async throws {
        let models =
            catalog == "built-in"
            ? ModelCatalog.builtIn
            : try ModelCatalog(json: Array(try Data(contentsOf: URL(fileURLWithPath: catalog))))
        var downloads = DownloadOptions()
        downloads.maximumRounds = 3
        downloads.backOff = BackOff(first: .milliseconds(5), longest: .milliseconds(20))
        downloads.stallTimeout = stall
        let inventory = CatalogAssetInventory(
            store: store, catalogs: [models], validators: [:], downloads: downloads)
        try await inventory.installation(of: model)?.install()
    }
    #endif
}
