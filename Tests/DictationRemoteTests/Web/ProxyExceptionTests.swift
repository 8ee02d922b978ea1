#if Remote
import DictationWeb
import Testing

@Suite struct ProxyExceptionTests {
    @Test func thisMachineJoinsTheHostsThatTheUserNames() {
        let own = "localhost,127.0.0.1,127.0.0.0/8,::1"
        #expect(WebOptions.hostsWithoutProxy([:]) == own)
        #expect(WebOptions.hostsWithoutProxy(["no_proxy": "a.example,.b"]) == own + ",a.example,.b")
        #expect(WebOptions.hostsWithoutProxy(["NO_PROXY": "c"]) == own + ",c")
        #expect(WebOptions.hostsWithoutProxy(["no_proxy": "a", "NO_PROXY": "c"]) == own + ",a")
        #expect(WebOptions.hostsWithoutProxy(["no_proxy": "*"]) == "*")
    }
}
#endif
