import DictationRemote
import TestSupport
import Testing

struct SecretTests {
    @Test func noDescriptionShowsASecret() {
        let secret = Secret("swordfish")
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), dumped] { #expect(!text.contains("swordfish")) }
    }

    @Test func aServerDoesNotShowItsToken() {
        var server = RemoteServer("wss://speech.example.org")
        server.token = Secret("swordfish")
        var dumped = ""
        dump(server, to: &dumped)
        for text in ["\(server)", dumped] { #expect(!text.contains("swordfish")) }
    }

    @Test func secretsComeFromVariablesFilesAndCommands() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Array("  swordfish \nsecond line\n".utf8), to: "token")
        #expect(try Secret(file: file) == Secret("swordfish"))
        #expect(try Secret(command: ["cat", file]) == Secret("swordfish"))
        #expect(try Secret(environmentVariable: "HOME").value.isEmpty == false)
    }

    @Test func aMissingSecretIsAnErrorThatDoesNotShowWhatIsThere() async throws {
        let empty = try TemporaryFolder().write([10, 97], to: "token")
        for make: () throws -> Secret in [
            { try Secret(environmentVariable: "NO_SUCH_VARIABLE") }, { try Secret(file: "/no/such/file") },
            { try Secret(file: empty) }, { try Secret(command: ["no-such-program"]) },
            { try Secret(command: ["sh", "-c", "echo hidden; exit 3"]) }, { try Secret(command: ["true"]) },
            { try Secret(command: []) },
        ] {
            let thrown = await error { _ = try make() }
            #expect(thrown.map { !"\($0)".contains("hidden") } == true)
        }
    }
}
