/// Tells the user that the microphone opens and closes, for instance by a sound.
///
/// - **Choose** ``SoundCue`` or `NotificationCue`.
/// - **Use** it with a ``ServiceMicrophone``.
/// - **Implement** it for another kind of sign, such as a light.
/// - **Test** your own by itself. The microphone calls `microphoneOpened()` and `microphoneClosed()` in turn.
public protocol MicrophoneCue: Sendable {
    /// Whether the microphone can hear it.
    ///
    /// What the microphone hears until ``microphoneOpened()`` returns is then no part of the take.
    var isAudible: Bool { get }
    /// Tells that the microphone has opened, and returns when nothing is to be heard any more.
    func microphoneOpened() async
    /// Tells that the microphone has closed, and returns when nothing is to be heard any more.
    func microphoneClosed() async
}
