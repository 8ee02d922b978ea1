import DictationCore

/// Hears whether someone speaks, with the network Silero VAD.
///
/// The network hears windows of 32 ms, one after the other, and remembers what it heard. Music and long noise make it deaf
/// to the speech that follows, so it forgets everything in a clear pause. Quiet audio is made louder, because the network
/// misses half of the speech that is 40 dB quieter than usual.
struct VoiceDetector: Sendable {
    /// What the network remembers from one window to the next.
    struct Memory: Sendable {
        var state = [Float](repeating: 0, count: 256)
        /// The last samples of the window before.
        var context = [Float](repeating: 0, count: 64)
    }

    /// The number of samples in a window.
    static let window = 512
    /// The probability from which a window is speech, and the one down to which speech goes on.
    private static let (begin, goOn): (Float, Float) = (0.5, 0.35)
    /// The probability below which a window is clearly no speech, the number of such windows in a clear pause, and the number of
    /// windows after which the network forgets.
    private static let (clear, clearWindows, longMemory): (Float, Int, Int) = (0.1, 5, 62)

    /// Returns the probability that a window is speech.
    private let probability: @Sendable ([Float], inout Memory) throws(DictationError) -> Float
    /// The level to which quiet audio is raised, the lowest level that is raised so far, and what remains of a level after a
    /// window.
    private static let (usualLevel, lowestLevel, decay): (Float, Float, Float) = (0.1, 0.002, 0.995)
    private var memory = Memory()
    private var samples: [Float] = []
    /// The highest level of late.
    private var level: Float = 0
    private var age = 0
    private var quiet = 0
    /// Whether the last window was speech.
    private(set) var isSpeech = false

    init(_ probability: @escaping @Sendable ([Float], inout Memory) throws(DictationError) -> Float) {
        self.probability = probability
    }

    /// Tries the network with a window of silence.
    func check() throws(DictationError) {
        var memory = Memory()
        _ = try probability([Float](repeating: 0, count: Self.window), &memory)
    }

    /// Adds samples, fewer than a window has. Returns whether the window that they complete is speech; `nil` if they complete
    /// none. A network that fails hears no speech.
    mutating func add(_ frame: ArraySlice<Float>) -> Bool? {
        samples += frame
        guard samples.count >= Self.window else { return nil }
        let window = raised(samples[..<Self.window])
        samples.removeFirst(Self.window)
        let heard = (try? probability(window, &memory)) ?? 0
        memory.context = window.suffix(memory.context.count)
        isSpeech = heard >= (isSpeech ? Self.goOn : Self.begin)
        age += 1
        quiet = heard < Self.clear ? quiet + 1 : 0
        if age >= Self.longMemory, quiet >= Self.clearWindows {
            memory = Memory()
            age = 0
        }
        return isSpeech
    }

    private mutating func raised(_ window: ArraySlice<Float>) -> [Float] {
        let power = window.reduce(0) { $0 + $1 * $1 } / Float(window.count)
        level = max(level * Self.decay, power.isFinite ? power.squareRoot() : 0)
        let gain = max(1, Self.usualLevel / max(level, Self.lowestLevel))
        return window.map { $0.isFinite ? max(-1, min(1, $0 * gain)) : 0 }
    }
}
