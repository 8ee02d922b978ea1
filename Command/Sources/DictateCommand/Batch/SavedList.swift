import DictationCore
import Glibc

/// A list from standard input. It is saved in the folder of the results, because `merge` reads it again.
struct SavedList {
    /// Where the list is going to be.
    let path: String
    private let folder: String
    private let file: InputFile

    /// Reads standard input to its end.
    init(in folder: String) async throws(DictationError) {
        self.folder = folder
        path = FilePath.fromRoot(folder + "/manifest")
        file = try await InputFile("-")
    }

    /// Where the list is until then.
    var input: String { file.path }

    /// Saves the list. Call it when the folder is known to belong to this batch, because it replaces an earlier list.
    func save() throws(OutputError) {
        let output = try OutputFile(path: path)
        do throws(OutputError) { try output.write(contentsOf: file.path) } catch {
            output.discard()
            throw error
        }
        try output.commit()
    }
}
