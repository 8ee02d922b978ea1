public import DictationCore
import DictationSystem
import DictationText

/// Gives each text to a program of the user as its standard input.
///
/// The program has the text when it ends with the exit code 0. Otherwise the next destination gets the text. What it leaves
/// running goes on, as the part of `xclip` does that serves the clipboard. A program that takes too long is ended as a
/// whole. The program finds the name of the take's profile in `DICTATION_PROFILE`, and the profile's `destination` in
/// `DICTATION_DESTINATION`.
public struct CommandDestination: TextDestination {
    /// The program, which is looked up in `PATH`, and its arguments.
    public let arguments: [String]
    /// How long the program may take.
    public let timeout: Duration

    /// Creates a destination.
    public init(_ arguments: [String], timeout: Duration = .seconds(30)) {
        self.arguments = arguments
        self.timeout = timeout
    }

    /// The name `command`.
    public var name: String { "command" }

    /// Returns why the program can't be run. See ``TextDestination/problem()``.
    public func problem() async -> DictationError? {
        do throws(DictationError) { _ = try path } catch { return error }
        return nil
    }

    /// Runs the program. See ``TextDestination/deliver(_:into:)``.
    public func deliver(_ text: DictatedText, into field: FocusedField?) async -> TextDelivery.Outcome {
        do throws(DictationError) {
            let program = FilterProgram(
                arguments: [try path] + arguments.dropFirst(), timeout: timeout, outputLimit: 1 << 20,
                variables: [
                    "DICTATION_PROFILE": text.profile ?? "", "DICTATION_DESTINATION": text.destination ?? "",
                ],
                // What serves a clipboard has to stay.
                leavesProcesses: true)
            _ = try await program.run(bytes: Array(text.forDestination.utf8))
            return .delivered
        } catch {
            switch error.code {
            // It could not begin, or said that it does not have the text.
            case .unsupportedOption, .fileUnreadable, .engineFailed: return .unavailable(error.message)
            // It was ended. What it did before is unknown.
            default: return .incomplete(error.message)
            }
        }
    }

    private var path: String {
        get throws(DictationError) {
            let name = arguments.first ?? ""
            guard let path = InstalledProgram.path(of: name) else {
                throw DictationError(
                    .unsupportedOption, "There is no program “\(name)” to run.",
                    recovery: "Correct the setting “deliver.command”, or install the program.")
            }
            return path
        }
    }
}
