import DictationCore
import DictationService
import DictationText

/// A line about what a service does.
struct StatusLine {
    /// The status; `nil` while no service is running.
    private let status: ServiceStatus?

    init(_ status: ServiceStatus?) { self.status = status }

    func text(_ format: Options.StatusFormat) -> String {
        switch format {
        case .text:
            columns
        case .json: JSONWriter.encode(Document(state: word, status: status))
        case .waybar:
            JSONWriter.encode(
                Module(text: time ?? "", alt: barWord, class: barWord, tooltip: markup(status.map(tooltip) ?? "")))
        }
    }

    /// The state, the time, the text, and what it lacks or why its audio is not kept. Empty columns at the end are left
    /// out.
    private var columns: String {
        let all = [shownWord, time, status?.text.onOneLine, status?.loss ?? status?.spoolError?.description.onOneLine]
            .map { $0 ?? "" }
        return all[...(all.lastIndex { !$0.isEmpty } ?? 0)].joined(separator: "\t")
    }

    /// The state in a word.
    private var word: String { status?.state.rawValue ?? "stopped" }

    /// The state for people, who have to know when nobody listens to them.
    private var shownWord: String {
        guard let status, status.state == .recording else { return word }
        if status.missing != nil { return "interrupted" }
        return status.hasAudio ? word : ServiceStatus.State.starting.rawValue
    }

    /// The state in the words of other programs for bars.
    private var barWord: String {
        status?.state == .finalizing ? "transcribing" : shownWord
    }

    /// The time in minutes and seconds, while a take is under way.
    private var time: String? {
        guard let status, status.isActive || status.state == .finalizing else { return nil }
        let seconds = status.elapsed.components.seconds
        return "\(seconds / 60):" + (seconds % 60 < 10 ? "0" : "") + "\(seconds % 60)"
    }

    /// Bars read the text as markup.
    private func markup(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    private func tooltip(_ status: ServiceStatus) -> String {
        let errors = [status.error, status.spoolError, status.journalError].compactMap(\.self)
        return (status.missing ?? status.error?.description ?? status.loss ?? errors.first?.description ?? status.text)
            .onOneLine
    }

    private struct Document: Encodable {
        var version = 1
        var state: String
        /// The whole status, as it goes through the socket; `nil` while no service is running.
        var status: ServiceStatus?
    }

    /// What waybar and others read from a custom module.
    private struct Module: Encodable {
        var text: String
        var alt: String
        var `class`: String
        var tooltip: String
    }
}

extension ServiceStatus {
    /// Why nothing is recorded although a take is; `nil` if something is.
    fileprivate var missing: String? {
        guard state == .recording, let interruption else { return nil }
        return switch interruption {
        case .deviceLost: "The microphone is gone. The take goes on when it is back."
        case .suspended: "The computer or its sound server is asleep. The take goes on afterwards."
        default: "The microphone delivers nothing. Check that it is connected."
        }
    }
}
