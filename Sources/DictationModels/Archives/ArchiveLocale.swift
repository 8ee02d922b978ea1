#if ModelCatalog
import DictationPlatform

/// Has libarchive read and write names as UTF-8, whatever the locale of the program: in the locale "C", which a program
/// has that never set another, it refuses every name beyond ASCII.
struct ArchiveLocale: ~Copyable {
    private let locale: locale_t?

    init() { locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil) }

    deinit { if let locale { freelocale(locale) } }

    /// Calls a closure with the locale set for this thread.
    func callAsFunction<Answer>(_ body: () -> Answer) -> Answer {
        let before = locale.map { uselocale($0) }
        defer { if let before { uselocale(before) } }
        return body()
    }
}
#endif
