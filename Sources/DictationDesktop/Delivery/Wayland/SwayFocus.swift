import DictationCore
import DictationService
import FoundationEssentials

/// The focus of sway, which its program `swaymsg` tells.
struct SwayFocus {
    private let program: DesktopProgram

    /// `nil` if the desktop is not sway.
    init?(_ environment: [String: String]) {
        guard environment["SWAYSOCK"] != nil else { return nil }
        program = DesktopProgram("swaymsg", package: "sway", environment)
    }

    func focus() throws(DictationError) -> TypingFocus {
        let tree = try program.runBlocking(["--raw", "--type", "get_tree"])
        guard let root = try? JSONDecoder().decode(Node.self, from: Data(tree)) else {
            throw DictationError(
                .invalidInput, "The answer of sway can't be understood.", recovery: "Try again.")
        }
        return root.focusedWindow.map { .field(FocusedField(id: "window \($0)")) } ?? .nothing
    }

    /// A node of sway's tree. Workspaces and outputs have the focus too, when no window has.
    private struct Node: Decodable {
        var id: Int
        var focused: Bool
        /// The process of a window; `nil` for other nodes.
        var pid: Int?
        var nodes: [Node]?
        var floating: [Node]?

        private enum CodingKeys: String, CodingKey {
            case id, focused, pid, nodes
            case floating = "floating_nodes"
        }

        var focusedWindow: Int? {
            if focused, pid != nil { return id }
            for node in (nodes ?? []) + (floating ?? []) {
                if let window = node.focusedWindow { return window }
            }
            return nil
        }
    }
}
