import DictationCore
import DictationService
import DictationText

/// What the user has set for the dictation service.
///
/// ``SettingsFile`` reads it from the user's file. A program makes `DictationProfiles` of it.
public struct ServiceSettings: Sendable, Hashable {
    /// The usual profile.
    public var usual = ProfileSettings()
    /// The other profiles, by name. Each has the usual settings that it does not change.
    public var profiles: [String: ProfileSettings] = [:]
    /// Whether the model is loaded when the service starts. Otherwise the first take loads it, and its first words wait.
    public var loadsModelAhead = true
    /// The time after the last take at which the model leaves the memory; `nil` is never.
    public var modelIdleTime: Duration?
    /// The time for which the microphone stays open after a take; `nil` closes it at once.
    public var microphoneIdleTime: Duration? = .seconds(30)
    /// How many texts the journal keeps. With 0, no text goes to the disk.
    public var keptTexts = TextJournal.usualLimit
    /// Whether a take's audio is kept on the disk until its text is complete.
    public var keepsAudio = true
    /// What tells the user that the microphone opens and closes.
    public var cues = Cues.off
    /// What begins a take besides keys and programs.
    public var trigger = Trigger.off
    /// The phrases for ``Trigger/wakeWords``.
    public var wakeWords: [String] = []
    /// The silence that ends a take which a voice or a wake word began.
    public var triggerSilence: Duration? = .seconds(2)
    /// The name of the profile for a voice or a wake word; `nil` is the usual one.
    public var triggerProfile: String?

    /// What tells the user that the microphone opens and closes.
    public enum Cues: String, Sendable, Hashable, CaseIterable {
        /// Nothing.
        case off
        /// A `SoundCue`.
        case sound
        /// A ``NotificationCue``.
        case notification
    }

    /// What begins a take besides keys and programs.
    public enum Trigger: String, Sendable, Hashable, CaseIterable {
        /// Nothing.
        case off
        /// Any voice.
        case voice
        /// A phrase.
        case wakeWords
    }

    /// Creates the usual settings.
    public init() {}

    static let all: [Setting<ServiceSettings>] = [
        .flag("loadModelAhead", \.loadsModelAhead, "Load the model when the service starts."),
        .seconds(
            "unloadModelAfter", \.modelIdleTime, in: 0...604_800,
            "Free the model's memory this long after a take. With null, never."),
        .seconds(
            "keepMicrophoneOpen", \.microphoneIdleTime, in: 0...3_600,
            "Close the microphone this long after a take. With null, at once."),
        .number("keepTexts", \.keptTexts, in: 0...10_000, "How many texts stay on the disk."),
        .flag("keepAudio", \.keepsAudio, "Keep the audio of a take on the disk until its text is complete."),
        .word("cues", \.cues, "How you are told that the microphone opens and closes."),
        .word("trigger", \.trigger, "What begins a take besides keys. With a trigger, the microphone is always open."),
        .texts("wakeWords", \.wakeWords, "The phrases that begin a take. Two words or more give few false alarms."),
        .seconds(
            "triggerSilence", \.triggerSilence, in: 0.5...60,
            "The silence that ends a take that a trigger began. With null, two seconds."),
        .text(
            "triggerProfile", \.triggerProfile, "The profile of takes that a trigger begins. With null, the usual one."),
    ]
}

extension ServiceSettings {
    /// A setting as people see it.
    public struct Entry: Sendable, Hashable {
        /// The name, such as `text.numbers` or `profiles.german.language`.
        public var name: String
        /// The value: a text as it is, and everything else as JSON.
        public var value: String
        /// The value as JSON.
        public var json: String
        /// What the setting does.
        public var summary: String
    }

    /// All settings with their present values, the usual profile first.
    public var entries: [Entry] {
        func entries<Target>(_ all: [Setting<Target>], of target: Target, _ prefix: String = "") -> [Entry] {
            all.map { setting in
                let value = setting.value(target)
                let text = if case .text(let text) = value { text } else { value.json }
                return Entry(name: prefix + setting.name, value: text, json: value.json, summary: setting.summary)
            }
        }
        return entries(ProfileSettings.all, of: usual) + entries(Self.all, of: self)
            + profiles.sorted { $0.key < $1.key }.flatMap { name, profile in
                entries(ProfileSettings.all, of: profile, "profiles.\(name).")
            }
    }
}
