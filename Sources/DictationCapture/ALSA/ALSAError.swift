import DictationCore

#if ALSA
import CALSA
#else
import Glibc
#endif

extension DictationError.Underlying {
    /// An ALSA error code, as ALSA functions return it.
    static func alsa(_ code: Int) -> DictationError.Underlying {
        #if ALSA
        let words = snd_strerror(Int32(clamping: code)).map { String(cString: $0) }
        #else
        let words = strerror(Int32(clamping: -code)).map { String(cString: $0) }
        #endif
        return DictationError.Underlying(domain: "ALSA", code: code, message: words)
    }
}
