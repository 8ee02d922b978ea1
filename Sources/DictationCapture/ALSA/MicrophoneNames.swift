/// Which of the names that ALSA lists can be a microphone.
///
/// ALSA lists every definition of its configuration, and its packages define the same ones on every machine, whether or
/// not there is anything behind them. Of these, by name, converters for other devices and ways to other sound systems
/// are left out, and a sound server is there while `default` is, which it defines. All other names stay: hardware, and
/// what users define themselves.
enum MicrophoneNames {
    /// What converts for a device that it is given, or gives only silence.
    private static let converters: Set = [
        "null", "plug", "lavrate", "samplerate", "speexrate", "speex", "upmix", "vdownmix", "a52",
    ]
    private static let otherSystems: Set = ["jack", "oss", "usb_stream", "usbstream"]
    private static let servers: Set = ["pulse", "pipewire"]

    /// The names that can be a microphone, the default one first.
    static func among(_ names: [String]) -> [String] {
        let hasDefault = names.contains("default")
        let kept = names.filter { name in
            // The rest of a name are its arguments, such as the card.
            let definition = String(name.prefix { $0 != ":" })
            return !converters.contains(definition) && !otherSystems.contains(definition)
                && (hasDefault || !servers.contains(definition))
        }
        return kept.filter { $0 == "default" } + kept.filter { $0 != "default" }
    }
}
