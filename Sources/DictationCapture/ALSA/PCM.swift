import DictationCore

/// An open capture device, as the capture loop sees it. Negative numbers are error codes, as ALSA has them.
protocol PCM: AnyObject {
    var format: AudioFormat { get }
    /// How many frames are read at a time.
    var periodFrames: Int { get }
    /// What the device is, where that can be told; another one after a reopening is a change of route.
    var route: String { get }
    func start() -> Int
    /// Has another descriptor wake it from here on.
    func listen(to wake: WakeDescriptor)
    /// Waits for frames, for a time, or for the wake descriptor.
    func wait(_ limit: Duration) -> PCMReadiness
    /// Reads frames without waiting; gives how many.
    func read(into bytes: UnsafeMutableRawBufferPointer) -> Int
    /// How many frames could be read now.
    func available() -> Int
    /// Brings the device back from an error, without starting it.
    func recover(_ code: Int) -> Int
    func resume() -> Int
    var isPrepared: Bool { get }
    /// Stops the device and keeps it open.
    func halt()
    func close()
}

enum PCMReadiness {
    case ready
    /// It was for nothing: there are no frames, and no error that the next read would tell.
    case unready
    case timedOut
    case woken
}

/// Where capture devices come from, and the clock that they are held against.
protocol PCMSystem: Sendable {
    var now: Duration { get }
    /// The devices that can capture, the default one first.
    func devices() -> [AudioDevice]
    func open(_ device: String, preferring format: AudioFormat, wake: WakeDescriptor) throws(DictationError) -> any PCM
    /// Opens a device and lets go of it, without a sound.
    func tryOpening(_ device: String) throws(DictationError)
    /// Waits for a time, or for the wake descriptor.
    func rest(_ duration: Duration, wake: WakeDescriptor)
}
