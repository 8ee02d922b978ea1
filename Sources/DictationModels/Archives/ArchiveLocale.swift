#if ModelCatalog
import DictationSystem

/// Makes libarchive read and write names as UTF-8 in any program. Without this, a program that never sets a locale has
/// the locale "C", in which libarchive refuses every name beyond ASCII.
struct ArchiveLocale: ~Copyable {
    private let locale: locale_t?

    init() { locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil) }

    deinit { if let locale { freelocale(locale) } }

    /// Calls a closure while the locale is set for this thread.
    func callAsFunction<Answer>(_ body: () -> Answer) -> Answer {
        let before = locale.map { uselocale($0) }
        defer { if let before { uselocale(before) } }
        return body()
    }
}
#endif
