import DictationRemote
import Testing

struct SecretTests {
    @Test func noDescriptionShowsASecret() {
        let secret = Secret("swordfish")
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), dumped] { #expect(!text.contains("swordfish")) }
    }
}
