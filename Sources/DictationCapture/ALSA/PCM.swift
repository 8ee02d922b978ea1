import DictationCore
import DictationSystem

/// An open capture device, as the capture loop sees it. Negative results are ALSA's error codes.
protocol PCM: AnyObject {
    var format: AudioFormat { get }
    /// The number of frames to read at a time.
    var periodFrames: Int { get }
    /// The identity of the device, or an empty string if it is unknown. If it differs after the device was opened
    /// again, the route has changed.
    var route: String { get }
    func start() -> Int
    /// Replaces the descriptor that ends a wait.
    func listen(to wake: Waker)
    /// Waits for frames, for the end of a time limit, or until the thread is woken.
    func wait(_ limit: Duration) -> PCMReadiness
    /// Reads frames without waiting, and returns their number.
    func read(into bytes: UnsafeMutableRawBufferPointer) -> Int
    /// Returns the number of frames that can be read now.
    func available() -> Int
    /// Recovers the device from an error, without starting it.
    func recover(_ code: Int) -> Int
    func resume() -> Int
    var isPrepared: Bool { get }
    /// Stops the device and keeps it open.
    func halt()
    func close()
}

enum PCMReadiness {
    case ready
    /// The device ended the wait without a reason: it has neither frames nor an error for the next read.
    case unready
    case timedOut
    case woken
}

/// A source of capture devices, and the clock to compare them with.
protocol PCMSystem: Sendable {
    var now: Duration { get }
    /// Returns the devices that can capture, the default device first.
    func devices() -> [AudioDevice]
    func open(_ device: String, preferring format: AudioFormat, wake: Waker) throws(DictationError) -> any PCM
    /// Opens a device and closes it again, without capturing.
    func tryOpening(_ device: String) throws(DictationError)
    /// Waits for the end of a time, or until the thread is woken.
    func rest(_ duration: Duration, wake: Waker)
}
