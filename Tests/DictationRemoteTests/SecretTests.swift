import DictationCore
import DictationRemote
import TestSupport
import Testing

struct SecretTests {
    @Test func noDescriptionShowsASecret() {
        let secret = SecretText("swordfish")
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), dumped] { #expect(!text.contains("swordfish")) }
    }

    @Test func aServerDoesNotShowItsToken() {
        var server = RemoteServer("wss://speech.example.org")
        server.token = SecretText("swordfish")
        var dumped = ""
        dump(server, to: &dumped)
        for text in ["\(server)", dumped] { #expect(!text.contains("swordfish")) }
    }

    @Test func secretsComeFromVariablesFilesAndCommands() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Array("  swordfish \nsecond line\n".utf8), to: "token")
        #expect(try SecretText(from: .file(file)) == SecretText("swordfish"))
        #expect(try SecretText(from: .command(["cat", file])) == SecretText("swordfish"))
        #expect(try SecretText(from: .environment("HOME")).value.isEmpty == false)
    }

    @Test func aMissingSecretIsAnErrorThatDoesNotShowWhatIsThere() async throws {
        let empty = try TemporaryFolder().write([10, 97], to: "token")
        for source: SecretText.Source in [
            .environment("NO_SUCH_VARIABLE"), .file("/no/such/file"), .file(empty), .command(["no-such-program"]),
            .command(["sh", "-c", "echo hidden; exit 3"]), .command(["true"]), .command([]),
            .command(["printf", #"hidden\0\n"#]),
        ] {
            let thrown = await error { _ = try SecretText(from: source) }
            #expect(thrown.map { !"\($0)".contains("hidden") } == true)
        }
    }
}
