public import DictationCore
public import DictationService

extension ServiceSettings {
    /// Returns what tells the user that the microphone opens and closes; `nil` for nothing.
    ///
    /// - Throws: The error of `SoundCue` or ``NotificationCue``, if this machine has no sound server or no desktop.
    public func makeCue() throws(DictationError) -> (any MicrophoneCue)? {
        switch cues {
        case .off: nil
        case .sound: try SoundCue()
        case .notification: try Self.notificationCue()
        }
    }

    /// Returns the trigger that the user has chosen; `nil` for none.
    ///
    /// - Parameters:
    ///   - microphone: The service's microphone.
    ///   - converters: The converters from the microphone's audio format to the engine's.
    ///   - engine: Finds an engine for the options of a wake word.
    /// - Throws: `invalidInput` for a profile that does not exist, or for wake words without any; the error of finding an
    ///   engine.
    public func makeTrigger(
        _ microphone: ServiceMicrophone, converters: any FormatConverterProvider,
        engine: (RecognitionOptions) async throws(DictationError) -> any SpeechEngine
    ) async throws(DictationError) -> VoiceTrigger? {
        guard trigger != .off else { return nil }
        var profile = usual
        if let name = triggerProfile {
            guard let named = profiles[name] else {
                throw DictationError(
                    .invalidInput, "The setting “triggerProfile” names the profile “\(name)”, which does not exist.",
                    recovery: "Add the profile, or set “triggerProfile” to null.")
            }
            profile = named
        }
        let sign: VoiceTrigger.Sign
        if trigger == .voice {
            sign = .voice
        } else {
            guard !wakeWords.isEmpty else {
                throw DictationError(
                    .invalidInput, "The trigger is a wake word, but there are no “wakeWords”.",
                    recovery: "Set them, for instance to [\"hey computer\"].")
            }
            let phrases = wakeWords.map { RecognitionTask.Keyphrase($0) }
            sign = .wakeWords(
                phrases, engine: try await engine(.wakeWords(phrases, locale: profile.language)),
                locale: profile.language)
        }
        return VoiceTrigger(
            sign, microphone: microphone, converters: converters, silence: triggerSilence ?? .seconds(2),
            profile: triggerProfile, device: profile.device)
    }

    private static func notificationCue() throws(DictationError) -> any MicrophoneCue {
        #if SystemBus
        try NotificationCue()
        #else
        throw .notBuilt("SystemBus")
        #endif
    }
}
