import DictationCore
import DictationService
import DictationText

/// The commands that give the service an intent.
extension Command {
    static let start = verb(
        "start", "Start to dictate, or go on after a pause.", startsService: true, takesProfile: true
    ) {
        .start(profile: $0)
    }
    static let stop = verb("stop", "Stop, and print the text.") { _ in .stop }
    static let toggle = verb(
        "toggle", "Stop and print the text if there is a take; start one otherwise.", startsService: true,
        takesProfile: true,
        discussion: "Bind this to a key: the service decides what it means, so a lost key press inverts nothing."
    ) { .toggle(profile: $0) }
    static let cancel = verb("cancel", "Stop, and throw the text away.") { _ in .cancel }
    static let pause = verb("pause", "Pause, and close the microphone.") { _ in .pause }
    static let resume = verb("resume", "Go on after a pause.") { _ in .resume }
    static let last = verb(
        "last", "Print the newest text again.", startsService: true,
        discussion: "Use it if a text got lost on its way. The text of an earlier day comes from the journal."
    ) { _ in .last }

    static let insertLast = verb(
        "insert-last", "Insert the newest text again, where the focus is now.", startsService: true,
        discussion: "The setting “deliver.to” says how: “dictate doctor” tells what works on this desktop."
    ) { _ in .insertLast }

    private static func verb(
        _ name: String, _ abstract: String, startsService: Bool = false, takesProfile: Bool = false,
        discussion: String = "", _ intent: @escaping @Sendable (_ profile: String?) -> DictationIntent
    ) -> Command {
        Command(
            name: name, abstract: abstract, discussion: discussion, flags: [Options.json],
            options: (takesProfile ? [Options.profile.spec] : []) + [Options.socket.spec]
        ) { invocation, console in
            let intent = intent(takesProfile ? try invocation.value(Options.profile) : nil)
            let client = try ServiceClient(invocation, console)
            let answer =
                startsService
                ? try await client.startingService { client throws(DictationError) in try await client.perform(intent) }
                : try await client.perform(intent)
            return try report(answer, to: intent, asJSON: invocation.has(Options.json), console)
        }
    }

    /// Prints an answer, and returns the exit code.
    static func report(
        _ answer: DictationAnswer, to intent: DictationIntent, asJSON: Bool, _ console: Console
    ) throws -> ExitCode {
        if asJSON {
            try console.output.write(JSONWriter.encode(answer) + "\n")
        } else if case .text(let text) = answer {
            if !text.text.isEmpty, intent != .insertLast {
                try console.output.write(printable(text.text, keeping: "\n") + "\n")
            }
            if let complaint = text.transcript.complaint ?? text.error?.description { console.complain(complaint) }
            if let complaint = text.delivery?.complaint { console.complain(complaint) }
            if let error = text.journalError { console.complain("The text is not in the journal. \(error)") }
        }
        switch answer {
        case .text(let text) where text.delivery.map({ $0.destination == nil }) ?? false: return .someFailed
        case .text(let text):
            return text.error.map { ExitCode($0) } ?? ExitCode(text.transcript)
        case .endedByAnother(let take):
            if !asJSON {
                console.complain("Another program stopped \(take) and has its text. “dictate last” prints it.")
            }
            return .someFailed
        case .cancelled where intent != .cancel:
            if !asJSON { console.complain("The take was cancelled.") }
            return .someFailed
        case .nothing where intent == .stop || intent == .last || intent == .insertLast:
            if !asJSON {
                console.complain(
                    intent == .stop
                        ? "There is no take to stop. If a service ended during one, “dictate last” prints its text."
                        : "There is no text yet.")
            }
            return .someFailed
        default: return .done
        }
    }
}

extension TextDelivery {
    /// Why the text is nowhere; `nil` if a destination has it.
    fileprivate var complaint: String? {
        guard destination == nil, !attempts.isEmpty else { return nil }
        let reasons = attempts.map { attempt in
            "\(attempt.destination.visible): \(attempt.outcome.reason?.visible ?? "Nothing that takes text has the focus.")"
        }
        return "The text did not arrive. \(reasons.joined(separator: " ")) “dictate insert-last” tries again."
    }
}
