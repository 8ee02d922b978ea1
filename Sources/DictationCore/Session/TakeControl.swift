/// What a take is to do and how far its parts are; everything in a take waits on this one value.
struct TakeControl: Sendable {
    enum Wish: Int, Comparable, Sendable {
        case record, pause, drain, abandon
        static func < (a: Wish, b: Wish) -> Bool { a.rawValue < b.rawValue }
    }

    /// What the app wants; recording and pausing change places, draining and abandoning are for good.
    private(set) var wish = Wish.record
    /// Counts the streams that were opened or tried; what belongs to an older one is ignored.
    var stream = 0
    /// What became of the attempt to open the present stream.
    var opened: Result<CaptureStream, DictationError>?
    /// How the present stream ended.
    var streamEnd: Result<Void, DictationError>?
    /// Whether the microphone is open and wanted: a pause ends that at once, and a resume right behind it does not undo it.
    var isCapturing = false
    /// Whether the capturer was let go of for good.
    var isCapturerReleased = false
    var session: (any RecognitionSession)?
    var engineEnd: Result<Void, DictationError>?
    /// The first error of this take.
    var error: DictationError?
    /// The take's text, once it is over.
    var outcome: Transcript?
    /// Whether the session knows that the take is over; who waits for the end hears of it then and not before.
    var isAnnounced = false

    /// The take's text, once everyone may know.
    var announced: Transcript? { isAnnounced ? outcome : nil }
    var isEngineReady: Bool { session != nil }
    var isAbandoned: Bool { wish == .abandon }
    var isOver: Bool { outcome != nil || isAbandoned }
    /// Whether nothing of the take is under way any more.
    var isSettled = false
    /// Whether throwing the take away leaves its audio where it is.
    var keepsAudio = false
    /// Whether nobody needs the take's audio any more.
    var isTextSafe: Bool { isAbandoned && !keepsAudio || outcome?.isComplete == true }
    /// Whether no more audio is wanted.
    var isEnding: Bool { wish >= .drain || outcome != nil || engineEnd != nil }

    /// Notes a wish; answers whether it changed anything.
    mutating func want(_ new: Wish) -> Bool {
        guard wish != new, wish < .drain || new > wish else { return false }
        wish = new
        if new == .pause { isCapturing = false }
        return true
    }

    mutating func note(_ error: DictationError) { if self.error == nil { self.error = error } }
}
