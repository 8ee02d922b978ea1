#if SystemBus
import DictationCore

/// Decides what a keyboard of IBus does: a value without a bus, without a clock and without a keyboard.
///
/// It knows the field that has the focus, the texts that are on their way into fields, and the keys that are held.
struct IBusMachine {
    /// What is to be done, in order.
    enum Action: Hashable {
        /// Tell the keyboard.
        case tell(KeyboardMachine.Event)
        /// Send a signal of an engine.
        case signal(engine: String, String, [BusValue])
        /// Write a text, and ask before and after it which context has the focus. Answer with ``committed(_:first:second:)``.
        case commit(Writing)
    }

    /// A text on its way to a context.
    struct Writing: Hashable {
        let number: KeyboardMachine.Writing
        let engine: String
        let context: String
        let text: String
        /// Whether the context had the focus just before.
        var hadFocus = false
    }

    private struct Misplaced {
        let context: String
        let text: String
        /// Whether the text can't be anywhere else.
        let isCertain: Bool
        let time: Duration
    }

    static let enginePath = "/org/swift_dictation/Engine/"
    /// How long a key is believed to be held while no field hears of its release.
    private static let holdTimeout = Duration.seconds(5)
    /// How long a program may take to tell the text of a field.
    private static let textTimeout = Duration.milliseconds(200)
    /// How long a misplaced text is looked for.
    private static let repairTimeout = Duration.seconds(30)
    /// Of how many contexts the text is remembered.
    private static let memoryLimit = 64

    private let keys: IBusKeyboard.Keys
    /// The engine whose context has the focus.
    private var engine = ""
    private var focus: IBusFocus
    private var field: KeyboardField?
    private var before = ""
    /// The text before the cursor of each context, as it was told last.
    private var remembered: [String: String] = [:]
    /// Texts that the daemon may not have passed on yet, by the numbers of the questions that are asked before and after each.
    private var writings: [UInt64: Writing] = [:]
    private var beginnings: [UInt64: UInt64] = [:]
    /// Texts that went to another context, because the focus had just moved. They are taken back.
    private var misplaced: [Misplaced] = []
    private var preview = ""
    private var notice: KeyboardMachine.Notice?
    private var shownAuxiliary = ""
    private var held: UInt32?
    private var consumed: UInt32?
    /// When the program has had enough time to tell the text of a field that got the focus.
    private var textDueAt: Duration?
    private var fieldLostAt: Duration?
    private var actions: [Action] = []

    /// - Parameter connection: The number of the connection to a daemon.
    init(_ keys: IBusKeyboard.Keys, connection: Int) {
        self.keys = keys
        focus = IBusFocus(connection: connection)
    }

    /// Returns what is to be done since the last call.
    mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }

    // MARK: The daemon

    /// Takes a call of the daemon into account.
    ///
    /// - Parameter isRecording: Whether the keyboard records a take.
    /// - Returns: Whether the program must not get the key that the call is about.
    mutating func handle(_ call: IBusCall, isRecording: Bool, at now: Duration) -> Bool {
        var isTaken = false
        switch call {
        case .create, .wish, .allProperties, .other: break
        case .content(let purpose, let hints): focus.set(purpose: purpose, hints: hints)
        case .key(let symbol, let state): isTaken = key(symbol, state, isRecording: isRecording, at: now)
        case .focusIn(let engine, let context, let client):
            self.engine = engine
            focus.enter(context, client)
            signal("RequireSurroundingText", [])
        case .focusInUnnamed(let engine):
            self.engine = engine
            focus.enterUnnamed(engine)
        case .focusOut(let engine, let context): if engine == self.engine { focus.leave(context) }
        case .capabilities(let number): focus.set(capabilities: number)
        case .surroundingText(let text, let cursor, let anchor): surroundingText(text, cursor, anchor, at: now)
        case .reset:
            focus.reset()
            // The program may have hidden it.
            if !preview.isEmpty { show(preview) }
        }
        publish(at: now)
        return isTaken
    }

    /// Does what is due.
    ///
    /// - Returns: When something else will be.
    mutating func look(at now: Duration) -> Duration? {
        if let due = textDueAt, due <= now { tellText() }
        if let released, released <= now { release() }
        return [textDueAt, released].compactMap(\.self).min()
    }

    private var released: Duration? { held == nil ? nil : fieldLostAt.map { $0 + Self.holdTimeout } }

    /// The connection has ended.
    mutating func end() {
        tell(.focused(nil))
        for writing in writings.values { tell(.unsure(writing.number)) }
        writings = [:]
        release()
    }

    private mutating func surroundingText(_ text: String, _ cursor: UInt32, _ anchor: UInt32, at now: Duration) {
        let earlier = focus.context.flatMap { remembered[$0] }
        before = String(String.UnicodeScalarView(text.unicodeScalars.prefix(Int(min(cursor, anchor)))))
        tellText()
        if !misplaced.isEmpty { takeBack(earlier, at: now) }
        if let context = focus.context {
            if remembered.count >= Self.memoryLimit { remembered = [:] }
            remembered[context] = before
        }
    }

    /// Tells the text before the cursor.
    private mutating func tellText() {
        textDueAt = nil
        if field != nil { tell(.textBefore(focus.tellsText ? before : nil)) }
    }

    /// Takes a key into account; whether the program must not get it.
    private mutating func key(_ symbol: UInt32, _ state: UInt32, isRecording: Bool, at now: Duration) -> Bool {
        focus.key()
        publish(at: now)
        if textDueAt != nil { tellText() }
        if state & 1 << 30 != 0 {
            if let key = keys.hold, key.isOf(symbol), held == symbol {
                release()
                return true
            }
            defer { if consumed == symbol { consumed = nil } }
            return consumed == symbol
        }
        if let key = keys.hold, key.matches(symbol: symbol, state: state) {
            // A key that is held repeats.
            if held == nil { tell(.pressed) }
            held = symbol
            return true
        }
        let isRepeated = consumed == symbol
        if let key = keys.toggle, key.matches(symbol: symbol, state: state) {
            if !isRepeated { tell(.toggled) }
        } else if KeyboardKey.escape.matches(symbol: symbol, state: state), isRecording || isRepeated {
            if !isRepeated { tell(.cancelled) }
        } else {
            return held == symbol
        }
        consumed = symbol
        return true
    }

    private mutating func release() {
        guard held != nil else { return }
        held = nil
        tell(.released)
    }

    /// Tells the keyboard which field has the focus, if that has changed.
    private mutating func publish(at now: Duration) {
        let new = focus.field
        guard new != field else { return }
        let isOther = new?.id != field?.id
        field = new
        fieldLostAt = new == nil ? fieldLostAt ?? now : nil
        if isOther { hide() }
        tell(.focused(new))
        // The daemon passes a text on only if it differs from the last one, whose field may have been another.
        if isOther { textDueAt = new?.tellsText == true ? now + Self.textTimeout : nil }
    }

    // MARK: The keyboard

    /// Does what the keyboard asks for.
    mutating func perform(_ action: KeyboardMachine.Action) {
        switch action {
        case .write(let text, let target, let number):
            guard let context = focus.context, focus.field?.id == target else { return tell(.missed(number)) }
            actions.append(.commit(Writing(number: number, engine: engine, context: context, text: text)))
        case .preview(let text): show(text)
        case .tell(let notice):
            self.notice = notice
            showAuxiliary()
        default: break
        }
    }

    /// A text was sent.
    ///
    /// - Parameters:
    ///   - first: The number of the question before it; `nil` if that could not be sent, and the text was not.
    ///   - second: The number of the question after it.
    mutating func committed(_ writing: Writing, first: UInt64?, second: UInt64?) {
        guard let first else { return tell(.missed(writing.number)) }
        guard let second else { return tell(.unsure(writing.number)) }
        beginnings[first] = second
        writings[second] = writing
    }

    /// A question was answered.
    ///
    /// - Parameter context: The context that has the focus; `nil` if the daemon does not say.
    mutating func answered(_ question: UInt64, with context: String?, at now: Duration) {
        if let end = beginnings.removeValue(forKey: question) {
            if let writing = writings[end] { writings[end]?.hadFocus = context == writing.context }
        } else if let writing = writings.removeValue(forKey: question) {
            settle(writing, context, at: now)
        }
    }

    /// Learns what became of a text that was between two questions for the focus.
    private mutating func settle(_ writing: Writing, _ answer: String?, at now: Duration) {
        // A daemon that does not name its contexts has told of a change before it answers.
        let isNamed = !writing.context.hasPrefix(Self.enginePath)
        let context = isNamed ? answer : focus.context
        guard context != writing.context else { return tell(.written(writing.number)) }
        if let context {
            misplaced.append(
                Misplaced(context: context, text: writing.text, isCertain: !writing.hadFocus, time: now))
        }
        tell(writing.hadFocus ? .unsure(writing.number) : .missed(writing.number))
    }

    /// Deletes a misplaced text, if just this was added to the focused field.
    ///
    /// - Parameter earlier: The text before the cursor, as it was told before; `nil` if it never was.
    private mutating func takeBack(_ earlier: String?, at now: Duration) {
        misplaced.removeAll { $0.time + Self.repairTimeout < now }
        let index = misplaced.firstIndex { text in
            guard text.context == focus.context else { return false }
            guard let earlier else { return text.isCertain && before.hasSuffix(text.text) }
            return before == earlier + text.text
        }
        guard let index else { return }
        let count = misplaced.remove(at: index).text.unicodeScalars.count
        signal("DeleteSurroundingText", [.integer32(Int32(clamping: -count)), .number32(UInt32(clamping: count))])
        signal("RequireSurroundingText", [])
    }

    // MARK: What the user sees

    private mutating func show(_ text: String) {
        preview = text
        guard !focus.keepsPreview else { return showAuxiliary() }
        // Mode 0: the text is dropped when the focus moves.
        signal(
            "UpdatePreeditText",
            [
                IBusValues.text(text, isUnderlined: true), .number32(UInt32(clamping: text.unicodeScalars.count)),
                .flag(!text.isEmpty), .number32(0),
            ])
    }

    private mutating func showAuxiliary() {
        let words = [notice?.words ?? "", focus.keepsPreview ? preview : ""].filter { !$0.isEmpty }
        let text = words.joined(separator: " ")
        guard text != shownAuxiliary else { return }
        shownAuxiliary = text
        signal("UpdateAuxiliaryText", [IBusValues.text(text), .flag(!text.isEmpty)])
    }

    private mutating func hide() {
        if !preview.isEmpty { show("") }
        notice = nil
        showAuxiliary()
        shownAuxiliary = ""
    }

    private mutating func tell(_ event: KeyboardMachine.Event) { actions.append(.tell(event)) }

    private mutating func signal(_ member: String, _ values: [BusValue]) {
        if !engine.isEmpty { actions.append(.signal(engine: engine, member, values)) }
    }
}
#endif
