/// The size of this machine's memory in bytes, or `nil` if it is unknown.
package var systemMemoryByteCount: Int64? {
    let (pages, size) = (sysconf(Int32(_SC_PHYS_PAGES)), sysconf(Int32(_SC_PAGESIZE)))
    guard pages > 0, size > 0 else { return nil }
    let (count, isTooLarge) = Int64(pages).multipliedReportingOverflow(by: Int64(size))
    return isTooLarge ? nil : count
}
