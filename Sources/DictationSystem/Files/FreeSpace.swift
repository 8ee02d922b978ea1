/// Returns how many bytes this process can write to the disk of a path, or `nil` if that is unknown. The path need not
/// exist.
package func freeByteCount(at path: String) -> Int64? {
    var path = path
    while true {
        var status = statvfs()
        if statvfs(path, &status) == 0 {
            // A file system without a size, such as /proc, says nothing about free space.
            guard status.f_blocks > 0 else { return nil }
            let (count, isTooLarge) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
            return isTooLarge ? nil : Int64(exactly: count)
        }
        guard errno == ENOENT || errno == ENOTDIR, path != "/" else { return nil }
        path = PathBytes(path).folder ?? "/"
    }
}
