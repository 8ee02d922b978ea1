public import DictationCore
import DictationSystem

/// Writes a text again: a program or a language model that corrects it.
///
///     let rewriting = await transcript.rewritten(by: CommandRewriter(["sed", "s/teh/the/"]))
///     print(rewriting.written.text)
///
/// Choose: ``CommandRewriter`` for a program, ``ChatModel`` for a language model on a server.
///
/// Use: `Transcript.rewritten(by:)` keeps the original text, and the times of the words.
///
/// Implement: return the whole text, with at least half of its words. A transcript is rewritten in parts of a few thousand
/// characters.
///
/// Test: an error must leave the text as it was.
public protocol TextRewriter: Sendable {
    /// Returns the text as it should be.
    ///
    /// - Throws: An error if the text can't be rewritten.
    func rewrite(_ text: String) async throws(DictationError) -> String
}

/// A program that reads a text from its standard input and writes the new text to its standard output.
///
/// The program runs as the user who runs this process. No process that it starts in its process group survives it.
public struct CommandRewriter: TextRewriter {
    private let program: FilterProgram

    /// Creates a rewriter.
    ///
    /// - Parameters:
    ///   - arguments: The program, which is looked up in `PATH`, and its arguments. No shell reads them.
    ///   - timeout: The longest time for a part of the text.
    ///   - outputLimit: The greatest number of bytes that the program may write.
    public init(_ arguments: [String], timeout: Duration = .seconds(30), outputLimit: Int = 1 << 20) {
        program = FilterProgram(arguments: arguments, timeout: timeout, outputLimit: max(0, outputLimit))
    }

    /// Runs the program.
    public func rewrite(_ text: String) async throws(DictationError) -> String { try await program.run(text) }
}
