#if ModelCatalog
import Foundation
import TestSupport
import Testing

/// A few random archives every day; `Scripts/fuzz archives` runs as many as it is told.
@Suite struct CatalogFuzzTests {
    @Test func noRandomArchiveChangesAnythingOutsideTheStore() throws {
        let folder = try TemporaryFolder()
        let probe = try InstallProbe([folder.path, "4000", "1"], program: "CatalogFuzzProbe")
        let said = try probe.end(within: .seconds(120))
        #expect(said?.hasPrefix("fuzzed archives: ") == true, "\(said ?? "It did not end in time.")")
    }
}
#endif
