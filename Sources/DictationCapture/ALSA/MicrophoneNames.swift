/// Chooses the names in ALSA's list that can be a microphone.
///
/// ALSA lists every definition of its configuration. Its packages define the same names on every machine, even if no
/// device exists for them. This type leaves out, by name, converters for other devices and bridges to other sound
/// systems. It keeps a sound server only if `default` is listed, because a running server defines `default`. It keeps
/// all other names: hardware, and the users' own definitions.
enum MicrophoneNames {
    /// Definitions that convert for another device, or only deliver silence.
    private static let converters: Set = [
        "null", "plug", "lavrate", "samplerate", "speexrate", "speex", "upmix", "vdownmix", "a52",
    ]
    private static let otherSystems: Set = ["jack", "oss", "usb_stream", "usbstream"]
    private static let servers: Set = ["pulse", "pipewire"]

    /// Returns the names that can be a microphone, the default device first.
    static func among(_ names: [String]) -> [String] {
        let hasDefault = names.contains("default")
        let kept = names.filter { name in
            // The arguments, such as the card, follow the colon.
            let definition = String(name.prefix { $0 != ":" })
            return !converters.contains(definition) && !otherSystems.contains(definition)
                && (hasDefault || !servers.contains(definition))
        }
        return kept.filter { $0 == "default" } + kept.filter { $0 != "default" }
    }
}
