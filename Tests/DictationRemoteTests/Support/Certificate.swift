import Foundation
import TestSupport
import Testing

/// Makes the files `certificate.pem` and `key.pem`: a certificate that only those trust who are told to.
func makeCertificate(in folder: TemporaryFolder, for name: String = "IP:127.0.0.1") throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/openssl")
    process.arguments = [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
        "/CN=test", "-addext", "subjectAltName=\(name)", "-keyout", folder.file("key.pem"), "-out",
        folder.file("certificate.pem"),
    ]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
}
