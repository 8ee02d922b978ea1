import DictationCore
import DictationTesting
import TestSupport
import Testing

@testable import DictationDesktop
@testable import DictationService

@Suite struct KeyboardScheduleTests {
    @Test func noTextIsLostDoubledOrInAWrongField() async {
        let failures = await RandomRuns.failures(of: "KeyboardMachine") { KeyboardSchedule(seed: $0).problems() }
        #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
    }
}

/// One random run of a machine: a user, a program with fields, and a service, who all learn late of what the others do.
private struct KeyboardSchedule {
    private struct Take {
        let home: String
        /// The number of words that were said, and that the service has as final text.
        var said = 0, final = 0
        var isCancelled = false, isComplete = false, isOver = false
    }

    private var random: SplitMix64
    private var machine = KeyboardMachine()
    private let tellsText: Bool
    private let fields = ["a", "b", "c"]
    private var contents: [String: String] = [:]
    /// The field that has the focus. The machine hears of it later.
    private var focus: String?
    private var known: String?
    private var events: [KeyboardMachine.Event] = []
    private var writes: [(text: String, field: String, number: Int)] = []
    private var takes: [Int: Take] = [:]
    private var recorded: Int?
    private var insertions: [Int: KeyboardMachine.Insertion] = [:]
    private var insertionCount = 0
    private var problem: String?

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        tellsText = Bool.random(using: &random)
    }

    func problems() -> [String] {
        var run = self
        for _ in 0..<120 { run.step() }
        run.settle()
        return (run.problem.map { [$0] } ?? []) + run.check()
    }

    private mutating func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &random) < probability
    }

    private mutating func step() {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: move(to: [nil, "secret", "a", "b", "c", "a", "b"].randomElement(using: &random) ?? nil)
        case 1: events.append([.pressed, .toggled, .pressed].randomElement(using: &random) ?? .pressed)
        case 2: events.append([.released, .released, .toggled].randomElement(using: &random) ?? .released)
        case 3 where chance(0.2): events.append(.cancelled)
        case 4 where chance(0.3):
            insertionCount += 1
            events.append(.insert(.init("i\(insertionCount).1", number: insertionCount)))
        case 5, 6: say()
        case 7: write()
        default: hear()
        }
    }

    private mutating func move(to field: String?) {
        focus = field
        events.append(
            .focused(
                field.map { KeyboardField(id: $0, secret: $0 == "secret" ? .password : nil, tellsText: tellsText) }))
        tellText()
    }

    private mutating func tellText() {
        if tellsText, let focus { events.append(.textBefore(contents[focus] ?? "")) }
    }

    private mutating func say() {
        guard let request = recorded, var take = takes[request] else { return }
        take.said += Int.random(in: 0...2, using: &random)
        if chance(0.6) { take.final = Int.random(in: take.final...take.said, using: &random) }
        takes[request] = take
        if chance(0.05) { return end(request, isForeign: true) }
        if chance(0.8) { events.append(.status(status(request, take, .recording))) }
    }

    private func status(_ request: Int, _ take: Take, _ state: ServiceStatus.State) -> ServiceStatus {
        var status = ServiceStatus(engine: "test")
        (status.state, status.take) = (state, TakeID(number: request))
        status.finalText = words(request, 0..<take.final)
        status.changingText = words(request, take.final..<take.said)
        return status
    }

    private func words(_ request: Int, _ range: Range<Int>) -> String {
        range.map { "w\(request).\($0 + 1)" }.joined(separator: " ")
    }

    /// The program takes the next text, if the field still has the focus.
    private mutating func write() {
        guard !writes.isEmpty else { return }
        let next = writes.removeFirst()
        let isUnsure = tellsText && chance(0.2)
        let arrives = next.field == focus && !(isUnsure && chance(0.5))
        if arrives { contents[next.field, default: ""] += next.text }
        events.append(isUnsure ? .unsure(next.number) : arrives ? .written(next.number) : .missed(next.number))
        tellText()
    }

    private mutating func hear() {
        guard !events.isEmpty else { return }
        let event = events.removeFirst()
        if case .focused(let field) = event { known = field?.id }
        for action in machine.handle(event) { perform(action) }
        if writes.count > 1 { problem = problem ?? "two texts are on their way" }
    }

    private mutating func perform(_ action: KeyboardMachine.Action) {
        switch action {
        case .begin(let request):
            guard let known, known != "secret" else {
                problem = problem ?? "a take began in \(known ?? "no field")"
                return
            }
            takes[request] = Take(home: known)
            guard recorded == nil, !chance(0.1) else {
                takes[request]?.isOver = true
                return events.append(.failed(request, DictationError(.alreadyRunning, "Another take is recorded.")))
            }
            recorded = request
            events.append(.began(request, TakeID(number: request)))
        case .end(let request): end(request, isForeign: false)
        case .cancel(let request):
            if recorded == request { recorded = nil }
            takes[request]?.isCancelled = true
            takes[request]?.isOver = true
        case .write(let text, let field, let number):
            if field == "secret" || field != known {
                problem = problem ?? "a text for \(field) in \(known ?? "no field")"
            }
            writes.append((text, field, number))
        case .inserted(let number, let outcome):
            if insertions.updateValue(outcome, forKey: number) != nil {
                problem = problem ?? "an insertion ended twice"
            }
        case .preview(let text):
            if known == "secret", !text.isEmpty { problem = problem ?? "a secret field shows text" }
        case .tell: break
        }
    }

    /// The service ends the take.
    private mutating func end(_ request: Int, isForeign: Bool) {
        guard var take = takes[request] else { return }
        if recorded == request { recorded = nil }
        if isForeign {
            // It failed by itself. Its text can still be asked for.
            events.append(.status(status(request, take, .failed)))
            takes[request] = take
            return
        }
        guard !take.isOver else { return }
        take.isOver = true
        switch Int.random(in: 0..<10, using: &random) {
        case 0: events.append(.failed(request, DictationError(.notRunning, "The service has ended.")))
        case 1: events.append(.ended(request, .endedByAnother(TakeID(number: request))))
        default:
            let segment = SpeechResult(range: .zero..<Duration.seconds(1), text: words(request, 0..<take.said))
            let transcript = Transcript(
                segments: take.said > 0 ? [segment] : [], duration: .seconds(1), locale: "en-US")
            take.isComplete = true
            events.append(
                .ended(request, .text(DictatedText(take: TakeID(number: request), transcript: transcript))))
        }
        takes[request] = take
    }

    private mutating func settle() {
        events.append(.released)
        drain()
        for field in fields {
            move(to: field)
            drain()
        }
    }

    private mutating func drain() {
        while !events.isEmpty || !writes.isEmpty {
            hear()
            write()
        }
    }

    // MARK: Promises

    private func check() -> [String] {
        var problems: [String] = []
        if machine.isRecording { problems.append("a take is still recorded") }
        if !machine.waitingText.isEmpty { problems.append("“\(machine.waitingText)” still waits") }
        for field in contents.keys where !fields.contains(field) { problems.append("\(field) has text") }
        var found: [String: Int] = [:]
        for field in fields {
            // Where the program does not tell the text before the cursor, a take may follow another without a space.
            let text = (contents[field] ?? "").lowercased().map { "wi".contains($0) ? " \($0)" : "\($0)" }.joined()
            for word in text.split(separator: " ").map(String.init) {
                let parts = word.split(separator: ".")
                guard parts.count == 2, let number = Int(parts[1]) else {
                    problems.append("“\(word)” in \(field) is no word")
                    continue
                }
                let owner = String(parts[0])
                if number != (found[owner] ?? 0) + 1 { problems.append("“\(word)” in \(field) is not the next word") }
                found[owner] = number
                if let request = Int(owner.dropFirst()), owner.hasPrefix("w"), takes[request]?.home != field {
                    problems.append("“\(word)” is in \(field), not in \(takes[request]?.home ?? "its field")")
                }
            }
        }
        for (request, take) in takes where take.isComplete && !take.isCancelled {
            let count = found["w\(request)"] ?? 0
            if count != take.said { problems.append("take \(request) has \(count) of \(take.said) words") }
        }
        for number in 0..<insertionCount {
            let isFound = found["i\(number + 1)"] == 1
            if insertions[number + 1] != .unsure, (insertions[number + 1] == .written) != isFound {
                problems.append("insertion \(number + 1) is \(insertions[number + 1].map { "\($0)" } ?? "open")")
            }
        }
        return problems
    }
}
