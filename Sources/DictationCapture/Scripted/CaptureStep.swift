public import DictationCore

extension ScriptedCapturer {
    /// One step of a script: something that happens to the microphone.
    public struct Step: Sendable {
        enum Kind: Sendable {
            case sound(ScriptedSound, Duration)
            case samples(AudioBuffer)
            case file(String)
            case lost(AudioGap.Cause, Duration, interruption: CaptureEvent.InterruptionCause?)
            case nothing(Duration)
            case format(AudioFormat)
            case event(CaptureEvent)
            case fail(DictationError)
            case end
        }

        let kind: Kind

        /// A sine tone. An amplitude of 1 is full scale.
        public static func tone(_ frequency: Double, for duration: Duration, amplitude: Double = 0.5) -> Step {
            Step(kind: .sound(.tone(frequency: frequency, amplitude: amplitude), duration))
        }

        /// A quiet room: the faint noise of a working microphone. For a dead microphone use ``zeros(for:)``.
        public static func silence(for duration: Duration) -> Step { Step(kind: .sound(.quiet, duration)) }

        /// Samples that are all zero, as from a muted or broken microphone.
        public static func zeros(for duration: Duration) -> Step { Step(kind: .sound(.zeros, duration)) }

        /// The samples of a buffer, in its own format.
        public static func samples(_ buffer: AudioBuffer) -> Step { Step(kind: .samples(buffer)) }

        /// 16-bit samples, interleaved.
        public static func samples(_ samples: [Int16], sampleRate: Int = 16_000, channelCount: Int = 1) -> Step {
            .samples(AudioBuffer(samples, sampleRate: sampleRate, channelCount: channelCount))
        }

        /// Floating-point samples, interleaved.
        public static func samples(_ samples: [Float], sampleRate: Int = 16_000, channelCount: Int = 1) -> Step {
            .samples(AudioBuffer(samples, sampleRate: sampleRate, channelCount: channelCount))
        }

        /// The audio of a WAV file, in the file's own format.
        public static func file(_ path: String) -> Step { Step(kind: .file(path)) }

        /// A time without audio and without a gap. Put it first to delay the first buffer.
        public static func nothing(for duration: Duration) -> Step { Step(kind: .nothing(duration)) }

        /// A gap: audio that the device loses.
        public static func gap(for duration: Duration, cause: AudioGap.Cause = .overrun) -> Step {
            Step(kind: .lost(cause, duration, interruption: nil))
        }

        /// The device is unplugged and comes back: an interruption, a gap, then audio again.
        public static func unplug(for duration: Duration) -> Step {
            Step(kind: .lost(.unplugged, duration, interruption: .deviceLost))
        }

        /// The machine sleeps and wakes.
        public static func suspend(for duration: Duration) -> Step {
            Step(kind: .lost(.suspended, duration, interruption: .suspended))
        }

        /// The device stays open and delivers nothing for a while, then goes on.
        public static func stall(for duration: Duration) -> Step {
            Step(kind: .lost(.stalled, duration, interruption: .noData))
        }

        /// A change of format: the tones, silence and gaps of the following steps have this format.
        public static func format(_ format: AudioFormat) -> Step { Step(kind: .format(format)) }

        /// A change of device: the audio of the following steps comes from this device.
        public static func route(to device: AudioDevice) -> Step { Step(kind: .event(.routeChanged(device))) }

        /// The device is unplugged and does not come back: the stream ends with an error.
        public static var unplug: Step {
            .fail(
                DictationError(
                    .deviceLost, "The microphone was unplugged and did not come back.",
                    recovery: "Plug it in again, or choose another one."))
        }

        /// The stream ends with an error.
        public static func fail(_ error: DictationError) -> Step { Step(kind: .fail(error)) }

        /// The stream ends.
        public static var end: Step { Step(kind: .end) }
    }
}
