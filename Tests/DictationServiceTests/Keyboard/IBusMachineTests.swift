#if SystemBus
import DictationCore
import DictationTesting
import TestSupport
import Testing

@testable import DictationDesktop
@testable import DictationService

/// What a keyboard of IBus decides.
@Suite struct IBusMachineTests {
    /// Whatever a daemon and a keyboard do: each text has one outcome, each press one release, no key is taken from a program
    /// that another one would miss, and what is shown beside a field is hidden when the focus leaves it.
    @Test func anyOrderKeepsThePromises() async {
        let failures = await RandomRuns.failures(of: "keyboards of IBus") { seed in
            var random = SplitMix64(seed: seed)
            return (0..<10).flatMap { _ in
                var trial = Trial(random: &random)
                return trial.run(&random)
            }
        }
        #expect(failures.isEmpty, "\(failures)")
    }

    /// A key was quicker than the program. The text of its take would otherwise wait for a field that never comes back.
    @Test func aFieldStaysTheSameWhenItsProgramTellsLateWhatItCan() throws {
        var machine = IBusMachine(.init(toggle: try KeyboardKey("F9")), connection: 1)
        func focus(_ call: IBusCall) -> [String?] {
            _ = machine.handle(call, isRecording: false, at: .zero)
            return machine.takeActions().compactMap { action in
                if case .tell(.focused(let field)) = action { .some(field?.id) } else { nil }
            }
        }
        let enter = IBusCall.focusIn(engine: "/e/1", context: "/c/1", client: "gtk3-im:a")
        let first = focus(enter)
        #expect(first.count == 1 && first[0] != nil)
        #expect(focus(.key(symbol: 0xFFC6, state: 0)).isEmpty)
        #expect(focus(.capabilities(1 << 5)) == first, "It is the same field, which now tells its text.")
        #expect(focus(.focusOut(engine: "/e/1", context: "/c/1")) == [nil])
        #expect(focus(enter) == first)
        machine.perform(.write("text", into: first[0] ?? "", number: 1))
        guard case .commit = machine.takeActions().last else { return #expect(Bool(false), "not written") }
        #expect(focus(.focusIn(engine: "/e/1", context: "/c/2", client: "gtk3-im:a")) != first)
    }

    @Test func whatIsDueIsDoneAndSaidWhen() throws {
        var machine = IBusMachine(.init(hold: try KeyboardKey("F8")), connection: 1)
        _ = machine.handle(.capabilities(1 << 5), isRecording: false, at: .zero)
        _ = machine.handle(
            .focusIn(engine: "/e/1", context: "/c/1", client: "gtk3-im:a"), isRecording: false, at: .zero)
        _ = machine.takeActions()
        #expect(machine.look(at: .zero) == .milliseconds(200) && machine.takeActions().isEmpty)
        #expect(machine.look(at: .milliseconds(200)) == nil)
        #expect(machine.takeActions() == [.tell(.textBefore(""))], "The program tells no text.")
        #expect(machine.handle(.key(symbol: 0xFFC5, state: 0), isRecording: false, at: .seconds(1)) == true)
        _ = machine.handle(.focusOut(engine: "/e/1", context: "/c/1"), isRecording: true, at: .seconds(2))
        #expect(machine.takeActions() == [.tell(.pressed), .tell(.focused(nil))])
        #expect(machine.look(at: .seconds(3)) == .seconds(7))
        #expect(machine.look(at: .seconds(7)) == nil && machine.takeActions() == [.tell(.released)])
    }
}

private struct Trial {
    private var machine: IBusMachine
    private var now = Duration.zero
    private var problems: [String] = []
    private var isHeld = false
    private var field: KeyboardField?
    private var count = 0
    private var question: UInt64 = 0
    /// The texts without an outcome, and the questions without an answer.
    private var open: Set<Int> = []
    private var questions: [UInt64] = []
    /// What is shown beside a field, which stays there until it is hidden.
    private var beside = false

    init(random: inout SplitMix64) {
        let keys = IBusKeyboard.Keys(hold: try? KeyboardKey("F8"), toggle: try? KeyboardKey("F9"))
        machine = IBusMachine(keys, connection: 1)
    }

    mutating func run(_ random: inout SplitMix64) -> [String] {
        for _ in 0..<80 {
            now += .milliseconds(Int.random(in: 0...3_000, using: &random))
            switch Int.random(in: 0..<5, using: &random) {
            case 0:
                count += 1
                open.insert(count)
                let target = Bool.random(using: &random) ? field?.id ?? "none" : "another"
                machine.perform(.write("text ", into: target, number: count))
            case 1:
                machine.perform(.preview(Bool.random(using: &random) ? "may change" : ""))
                machine.perform(.tell(Bool.random(using: &random) ? .endedByAnother : nil))
            case 2 where !questions.isEmpty:
                let context = Bool.random(using: &random) ? "/c/\(Int.random(in: 1...3, using: &random))" : nil
                machine.answered(questions.removeFirst(), with: context, at: now)
            case 3: if let due = machine.look(at: now), due <= now { problems.append("something stays due") }
            default:
                let call = Self.call(&random)
                let isTaken = machine.handle(call, isRecording: isHeld, at: now)
                if isTaken, case .key(let symbol, _) = call, symbol == 0x61 { problems.append("a letter was taken") }
            }
            carryOut(&random)
        }
        // A connection that has ended shows nothing.
        beside = false
        machine.end()
        carryOut(&random)
        if !open.isEmpty { problems.append("texts \(open.sorted()) have no outcome") }
        if isHeld { problems.append("the key is held without end") }
        return problems
    }

    private static func call(_ random: inout SplitMix64) -> IBusCall {
        let (engine, context) = (Int.random(in: 1...2, using: &random), Int.random(in: 1...3, using: &random))
        return switch Int.random(in: 0..<10, using: &random) {
        case 0, 1:
            .focusIn(engine: "/e/\(engine)", context: "/c/\(context)", client: ["gtk3-im:a", "QIBus"][engine - 1])
        case 2: .focusInUnnamed(engine: "/e/\(engine)")
        case 3: .focusOut(engine: "/e/\(engine)", context: Bool.random(using: &random) ? "/c/\(context)" : nil)
        case 4: .capabilities(Bool.random(using: &random) ? 1 << 5 : 0)
        case 5: .content(purpose: [0, 8, 5][context - 1], hints: 0)
        case 6: .surroundingText(["", "text ", "Old. text "][context - 1], cursor: 20, anchor: 20)
        case 7: .reset
        default:
            .key(
                symbol: [0xFFC5, 0xFFC6, 0xFF1B, 0x61].randomElement(using: &random) ?? 0x61,
                state: Bool.random(using: &random) ? 1 << 30 : 0)
        }
    }

    private mutating func carryOut(_ random: inout SplitMix64) {
        var pending = machine.takeActions()
        while !pending.isEmpty {
            for action in pending { carryOut(action, &random) }
            pending = machine.takeActions()
        }
    }

    private mutating func carryOut(_ action: IBusMachine.Action, _ random: inout SplitMix64) {
        switch action {
        case .tell(.written(let number)), .tell(.missed(let number)), .tell(.unsure(let number)):
            if open.remove(number) == nil { problems.append("text \(number) has two outcomes") }
        case .tell(.pressed):
            if isHeld { problems.append("two presses") }
            isHeld = true
        case .tell(.released):
            if !isHeld { problems.append("a release without a press") }
            isHeld = false
        case .tell(.focused(let new)):
            if new?.id != field?.id, beside { problems.append("a text stays beside a field that the focus left") }
            field = new
        case .tell: break
        case .signal(_, "UpdateAuxiliaryText", let values): beside = values.contains(.flag(true))
        case .signal(let engine, _, _): if engine.isEmpty { problems.append("a signal of no engine") }
        case .commit(let writing):
            question += 2
            let first = Int.random(in: 0..<8, using: &random) == 0 ? nil : question
            let second = first == nil || Int.random(in: 0..<8, using: &random) == 0 ? nil : question + 1
            machine.committed(writing, first: first, second: second)
            questions += [first, second].compactMap(\.self)
        }
    }
}
#endif
