#if Captions
import DictationHTTP

/// What the captions server serves: the page, and the events that it shows.
struct CaptionsSite: HTTPSite {
    let token: String
    let stream: CaptionsStream

    func plan(for request: HTTPRequest) -> HTTPPlan {
        let asked = CaptionsRequest(
            method: request.method, path: request.path, host: request.headers["host"],
            origin: request.headers["origin"])
        switch asked.answer(port: request.port, token: token) {
        case .page:
            var random = SystemRandomNumberGenerator()
            let nonce = String(random.next() as UInt64, radix: 36) + String(random.next() as UInt64, radix: 36)
            var page = HTTPResponse(200, CaptionsPage.html(nonce: nonce), type: "text/html; charset=utf-8")
            page.headers["Content-Security-Policy"] = CaptionsPage.policy(nonce: nonce)
            return .answer(page)
        case .events:
            return .answer(
                HTTPResponse(
                    200, ["Content-Type": "text/event-stream; charset=utf-8"],
                    body: .source(CaptionsStream.Reader(stream))))
        case .refused(let status):
            var refusal = HTTPResponse(status, "\(status)\n", type: "text/plain")
            refusal.headers["Connection"] = "close"
            return .answer(refusal)
        }
    }
}
#endif
