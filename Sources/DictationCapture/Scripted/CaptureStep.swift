public import DictationCore

extension ScriptedCapturer {
    /// One thing that happens to the microphone, in the order of the script.
    public struct Step: Sendable {
        enum Kind: Sendable {
            case sound(Sound, Duration)
            case samples(AudioBuffer)
            case file(String)
            case lost(AudioGap.Cause, Duration, interruption: InterruptionCause?)
            case nothing(Duration)
            case format(AudioFormat)
            case event(CaptureEvent)
            case fail(DictationError)
            case end
        }

        enum Sound: Sendable {
            case tone(frequency: Double, amplitude: Double)
            case quiet
            case zeros
        }

        let kind: Kind

        /// A sine tone; an amplitude of 1 is full scale.
        public static func tone(_ frequency: Double, for duration: Duration, amplitude: Double = 0.5) -> Step {
            Step(kind: .sound(.tone(frequency: frequency, amplitude: amplitude), duration))
        }

        /// A quiet room: faint noise, as a working microphone gives. A dead one gives `zeros(for:)`.
        public static func silence(for duration: Duration) -> Step { Step(kind: .sound(.quiet, duration)) }

        /// Samples that are all zero, as a muted or broken microphone gives.
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

        /// The sound of a WAV file, in the file's own format.
        public static func file(_ path: String) -> Step { Step(kind: .file(path)) }

        /// Time in which the device is open and nothing has been captured yet: put it first for a late first buffer.
        public static func nothing(for duration: Duration) -> Step { Step(kind: .nothing(duration)) }

        /// Audio that the device loses.
        public static func gap(for duration: Duration, cause: AudioGap.Cause = .overrun) -> Step {
            Step(kind: .lost(cause, duration, interruption: nil))
        }

        /// The device is pulled out and comes back: an interruption, a gap, audio again.
        public static func unplug(for duration: Duration) -> Step {
            Step(kind: .lost(.unplugged, duration, interruption: .deviceLost))
        }

        /// The machine sleeps and wakes.
        public static func suspend(for duration: Duration) -> Step {
            Step(kind: .lost(.suspended, duration, interruption: .suspended))
        }

        /// The device is open but gives nothing, then goes on.
        public static func stall(for duration: Duration) -> Step {
            Step(kind: .lost(.stalled, duration, interruption: .noData))
        }

        /// What follows has another sample rate, channel count or sample type.
        public static func format(_ format: AudioFormat) -> Step { Step(kind: .format(format)) }

        /// What follows comes from another device.
        public static func route(to device: AudioDevice) -> Step { Step(kind: .event(.routeChanged(device))) }

        /// The device goes away and does not come back: the stream ends with an error.
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
