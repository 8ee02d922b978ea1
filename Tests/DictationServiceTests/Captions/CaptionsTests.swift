import DictationCore
import Foundation
import TestSupport
import Testing

@testable import DictationDesktop
@testable import DictationService

/// What the captions server answers, and what a page is told.
@Suite struct CaptionsTests {
    private static let token = "5eCret"

    @Test(
        arguments: [
            ("GET", "/5eCret/", "127.0.0.1:80", nil, .page), ("HEAD", "/5eCret/", "localhost:80", nil, .page),
            ("GET", "/5eCret/events", "LOCALHOST:80", "http://localhost:80", .events),
            ("GET", "/5eCret/events", "127.0.0.1:80", "https://evil.example", .refused(403)),
            ("GET", "/5eCret/", "127.0.0.1:80", "null", .refused(403)),
            ("GET", "/5eCret/", "127.0.0.1:80", "http://127.0.0.1:81", .refused(403)),
            ("GET", "/5eCret/", "evil.example:80", nil, .refused(421)), ("GET", "/5eCret/", nil, nil, .refused(421)),
            ("GET", "/5eCret/", "127.0.0.1", nil, .refused(421)), ("GET", "/5eCret/", "[::1]:80", nil, .page),
            ("GET", "/", "127.0.0.1:80", nil, .refused(404)), ("GET", "/5eCrev/", "127.0.0.1:80", nil, .refused(404)),
            ("GET", "/5eCret", "127.0.0.1:80", nil, .refused(404)),
            ("GET", "/5eCret/../etc", "127.0.0.1:80", nil, .refused(404)),
            ("POST", "/5eCret/", "127.0.0.1:80", nil, .refused(405)),
            ("OPTIONS", "/5eCret/events", "127.0.0.1:80", "http://127.0.0.1:80", .refused(405)),
        ] as [(String, String, String?, String?, CaptionsRequest.Answer)])
    func onlyThePageItselfIsAnswered(
        method: String, path: String, host: String?, origin: String?, answer: CaptionsRequest.Answer
    ) {
        let request = CaptionsRequest(method: method, path: path, host: host, origin: origin)
        #expect(request.answer(port: 80, token: Self.token) == answer)
    }

    @Test func anEventHasTheEndOfALongText() {
        var status = ServiceStatus(engine: "e")
        (status.state, status.level) = (.recording, Decibels(-30))
        status.finalText = String(repeating: "word ", count: 10_000) + "end"
        let event = CaptionsEvent(status)
        #expect(
            event.lines.count == 1 && event.lines[0].text.count == 1_501 && event.lines[0].text.hasSuffix("word end"))
        #expect(event.level == 0.5 && event.state == "starting", "Nothing invites to speak before audio arrives.")
        status.hasAudio = true
        #expect(CaptionsEvent(status).state == "recording" && CaptionsEvent(status).loss == nil)
        status.loss = "Audio without text."
        #expect(CaptionsEvent(status).loss == "Audio without text." && CaptionsEvent(status).problem == nil)
        status.lines = [.init(speaker: "1", text: "a"), .init(speaker: "2", text: "<b>\n")]
        #expect(CaptionsEvent(status).lines == status.lines)
        let text = String(decoding: CaptionsEvent(status).bytes, as: UTF8.self)
        #expect(text.hasPrefix("data: {") && text.hasSuffix("}\n\n") && text.dropLast(2).contains("\n") == false)
    }

    @Test func aLevelIsAlwaysANumber() {
        for value in [-Double.infinity, .infinity, .nan, -500, 500] {
            var status = ServiceStatus(engine: "e")
            status.level = Decibels(value)
            #expect((0...1).contains(CaptionsEvent(status).level))
        }
    }
}
