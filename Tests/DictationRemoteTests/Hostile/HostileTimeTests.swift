#if Remote
import DictationCore
import TestSupport
import Testing

@testable import DictationMessages
@testable import DictationRemote

/// Servers that tell times which can't be true.
@Suite(.timeLimit(.minutes(4))) struct HostileTimeTests {
    private let buffers = CodedSpeech.buffers(words: 0..<7)
    private var end: Duration { buffers.last?.end ?? .zero }

    private var timed: RecognitionOptions {
        var options = RecognitionOptions.liveDictation()
        options.wordTimes = true
        return options
    }

    @Test(arguments: [
        (#""timestamps": ["#, #""timestamps": [-1e300, 1e300, 5, -7, "#), (#""timestamps": ["#, #""times": ["#),
        (#""start_time": "#, #""start_time": -99999"#), (#""start_time": "#, #""start_time": 1e18"#),
        (#""start_time": "#, #""start_time": 1e308, "other": "#), (#""segment": 0"#, #""segment": -1"#),
        (#""segment": 0"#, #""segment": 9223372036854775807"#), (#""segment": 0"#, #""segment": 0.5"#),
        (#""tokens": ["#, #""tokens": [" a", "", " ", "́", "#), (#""tokens": ["#, #""tokens": [], "other": ["#),
        (#""is_final": true"#, #""is_final": 1"#), (#""is_final": false"#, #""is_final": true"#),
    ])
    func sherpa(_ honest: String, _ wrong: String) async throws {
        let server = try RemoteKind.sherpa.startLiar { text, number in
            [.text(number == 1 ? text.replacing(honest, with: wrong) : text)]
        }
        let engine = try RemoteKind.sherpa.engine(server.port)
        let heard = await hear(buffers, with: engine, timed)
        #expect(heard.brokenPromises(end: end) == [], "\(heard)")
        #expect(heard.error == nil && !heard.finals.isEmpty)
    }

    @Test(arguments: [
        (#""start" : "#, #""start" : -5, "other" : "#), (#""start" : "#, #""start" : 1e300, "other" : "#),
        (#""end" : "#, #""end" : -1e300, "other" : "#), (#""end" : "#, #""end" : 1e18, "other" : "#),
        (#""end" : "#, #""end" : null, "other" : "#), (#""conf" : 0.9"#, #""conf" : 7"#),
        (#""conf" : 0.9"#, #""conf" : -1e300"#), (#""conf" : 0.9"#, #""conf" : null"#),
        (#""conf" : 0.9"#, #""conf" : "NaN""#), (#""word" : "w"#, #""word" : "́w"#),
    ])
    func vosk(_ honest: String, _ wrong: String) async throws {
        let server = try RemoteKind.vosk.startLiar { text, number in
            [.text(number == 1 ? text.replacing(honest, with: wrong) : text)]
        }
        var options = timed
        options.wordConfidence = true
        let heard = await hear(buffers, with: try RemoteKind.vosk.engine(server.port), options)
        #expect(heard.brokenPromises(end: end) == [], "\(heard)")
        #expect(heard.error == nil && !heard.finals.isEmpty)
    }

    @Test(arguments: [
        #"{"word":"w1","start":-1e300,"end":1e300}"#, #"{"word":"w1","start":9,"end":1}"#,
        #"{"word":"w1","start":"NaN","end":"inf"}"#, #"{"word":"w1","start":null,"end":null}"#,
        #"{"word":"w1","start":5,"end":6},{"word":"w2","start":1,"end":2}"#, #"{"word":null}"#, "null", "5", "[]",
        #"{"start":1e18,"end":1e18,"word":"w1"},{"start":-1e18,"end":-1e18,"word":"w2"}"#,
        #"{"word":"́w1","start":"0","end":"1"}"#,
    ])
    func openAI(_ words: String) async throws {
        let server = try FakeOpenAIServer { request in
            .init(body: #"{"text":"\#(request.text)","duration":-5,"words":[\#(words)]}"#)
        }.start()
        let options = RecognitionOptions.timedTranscription()
        let engine = try RemoteKind.requests.engine(server.port) { $0.tryAgainBriefly() }
        let heard = await hear(buffers, with: engine, options)
        #expect(heard.brokenPromises(end: end) == [], "\(heard)")
        #expect(heard.error == nil ? heard.text == CodedSpeech.text(0..<7) : heard.error?.code == .serverAnswerInvalid)
    }
}
#endif
