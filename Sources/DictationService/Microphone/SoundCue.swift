public import DictationCore
import DictationSystem

/// A short tone, high when the microphone opens and low when it closes.
///
/// A program of the sound server plays it: `pw-play`, `paplay` or `aplay`. It looks for them in `PATH`.
public final class SoundCue: MicrophoneCue {
    /// The programs that can play, in the order in which they are tried.
    public static let players = ["pw-play", "paplay", "aplay"]

    /// How long a player may do nothing before it is ended, in seconds.
    private static let playerTimeout = 3
    /// How long a tone can still be on its way through the room and the microphone when its player has ended.
    private static let echo = Duration.milliseconds(150)

    private let player: String
    private let work = BlockingWork("dictation-cue")
    private let runtime = DictationRuntime.current

    /// Looks for a program that plays.
    ///
    /// - Parameter player: The program's name or path; `nil` is the first of ``players`` that is installed.
    /// - Throws: `unsupportedOption` if there is none.
    public init(player: String? = nil) throws(DictationError) {
        guard let path = (player.map { [$0] } ?? Self.players).lazy.compactMap({ InstalledProgram.path(of: $0) }).first
        else {
            throw DictationError(
                .unsupportedOption, "There is no program to play a sound with.",
                recovery: "Install pipewire-bin, pulseaudio-utils or alsa-utils, or choose notifications as cues.")
        }
        self.player = path
    }

    /// The microphone can hear it.
    public var isAudible: Bool { true }

    /// Plays the high tone.
    public func microphoneOpened() async { await play(CueTone(frequency: 880)) }

    /// Plays the low tone.
    public func microphoneClosed() async { await play(CueTone(frequency: 587)) }

    private func play(_ tone: CueTone) async {
        let player = player
        try? await work.run { () throws(DictationError) in Self.run(player, tone.waveFile) }
        try? await runtime.sleep(Self.echo)
    }

    /// Runs a player to its end. A tone that can't be played is no reason to keep anybody from dictating.
    private static func run(_ player: String, _ sound: [UInt8]) {
        guard let file = try? TemporaryFile(sound),
            let program = try? ReadingProgram(
                [player, "/proc/self/fd/\(ReadingProgram.descriptor)"], reading: file.descriptor,
                patience: (work: playerTimeout, rest: playerTimeout))
        else { return }
        _ = program.end()
    }
}
