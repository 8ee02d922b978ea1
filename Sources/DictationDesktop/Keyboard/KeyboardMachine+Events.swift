public import DictationCore
public import DictationService

extension KeyboardMachine {
    /// The number of a take that the machine has asked for.
    public typealias Request = Int
    /// The number of a text that the machine has asked to write.
    public typealias Writing = Int

    /// What happened.
    public enum Event: Sendable, Hashable {
        /// Another field has the focus, or the same one has changed; `nil` if no field has it.
        case focused(KeyboardField?)
        /// The text before the cursor of the focused field, or its last part; `nil` if the program does not tell.
        case textBefore(String?)
        /// A text is in the field.
        case written(Writing)
        /// A text did not get into the field.
        case missed(Writing)
        /// Nobody knows whether a text got into the field. The text before the cursor tells, once the field has the focus
        /// again.
        case unsure(Writing)

        /// The key was pressed that records as long as it is held.
        case pressed
        /// That key was released.
        case released
        /// The key was pressed that begins and ends a take.
        case toggled
        /// The user throws the take away.
        case cancelled
        /// Somebody wants a text in the field that has the focus.
        case insert(InsertedText)
        /// Somebody shows text that may still change in a field; `nil` is the one that has the focus. An empty text hides it.
        case show(String, in: String?)

        /// The service records the take.
        case began(Request, TakeID)
        /// The service's status has changed.
        case status(ServiceStatus)
        /// The service has answered to the end of the take.
        case ended(Request, DictationAnswer)
        /// The take can't begin or go on.
        case failed(Request, DictationError)
    }

    /// What is to be done. Do it in order.
    public enum Action: Sendable, Hashable {
        /// Ask the service to hold a take. Answer with ``Event/began(_:_:)`` or ``Event/failed(_:_:)``.
        case begin(Request)
        /// Release the hold. Answer with ``Event/ended(_:_:)`` or ``Event/failed(_:_:)``.
        case end(Request)
        /// Cancel the take. It needs no answer.
        case cancel(Request)

        /// Write a text into a field. Answer with ``Event/written(_:)``, or with ``Event/missed(_:)`` if the field has lost
        /// the focus before.
        case write(String, into: String, number: Writing)
        /// Show text that may still change at the cursor; an empty text hides it.
        case preview(String)
        /// Tell the user something; `nil` hides it.
        case tell(Notice?)
        /// What became of the text that somebody wanted in the focused field.
        case inserted(number: Int, Insertion)
    }

    /// A text that somebody wants in a field.
    public struct InsertedText: Sendable, Hashable {
        /// The text.
        public var text: String
        /// A number of the caller's own, from 0 on.
        public var number: Int
        /// The text's take. The text of a take that this machine has asked for goes to its field.
        public var take: TakeID?
        /// The field; `nil` is the one that has the focus.
        public var field: String?

        /// Creates a description.
        public init(_ text: String, number: Int, take: TakeID? = nil, field: String? = nil) {
            (self.text, self.number, self.take, self.field) = (text, number, take, field)
        }
    }

    /// What a user should know.
    public enum Notice: Sendable, Hashable {
        /// This text belongs into a field that has lost the focus. It is written there when the focus returns.
        case waiting(String)
        /// The field refuses dictation.
        case refused(KeyboardField.Secret)
        /// The take can't begin or go on.
        case failed(DictationError)
        /// Another program has ended the take and has its text.
        case endedByAnother
        /// The service has written the take differently after a part of it was in the field.
        case rewritten
    }

    /// What became of an insertion.
    public enum Insertion: Sendable, Hashable {
        /// The text is in the field.
        case written
        /// No field has the focus.
        case noField
        /// The text's field has lost the focus.
        case moved
        /// Nobody knows whether the text is in the field.
        case unsure
        /// The field refuses text.
        case refused(KeyboardField.Secret)
    }
}
