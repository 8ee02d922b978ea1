import DictationCore
import DictationService

/// What is between the fields of programs and a dictation service: a value with no clock, no task and no lock.
///
/// It decides who asks the service, which text belongs into which field, and what waits. Tell it what happens with
/// ``handle(_:)``, and do what it returns. ``DictationKeyboard`` does the part that concerns the service.
///
/// - A take belongs to the field that had the focus when it began. Its text gets into that field, complete, in order and
///   once, and into no other one.
/// - While that field does not have the focus, the text waits. Audio is still recorded.
/// - No take begins in a field with a secret, and no text gets into one.
/// - What can't be written stays in the service, for `DictationIntent.last`.
public struct KeyboardMachine: Sendable {
    /// Takes and insertions whose text is not in a field. The oldest are given up for newer ones.
    static let waitingLimit = 16
    /// How much of the text before the cursor is kept.
    private static let contextLimit = 100

    private struct Take: Sendable {
        enum Phase: Sendable { case beginning, recording, ending, over }

        let request: Request
        let home: String
        var phase = Phase.beginning
        var id: TakeID?
        var locale: SpeechLocale = "en-US"
        /// Whether the user has ended it before it began.
        var isReleased = false
        /// The text that no longer changes, and the text after it.
        var finalText = "", volatile = ""
        /// The part of the final text that is in the field.
        var written = ""
        /// What may be in the field, and the text that is before the cursor if it is.
        var unsure: (piece: String, evidence: String)?
        /// The number of the caller that waits until the whole text is in the field; `nil` if none does.
        var insertion: Int?
        /// Whether that caller was told that the field has lost the focus, and looks for another place.
        var isPassedOn = false

        var isActive: Bool { phase == .beginning || phase == .recording }
        /// The final text that is not in the field; `nil` if the field has another text.
        var rest: String? {
            guard finalText.utf8.starts(with: written.utf8) else { return nil }
            return String(decoding: finalText.utf8.dropFirst(written.utf8.count), as: UTF8.self)
        }
    }

    /// A text that is on its way into the field.
    private struct Pending: Sendable {
        enum Source: Sendable { case take(Request, String), insertion(number: Int) }

        let number: Writing
        let source: Source
        let text: String
        let field: String
        /// The text before the cursor, with this text.
        let evidence: String
    }

    /// The field that has the focus.
    public private(set) var field: KeyboardField?
    private var before: String?
    /// Whether the text before the cursor was told since the field got the focus.
    private var hasHeard = false
    private var takes: [Take] = []
    private var insertions: [InsertedText] = []
    /// Whether the focused field has not taken a text. It gets no other before the focus moves: it would not take that either.
    private var isDeaf = false
    /// What somebody else shows, and where.
    private var shown: (text: String, field: String)?
    private var pending: Pending?
    private var count = 0
    /// The notice of the last event; `nil` if there is none.
    private var news: Notice?
    private var shownNotice: Notice?
    private var shownPreview = ""

    /// Creates a machine without a field.
    public init() {}

    /// Whether a take of this machine is recorded.
    public var isRecording: Bool { takes.contains { $0.isActive } }
    /// Whether the machine waits for a take's text.
    public func waits(for request: Request) -> Bool { takes.contains { $0.request == request && $0.phase != .over } }
    /// The text that is not in its field yet. It is also what the service keeps.
    public var waitingText: String {
        takes.map { $0.locale.join([$0.rest ?? "", $0.volatile]) }.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// Takes an event into account.
    ///
    /// - Returns: What is to be done, in order.
    public mutating func handle(_ event: Event) -> [Action] {
        var actions: [Action] = []
        switch event {
        case .focused(let new): focus(new, &actions)
        case .textBefore(let text): hear(text)
        case .written(let number): settle(number, .written, &actions)
        case .missed(let number): settle(number, .moved, &actions)
        case .unsure(let number): settle(number, .unsure, &actions)
        case .pressed: if !isRecording { begin(&actions) }
        case .released: end(&actions)
        case .toggled: if isRecording { end(&actions) } else { begin(&actions) }
        case .cancelled: cancel(&actions)
        case .insert(let inserted): insert(inserted, &actions)
        case .show(let text, let target): shown = (target ?? field?.id).flatMap { text.isEmpty ? nil : (text, $0) }
        case .began(let request, let take): began(request, take, &actions)
        case .status(let status): note(status, &actions)
        case .ended(let request, let answer): note(answer, to: request)
        case .failed(let request, let error): note(error, of: request)
        }
        proceed(&actions)
        return actions
    }

    // MARK: The user

    private mutating func focus(_ new: KeyboardField?, _ actions: inout [Action]) {
        defer { field = new }
        guard new?.id != field?.id else { return }
        news = nil
        before = nil
        (hasHeard, isDeaf) = (false, false)
        hide(&actions)
        for insertion in insertions { actions.append(.inserted(number: insertion.number, .moved)) }
        insertions = []
    }

    /// Hides what belongs to the field that loses the focus.
    private mutating func hide(_ actions: inout [Action]) {
        if !shownPreview.isEmpty { actions.append(.preview("")) }
        if shownNotice != nil { actions.append(.tell(nil)) }
        (shownPreview, shownNotice) = ("", nil)
    }

    private mutating func begin(_ actions: inout [Action]) {
        news = nil
        guard let field else { return }
        if let secret = field.secret {
            news = .refused(secret)
            return
        }
        count += 1
        if takes.count >= Self.waitingLimit, let oldest = takes.firstIndex(where: { $0.phase == .over }) {
            takes.remove(at: oldest)
        }
        takes.append(Take(request: count, home: field.id))
        actions.append(.begin(count))
    }

    private mutating func end(_ actions: inout [Action]) {
        guard let index = takes.firstIndex(where: { $0.isActive }) else { return }
        if takes[index].phase == .beginning {
            takes[index].isReleased = true
        } else {
            takes[index].phase = .ending
            actions.append(.end(takes[index].request))
        }
    }

    private mutating func cancel(_ actions: inout [Action]) {
        news = nil
        // An earlier take that becomes text is not what the user looks at.
        guard let index = takes.lastIndex(where: { $0.phase != .over }) else { return }
        let take = takes.remove(at: index)
        actions.append(.cancel(take.request))
    }

    private mutating func insert(_ inserted: InsertedText, _ actions: inout [Action]) {
        if let take = inserted.take, let index = takes.firstIndex(where: { $0.id == take && $0.phase != .over }) {
            takes[index].finalText = inserted.text
            takes[index].volatile = ""
            if let earlier = takes[index].insertion { actions.append(.inserted(number: earlier, .moved)) }
            takes[index].insertion = inserted.number
            return
        }
        let answer: Insertion? =
            switch field {
            case nil: inserted.field == nil ? .noField : .moved
            case let field? where inserted.field ?? field.id != field.id: .moved
            case let field? where field.secret != nil: field.secret.map { .refused($0) }
            case _ where inserted.text.isEmpty: .written
            default: insertions.count < Self.waitingLimit ? nil : .noField
            }
        if let answer {
            actions.append(.inserted(number: inserted.number, answer))
        } else {
            insertions.append(inserted)
        }
    }

    // MARK: The service

    private func index(of request: Request) -> Int? { takes.firstIndex { $0.request == request } }

    private mutating func began(_ request: Request, _ take: TakeID, _ actions: inout [Action]) {
        guard let index = index(of: request), takes[index].phase == .beginning else { return }
        takes[index].id = take
        takes[index].phase = takes[index].isReleased ? .ending : .recording
        if takes[index].isReleased { actions.append(.end(request)) }
    }

    private mutating func note(_ status: ServiceStatus, _ actions: inout [Action]) {
        guard let take = status.take,
            let index = takes.firstIndex(where: { $0.id == take && ($0.phase == .recording || $0.phase == .ending) })
        else { return }
        takes[index].finalText = status.finalText
        takes[index].volatile = status.volatileText
        takes[index].locale = status.locale
        // It has ended by itself, so its text can be asked for.
        guard takes[index].phase == .recording, !status.isActive else { return }
        takes[index].phase = .ending
        actions.append(.end(takes[index].request))
    }

    private mutating func note(_ answer: DictationAnswer, to request: Request) {
        guard let index = index(of: request), takes[index].phase == .ending else { return }
        takes[index].phase = .over
        takes[index].volatile = ""
        switch answer {
        case .text(let text) where takes[index].isPassedOn && text.delivery?.destination != nil: takes.remove(at: index)
        case .text(let text):
            takes[index].finalText = text.text
            takes[index].locale = text.transcript.locale
            if let error = text.error { news = .failed(error) }
        case .endedByAnother:
            takes.remove(at: index)
            news = .endedByAnother
        default: takes.remove(at: index)
        }
    }

    private mutating func note(_ error: DictationError, of request: Request) {
        guard let index = index(of: request), takes[index].phase != .over else { return }
        // What no longer changes can still be written.
        takes[index].phase = .over
        takes[index].volatile = ""
        news = .failed(error)
    }

    // MARK: Text

    private mutating func settle(_ number: Writing, _ outcome: Insertion, _ actions: inout [Action]) {
        guard let pending, pending.number == number else { return }
        self.pending = nil
        if pending.field == field?.id {
            if outcome == .moved { isDeaf = true }
            if outcome == .unsure { hasHeard = false }
        }
        switch pending.source {
        case .insertion(let number): actions.append(.inserted(number: number, outcome))
        case .take(let request, let piece):
            guard let index = index(of: request) else { break }
            if outcome == .written { takes[index].written += piece }
            if outcome == .unsure { takes[index].unsure = (piece, pending.evidence) }
        }
        // It is known at least what this machine wrote.
        if outcome == .written, pending.field == field?.id {
            before = String(((before ?? "") + pending.text).suffix(Self.contextLimit))
        }
    }

    /// Learns the text before the cursor, and from it whether a doubtful piece is in the field.
    private mutating func hear(_ text: String?) {
        before = text.map { String($0.suffix(Self.contextLimit)) }
        hasHeard = true
        for (index, take) in takes.enumerated() where take.home == field?.id {
            guard let (piece, evidence) = take.unsure else { continue }
            takes[index].unsure = nil
            // If nobody can tell, it is better once than twice: the service has it.
            guard let before else { takes[index].written += piece; continue }
            if before.utf8.suffix(Self.contextLimit / 2).elementsEqual(evidence.utf8.suffix(Self.contextLimit / 2)) {
                takes[index].written += piece
            }
        }
    }

    /// Writes the next text, and shows what waits.
    private mutating func proceed(_ actions: inout [Action]) {
        if takes.contains(where: { $0.phase == .over && $0.rest == nil }) { news = .rewritten }
        takes = takes.filter { $0.phase != .over || $0.rest?.isEmpty == false || isPending($0.request) }
        if pending == nil { writeNext(&actions) }
        answerInsertions(&actions)
        let preview = preview
        if preview != shownPreview {
            shownPreview = preview
            actions.append(.preview(preview))
        }
        let notice = news ?? waitingNotice
        if notice != shownNotice {
            shownNotice = notice
            actions.append(.tell(notice))
        }
    }

    /// Tells the caller that delivers a take whether the text is in its field or waits.
    private mutating func answerInsertions(_ actions: inout [Action]) {
        for (index, take) in takes.enumerated() {
            guard let number = take.insertion, !isPending(take.request) else { continue }
            let isHome = take.home == field?.id && field?.secret == nil
            guard take.rest?.isEmpty ?? true || !isHome else { continue }
            takes[index].insertion = nil
            takes[index].isPassedOn = take.rest?.isEmpty == false
            actions.append(.inserted(number: number, take.rest?.isEmpty == false ? .moved : .written))
        }
    }

    private func isPending(_ request: Request) -> Bool {
        if case .take(request, _) = pending?.source { true } else { false }
    }

    private mutating func writeNext(_ actions: inout [Action]) {
        guard let field, field.secret == nil, !isDeaf, hasHeard || !field.tellsText else { return }
        // A take that becomes text later waits for the one before it.
        if let take = takes.first(where: { $0.home == field.id }), let rest = take.rest, !rest.isEmpty {
            guard take.unsure == nil else { return }
            write(fitted(rest, of: take, in: field), into: field, .take(take.request, rest), &actions)
        } else if let insertion = insertions.first {
            insertions.removeFirst()
            let text = FieldText.fitted(insertion.text, after: before, hasCapitals: field.isProse, locale: "en-US")
            write(text, into: field, .insertion(number: insertion.number), &actions)
        }
    }

    private mutating func write(
        _ text: String, into field: KeyboardField, _ source: Pending.Source, _ actions: inout [Action]
    ) {
        let text = TypedText.plain(text, field.takesLines ? .enter : .space)
        count += 1
        pending = Pending(number: count, source: source, text: text, field: field.id, evidence: (before ?? "") + text)
        actions.append(.write(text, into: field.id, number: count))
    }

    private func fitted(_ piece: String, of take: Take, in field: KeyboardField) -> String {
        // What follows in a take already fits to what was said before it.
        guard take.written.isEmpty else { return piece }
        return FieldText.fitted(piece, after: before, hasCapitals: field.isProse, locale: take.locale)
    }

    /// What is not written yet of the takes that belong to the focused field.
    private var preview: String {
        guard let field, field.secret == nil else { return "" }
        var preview = ""
        for take in takes where take.home == field.id {
            preview = take.locale.join([preview, unwritten(take)])
        }
        if preview.isEmpty, let shown, shown.field == field.id {
            return FieldText.fitted(shown.text, after: before, hasCapitals: field.isProse, locale: "en-US")
        }
        guard let take = takes.first(where: { $0.home == field.id }), !isPending(take.request) else { return preview }
        return fitted(preview, of: take, in: field)
    }

    private func unwritten(_ take: Take) -> String {
        guard var rest = take.rest else { return "" }
        var written = take.written
        if case .take(take.request, let piece) = pending?.source, rest.utf8.starts(with: piece.utf8) {
            written += piece
            rest = String(decoding: rest.utf8.dropFirst(piece.utf8.count), as: UTF8.self)
        }
        let all = take.locale.join([written + rest, take.volatile])
        return String(decoding: all.utf8.dropFirst(written.utf8.count), as: UTF8.self)
    }

    private var waitingNotice: Notice? {
        let away = takes.filter { $0.home != field?.id || field?.secret != nil }
        let texts = away.map { $0.locale.join([$0.rest ?? "", $0.volatile]) }.filter { !$0.isEmpty }
        return texts.isEmpty ? nil : .waiting(texts.joined(separator: " "))
    }
}
