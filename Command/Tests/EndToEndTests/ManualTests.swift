import Foundation
import Testing

/// The page that `man dictate` shows.
@Suite struct ManualTests {
    @Test func theManualFitsATerminalAndNamesEachVariable() async throws {
        let folder = try Folder()
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'; export LC_ALL=C.UTF-8 MANWIDTH=80
            "$dictate" manual >dictate.1; man -l dictate.1 2>errors | col -bx >page; cat errors
            sed -nE '/^.{81}/p' page
            sed -n '/^ENVIRONMENT/,/^EXAMPLES/p' page | grep -oE '^ +[A-Z_]{4,}' | tr -d ' '
            """)
        #expect(
            outcome.output == """
                XDG_DATA_HOME
                XDG_CONFIG_HOME
                XDG_RUNTIME_DIR
                XDG_STATE_HOME
                DICTATE_KEY
                DICTATION_SHERPA_ONNX

                """, "\(outcome)")
    }
}
