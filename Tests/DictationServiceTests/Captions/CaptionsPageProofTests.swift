import DictationCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DictationDesktop
@testable import DictationService

/// The captions page in a real browser.
@Suite(.serialized, .timeLimit(.minutes(4))) struct CaptionsPageProofTests {
    /// A service whose status a test sets.
    private final class Shown: DictationControl {
        let publisher = StatusPublisher(ServiceStatus(engine: "e"))
        func perform(_ intent: DictationIntent) async throws(DictationError) -> DictationAnswer { .nothing }
        func hold(profile: String?) async throws(DictationError) -> DictationHold { throw .unknownAnswer }
        func statusUpdates() async throws(DictationError) -> ServiceStatus.Updates { publisher.updates() }

        func show(_ change: (inout ServiceStatus) -> Void) {
            var status = publisher.status
            change(&status)
            publisher.show(status)
        }
    }

    private static let text = "document.querySelector('section').innerText"

    @Test func thePageShowsWhatIsSaid() async throws {
        let (folder, shown) = (try PageFolder(), Shown())
        let server = try CaptionsServer(shown)
        let browser = try await Browser.open(try #require(URL(string: server.address)), in: folder)
        try await browser.wait(until: "document.querySelector('output').textContent == 'ready'")
        shown.show { status in
            (status.state, status.level, status.locale) = (.recording, Decibels(-30), "de-DE")
            (status.finalText, status.stableText, status.changingText) = (
                "Hello <b>world</b> & all.", "Yes,", "and mo"
            )
        }
        try await browser.wait(until: "\(Self.text) == 'Hello <b>world</b> & all. Yes, and mo'")
        #expect(try await browser.value("document.querySelector('i').textContent") == "and mo")
        #expect(try await browser.value("document.querySelector('meter').value") == 0.5)
        #expect(try await browser.value("document.documentElement.lang") == "de-DE")
        // Text that may change looks different, and both can be read from afar.
        let colors: [String] = try await browser.value(
            "['p', 'i'].map(name => getComputedStyle(document.querySelector(name)).color)")
        #expect(Set(colors).count == 2)
        let size: Double = try await browser.value("parseFloat(getComputedStyle(document.querySelector('p')).fontSize)")
        #expect(size >= 28)
        shown.show { $0.lines = [.init(speaker: "Ann", text: "Hello."), .init(speaker: "Bob", text: "Hi.")] }
        try await browser.wait(until: "\(Self.text).split(/\\n+/).join('|') == 'Ann: Hello.|Bob: Hi. Yes, and mo'")
        // The newest words are always in sight.
        shown.show { status in
            (status.lines, status.stableText, status.changingText) = ([], "", "")
            status.finalText = (0..<400).map { "word\($0)" }.joined(separator: " ")
        }
        try await browser.wait(until: "\(Self.text).endsWith('word399')")
        let bottom: Double = try await browser.value(
            "document.querySelector('section').lastChild.getBoundingClientRect().bottom")
        #expect(bottom <= 600)
        #expect(browser.complaints.isEmpty, "\(browser.complaints)")
        await server.close()
        try await browser.wait(until: "document.querySelector('output').textContent == 'not running'")
    }

    @Test func aPageForStreamingHasNoBackground() async throws {
        let folder = try PageFolder()
        let server = try CaptionsServer(Shown())
        let page = try #require(URL(string: server.address + "?transparent&size=10"))
        let browser = try await Browser.open(page, in: folder)
        #expect(try await browser.value("getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)")
        #expect(try await browser.value("getComputedStyle(document.body).fontSize") == "80px")
        #expect(try await browser.value("getComputedStyle(document.querySelector('footer')).display") == "none")
        #expect(browser.complaints.isEmpty, "\(browser.complaints)")
        await server.close()
    }

    /// A page from elsewhere reads nothing, even if it knew the whole address.
    @Test func anotherPageReadsNothing() async throws {
        let folder = try PageFolder()
        let server = try CaptionsServer(Shown())
        let page = try folder.save(Data("<!doctype html><title>other</title>".utf8), as: "other.html")
        let browser = try await Browser.open(page, in: folder)
        let address = Browser.quoted(server.address)
        let read: String = try await browser.value("fetch(\(address)).then(a => a.text()).catch(e => 'refused')")
        #expect(read == "refused")
        let events: String = try await browser.value(
            """
            new Promise(done => {
              const source = new EventSource(\(address) + "events");
              source.onmessage = message => done(message.data);
              source.onerror = () => done("refused");
            })
            """)
        #expect(events == "refused")
        let frame: String = try await browser.value(
            """
            new Promise(done => {
              const frame = document.createElement("iframe");
              frame.onload = () => { try { done(frame.contentDocument.body.innerText); } catch { done("refused"); } };
              frame.src = \(address);
              document.body.append(frame);
            })
            """)
        #expect(frame.isEmpty || frame == "refused")
        await server.close()
    }
}
