import DictationCore

#if ALSA
import CALSA
#else
import DictationSystem
#endif

extension DictationError.Underlying {
    /// Returns the underlying error for the negative error code of an ALSA function.
    static func alsa(_ code: Int) -> DictationError.Underlying {
        #if ALSA
        let words = snd_strerror(Int32(clamping: code)).map { String(cString: $0) }
        #else
        let words = strerror(Int32(clamping: -code)).map { String(cString: $0) }
        #endif
        return DictationError.Underlying(domain: "ALSA", code: code, message: words)
    }
}
