import DictationCore
import DictationService

/// What types a text piece by piece into whatever has the focus. Its calls block.
protocol TypingHand {
    /// How fast it types.
    var pace: TypingPace { get }
    /// Returns what has the focus.
    mutating func focus() throws(DictationError) -> TypingFocus
    /// Returns when no key is held that would change what is typed; throws if one is held for too long.
    mutating func waitForModifiers() throws(DictationError)
    /// Makes ready to type a piece. Nothing is typed.
    mutating func prepare(_ piece: TypedText.Piece) throws(DictationError)
    /// Types a piece, and returns when the program has read it, where that can be known.
    mutating func type(_ piece: TypedText.Piece) throws(DictationError)
}

/// How long typing takes on a machine that does other work as well.
struct TypingPace {
    /// The longest text that is typed, as a time. So nobody waits for a text much longer.
    static let longest = Duration.seconds(30)
    /// The time for a piece besides its characters.
    var piece: Duration
    /// The time for a character.
    var character: Duration

    func time(for pieces: [TypedText.Piece]) -> Duration {
        piece * pieces.count + character * TypedText.count(pieces)
    }
}

/// What gets typed text.
enum TypingFocus: Hashable {
    case field(FocusedField)
    case nothing
    /// The desktop does not say.
    case unknown

    /// The field, as a destination tells it when a take begins.
    var field: FocusedField? { if case .field(let field) = self { field } else { nil } }
}

extension TypingHand {
    /// Types a text into the field where it belongs, and looks before and after each piece whether the focus is there.
    mutating func deliver(_ pieces: [TypedText.Piece], into field: FocusedField?) -> TextDelivery.Outcome {
        guard pace.time(for: pieces) <= TypingPace.longest else {
            return .unavailable("A text of \(TypedText.count(pieces)) characters takes too long to type.")
        }
        var place = field.map { TypingFocus.field($0) }
        for (index, piece) in pieces.enumerated() {
            do throws(DictationError) { try prepare(piece) } catch {
                return index == 0 ? .unavailable(error.message) : incomplete(pieces, index, error)
            }
            do throws(DictationError) {
                try waitForModifiers()
                let now = try focus()
                if index == 0, place == nil, now == .nothing { return .noField }
                place = place ?? now
                if now != place { throw .focusMoved }
            } catch {
                return index == 0 ? .refused(error.message) : incomplete(pieces, index, error)
            }
            do throws(DictationError) {
                try type(piece)
                if try focus() != place { throw .focusMoved }
            } catch {
                return incomplete(pieces, index, error)
            }
        }
        return .delivered
    }

    private func incomplete(
        _ pieces: [TypedText.Piece], _ index: Int, _ error: DictationError
    ) -> TextDelivery.Outcome {
        let (typed, all) = (TypedText.count(pieces[..<index]), TypedText.count(pieces))
        return .incomplete("Of \(all) characters, at least \(typed) were typed. \(error.message)")
    }
}

extension DictationError {
    static let focusMoved = DictationError(
        .invalidInput, "Another window has the focus than when the take began.",
        recovery: "Focus the window, then insert the last text.")

    static let keyboardTaken = DictationError(
        .timedOut, "Another program has the keyboard, such as a lock screen or a menu.",
        recovery: "Unlock the screen or close the menu, then insert the last text.")

    static func heldModifier(_ name: String) -> DictationError {
        DictationError(
            .timedOut, "The key \(name) is held down.", recovery: "Release it, then insert the last text.")
    }
}
