#if SystemBus
import DictationCore
import DictationPlatform

/// The engine that ibus-daemon talks to, on a connection's thread.
final class IBusEngine: BusServer {
    static let daemon = "org.freedesktop.IBus"
    static let daemonPath = "/org/freedesktop/IBus"
    private static let factory = "org.freedesktop.IBus.Factory"
    private static let interface = "org.freedesktop.IBus.Engine"
    private static let properties = "org.freedesktop.DBus.Properties"
    private static let enginePath = "/org/swift_dictation/Engine/"
    /// How long a key is believed to be held while no field hears of its release.
    private static let holdTimeout = Duration.seconds(5)

    private struct Writing {
        let number: KeyboardBridge.Writing
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
        let time = ContinuousClock.now
    }

    /// How long a program may take to tell the text of a field.
    private static let textTimeout = Duration.milliseconds(200)
    /// How long a misplaced text is looked for.
    private static let repairTimeout = Duration.seconds(30)
    /// Of how many contexts the text is remembered.
    private static let memoryLimit = 64

    private let bus: BusConnection
    private let keyboard: DictationKeyboard
    private let actions: KeyboardActions
    private let keys: IBusKeyboard.Keys
    private var engineCount = 0
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
    private var notice: KeyboardBridge.Notice?
    private var shownAuxiliary = ""
    private var held: UInt32?
    private var consumed: UInt32?
    /// When the program has had enough time to tell the text of a field that got the focus.
    private var textDueAt: ContinuousClock.Instant?
    private var fieldLostAt: ContinuousClock.Instant?

    /// Offers the engine to the daemon.
    ///
    /// - Parameter number: The number of the connection.
    init(
        _ bus: BusConnection, _ keyboard: DictationKeyboard, _ actions: KeyboardActions, _ keys: IBusKeyboard.Keys,
        number: Int, isSelected: Bool
    ) throws(DictationError) {
        self.bus = bus
        self.keyboard = keyboard
        self.actions = actions
        self.keys = keys
        focus = IBusFocus(connection: number)
        guard try Self.takeName(on: bus) else {
            throw DictationError(
                .alreadyRunning, "Another program already offers the dictation keyboard to IBus.",
                recovery: "Use it, or end it first.")
        }
        if try !Self.isKnown(to: bus) {
            _ = try bus.call(Self.daemon, Self.daemonPath, Self.daemon, "RegisterComponent", [IBusValues.component])
        }
        // The daemon answers only after it has made an engine, so nobody waits for it.
        if isSelected {
            _ = try bus.send(
                Self.daemon, Self.daemonPath, Self.daemon, "SetGlobalEngine", [.string(IBusInstallation.engine)])
        }
    }

    private static func takeName(on bus: BusConnection) throws(DictationError) -> Bool {
        // 4: do not wait until the name is free. 1: it is ours.
        let values = [BusValue.string(IBusInstallation.component), .number32(4)]
        let daemon = BusConnection.daemon
        return try bus.call(daemon, "/org/freedesktop/DBus", daemon, "RequestName", values).number32() == 1
    }

    /// Whether the daemon knows the engine from an installed file.
    private static func isKnown(to bus: BusConnection) throws(DictationError) -> Bool {
        let names = BusValue.array(of: "s", [.string(IBusInstallation.engine)])
        let reply = try bus.call(daemon, daemonPath, daemon, "GetEnginesByNames", [names])
        return reply.inside("a", "v") { reply.hasMore } ?? false
    }

    // MARK: Server

    func receive(_ message: BusMessage) {
        if let call = message.answeredCall {
            let context = message.inside("v", "o") { message.objectPath() }
            if let end = beginnings.removeValue(forKey: call) {
                if let writing = writings[end] { writings[end]?.hadFocus = context == writing.context }
            } else if let writing = writings.removeValue(forKey: call) {
                settle(writing, context)
            }
        } else if message.isCall {
            let values = answer(message)
            if let values { bus.answer(message, values) } else { refuse(message) }
            publish()
        }
    }

    func rest() -> Int32 {
        while let action = actions.next() { perform(action) }
        if let due = textDueAt, due <= .now { tellText() }
        let released = held == nil ? nil : fieldLostAt.map { $0 + Self.holdTimeout }
        if let released, released <= .now { release() }
        while let action = actions.next() { perform(action) }
        guard let next = [textDueAt, held == nil ? nil : released].compactMap(\.self).min() else { return -1 }
        return Int32(max(0, ((next - .now) / .milliseconds(1)).rounded(.up)))
    }

    func end() {
        keyboard.handle(.focused(nil))
        for writing in writings.values { keyboard.handle(.unsure(writing.number)) }
        writings = [:]
        release()
    }

    private func refuse(_ message: BusMessage) {
        bus.refuse(message, "org.freedesktop.DBus.Error.UnknownMethod", "There is no such method.")
    }

    /// Learns what became of a text that was between two questions for the focus.
    private func settle(_ writing: Writing, _ answer: String?) {
        // A daemon that does not name its contexts has told of a change before it answers.
        let isNamed = !writing.context.hasPrefix(Self.enginePath)
        let context = isNamed ? answer : focus.context
        guard context != writing.context else { return keyboard.handle(.written(writing.number)) }
        if let context {
            misplaced.append(Misplaced(context: context, text: writing.text, isCertain: !writing.hadFocus))
        }
        keyboard.handle(writing.hadFocus ? .unsure(writing.number) : .missed(writing.number))
    }

    /// Deletes a misplaced text, if just this was added to the focused field.
    ///
    /// - Parameter earlier: The text before the cursor, as it was told before; `nil` if it never was.
    private func takeBack(_ earlier: String?) {
        misplaced.removeAll { $0.time + Self.repairTimeout < .now }
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

    // MARK: Calls

    /// Does what a call asks for; `nil` for an unknown one.
    private func answer(_ message: BusMessage) -> [BusValue]? {
        switch (message.interface, message.member) {
        case (Self.factory, "CreateEngine"):
            engineCount += 1
            return [.path(Self.enginePath + "\(engineCount)")]
        case (Self.properties, "Get"):
            // The daemon asks whether it should name the fields, and tell their text.
            return [.variant(.flag(true))]
        case (Self.properties, "GetAll"): return [.dictionary([])]
        case (Self.properties, "Set"):
            guard message.string() != nil, message.string() == "ContentType" else { return [] }
            let numbers = message.inside("v", "(uu)") {
                message.inside("r", "uu") { [message.number32(), message.number32()].compactMap { $0 } }
            }
            if let numbers, numbers.count == 2 { focus.set(purpose: numbers[0], hints: numbers[1]) }
            return []
        case (Self.interface, let member?): return engineAnswer(message, member)
        default: return message.member == "Destroy" ? [] : nil
        }
    }

    private func engineAnswer(_ message: BusMessage, _ member: String) -> [BusValue] {
        switch member {
        case "ProcessKeyEvent":
            guard let symbol = message.number32(), message.number32() != nil, let state = message.number32() else {
                break
            }
            return [.flag(key(symbol, state))]
        case "FocusInId":
            engine = message.path ?? ""
            focus.enter(message.string() ?? "", message.string() ?? "")
            signal("RequireSurroundingText", [])
        case "FocusIn":
            engine = message.path ?? ""
            focus.enterUnnamed(engine)
        case "FocusOutId": if message.path == engine { focus.leave(message.string()) }
        case "FocusOut", "Disable": if message.path == engine { focus.leave(nil) }
        case "SetCapabilities": if let number = message.number32() { focus.set(capabilities: number) }
        case "SetSurroundingText": surroundingText(message)
        case "Reset":
            focus.reset()
            // The program may have hidden it.
            if !preview.isEmpty { show(preview) }
        default: break
        }
        return []
    }

    private func surroundingText(_ message: BusMessage) {
        let text = message.inside("v", "(sa{sv}sv)") {
            message.inside("r", "sa{sv}sv") { () -> String? in
                message.skip("sa{sv}")
                return message.string()
            }
        }
        guard let text = text.flatMap({ $0 }).flatMap({ $0 }), let cursor = message.number32(),
            let anchor = message.number32()
        else { return }
        let earlier = focus.context.flatMap { remembered[$0] }
        before = String(String.UnicodeScalarView(text.unicodeScalars.prefix(Int(min(cursor, anchor)))))
        tellText()
        if !misplaced.isEmpty { takeBack(earlier) }
        if let context = focus.context {
            if remembered.count >= Self.memoryLimit { remembered = [:] }
            remembered[context] = before
        }
    }

    /// Tells the text before the cursor.
    private func tellText() {
        textDueAt = nil
        if field != nil { keyboard.handle(.textBefore(focus.tellsText ? before : nil)) }
    }

    /// Takes a key into account; whether the program must not get it.
    private func key(_ symbol: UInt32, _ state: UInt32) -> Bool {
        focus.key()
        publish()
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
            if held == nil { keyboard.handle(.pressed) }
            held = symbol
            return true
        }
        let isRepeated = consumed == symbol
        if let key = keys.toggle, key.matches(symbol: symbol, state: state) {
            if !isRepeated { keyboard.handle(.toggled) }
        } else if KeyboardKey.escape.matches(symbol: symbol, state: state), keyboard.isRecording || isRepeated {
            if !isRepeated { keyboard.handle(.cancelled) }
        } else {
            return held == symbol
        }
        consumed = symbol
        return true
    }

    private func release() {
        guard held != nil else { return }
        held = nil
        keyboard.handle(.released)
    }

    /// Tells the keyboard which field has the focus, if that has changed.
    private func publish() {
        let new = focus.field
        guard new != field else { return }
        let isOther = new?.id != field?.id
        field = new
        fieldLostAt = new == nil ? fieldLostAt ?? .now : nil
        if isOther { hide() }
        keyboard.handle(.focused(new))
        // The daemon passes a text on only if it differs from the last one, whose field may have been another.
        if isOther { textDueAt = new?.tellsText == true ? .now + Self.textTimeout : nil }
    }

    // MARK: Actions

    private func perform(_ action: KeyboardBridge.Action) {
        switch action {
        case .write(let text, let target, let number): write(text, target, number)
        case .preview(let text): show(text)
        case .tell(let notice):
            self.notice = notice
            showAuxiliary()
        default: break
        }
    }

    private func write(_ text: String, _ target: String, _ number: KeyboardBridge.Writing) {
        guard let context = focus.context, focus.field?.id == target, let first = askForFocus() else {
            return keyboard.handle(.missed(number))
        }
        signal("CommitText", [IBusValues.text(text)])
        signal("RequireSurroundingText", [])
        guard let second = askForFocus() else { return keyboard.handle(.unsure(number)) }
        beginnings[first] = second
        writings[second] = Writing(number: number, context: context, text: text)
    }

    /// Asks which context has the focus; the number of the question.
    private func askForFocus() -> UInt64? {
        try? bus.send(
            Self.daemon, Self.daemonPath, Self.properties, "Get",
            [.string(Self.daemon), .string("CurrentInputContext")])
    }

    private func show(_ text: String) {
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

    private func showAuxiliary() {
        let words = [notice?.words ?? "", focus.keepsPreview ? preview : ""].filter { !$0.isEmpty }
        let text = words.joined(separator: " ")
        guard text != shownAuxiliary else { return }
        shownAuxiliary = text
        signal("UpdateAuxiliaryText", [IBusValues.text(text), .flag(!text.isEmpty)])
    }

    private func hide() {
        if !preview.isEmpty { show("") }
        notice = nil
        showAuxiliary()
        shownAuxiliary = ""
    }

    private func signal(_ member: String, _ values: [BusValue]) {
        guard !engine.isEmpty else { return }
        bus.signal(engine, Self.interface, member, values)
    }
}
#endif
