import DictationCore
import Foundation
import Testing

@testable import DictateCommand

/// The advice of the library in the words of the command.
@Suite struct CommandAdviceTests {
    @Test func anErrorNamesTheCommandThatHelps() {
        let error = DictationError(.notRunning, "No service is running.", recovery: "Start a service there.")
        #expect(error.saidOnce == "No service is running. Start one, for instance with “dictate service”.")
    }

    /// A sentence that the library no longer says would leave its users without the command.
    @Test(arguments: CommandAdvice.words.map(\.key)) func theLibrarySaysWhatIsReworded(_ words: String) throws {
        let sources = URL(filePath: #filePath).appending(path: "../../../../Sources").standardized
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        let isSaid = try files?.contains { file in
            guard let file = file as? URL, file.pathExtension == "swift" else { return false }
            return try String(contentsOf: file, encoding: .utf8).contains(words)
        }
        #expect(isSaid == true)
    }

    @Test func theLibraryNamesNoCommand() throws {
        let sources = URL(filePath: #filePath).appending(path: "../../../../Sources").standardized
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        for case let file as URL in try #require(files) where file.pathExtension == "swift" {
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                let code = line.drop { $0 == " " }
                #expect(
                    code.hasPrefix("//") || !code.contains(/“dictate |--(resume|shard|trust)/), "\(file.path): \(line)")
            }
        }
    }
}
