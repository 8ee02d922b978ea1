import DictationCore
import Foundation
import TestSupport
import Testing

@testable import DictationText

/// Pages in a real browser, with recordings that really play.
@Suite(.serialized, .timeLimit(.minutes(4))) struct PageProofTests {
    enum Place: CaseIterable { case beside, inside }

    /// Saves a page and its recording, which is a second of audio for each word and a second of silence at the end.
    private static func page(
        _ results: [SpeechResult], seconds: Int, place: Place = .inside, name: String = "talk.wav",
        in folder: PageFolder
    ) throws -> URL {
        let recording = PageFolder.tone(seconds: seconds)
        let audio: HTMLWriter.Audio
        switch place {
        case .inside: audio = .embedded(recording, type: "audio/wav")
        case .beside:
            _ = try folder.save(recording, as: name)
            audio = .file(name)
        }
        let source = TranscriptSource(name: name, engine: "scripted", locale: "en-US", audio: audio)
        let transcript = Transcript(segments: results, duration: .seconds(seconds))
        return try folder.save(Data(HTMLWriter().document(transcript, from: source).utf8), as: "page & text.html")
    }

    /// Words one after the other, in paragraphs of twenty.
    private static func spoken(_ words: [String], every step: Duration, confidence: Double = 0.9) -> [SpeechResult] {
        stride(from: 0, to: words.count, by: 20).map { first in
            let timed = (first..<min(words.count, first + 20)).map { index in
                SpeechResult.Word(words[index], range: step * index..<step * (index + 1), confidence: confidence)
            }
            return SpeechResult(
                range: step * first..<step * (first + timed.count),
                text: (first > 0 ? "\n\n" : "") + timed.map(\.text).joined(separator: " "), words: timed)
        }
    }

    private static let numbers = (0..<120).map { "word\($0)" }
    private static let now = "document.querySelector('[aria-current]')?.textContent ?? ''"
    private static let time = "document.querySelector('audio').currentTime"

    private static func opened(
        _ place: Place = .inside, scheme: String = "light", in folder: PageFolder
    ) async throws -> Browser {
        let page = try page(spoken(numbers, every: .milliseconds(250)), seconds: 31, place: place, in: folder)
        let browser = try await Browser.open(page, in: folder, scheme: scheme)
        try await browser.wait(until: "document.querySelector('audio').readyState > 0")
        return browser
    }

    @Test(arguments: Place.allCases) func aClickPlaysFromTheWord(_ place: Place) async throws {
        let folder = try PageFolder()
        let browser = try await Self.opened(place, in: folder)
        #expect(try await browser.value("document.querySelector('.problem').hidden"))
        try await browser.click("p:nth-of-type(2) span:nth-of-type(5)")
        // The word begins at 6 s.
        try await browser.wait(until: "\(Self.time) > 6 && !document.querySelector('audio').paused")
        #expect(try await browser.value(Self.time) < 20.0)
        try await browser.run("document.querySelector('audio').pause()")
        try await browser.click("p:nth-of-type(4) a.time")
        try await browser.wait(until: "\(Self.time) > 15 && !document.querySelector('audio').paused")
        #expect(browser.complaints.isEmpty, "\(browser.complaints)")
    }

    /// In each frame, the page shows the word that the audio's own clock asks for, or asked for 100 ms before.
    @Test func theWordBeingSaidIsHighlighted() async throws {
        let folder = try PageFolder()
        let browser = try await Self.opened(in: folder)
        let frames: [[Double]] = try await browser.value(
            """
            new Promise(done => {
              const [audio, frames] = [document.querySelector("audio"), []];
              const look = () => {
                const word = document.querySelector("[aria-current]");
                frames.push([audio.currentTime, word ? Number(word.textContent.slice(4)) : -1]);
                if (audio.currentTime < 8) requestAnimationFrame(look); else { audio.pause(); done(frames); }
              };
              audio.addEventListener("playing", () => requestAnimationFrame(look), { once: true });
              audio.play();
            })
            """)
        let wrong = frames.filter { frame in
            let right = [frame[0], frame[0] - 0.1].map { max(0, ($0 / 0.25).rounded(.down)) }
            return !right.contains(frame[1])
        }
        #expect(wrong.isEmpty, "\(wrong.count) of \(frames.count): \(wrong.prefix(5))")
        #expect(Set(frames.map { $0[1] }).count > 8)
        #expect(browser.complaints.isEmpty, "\(browser.complaints)")
    }

    @Test func aPauseInSpeechHighlightsNothingAndLongWordsGoOn() async throws {
        let folder = try PageFolder()
        let results = [
            SpeechResult(range: .seconds(1)..<(.seconds(9)), text: "long", speaker: "Anna"),
            SpeechResult(range: .seconds(3)..<(.seconds(4)), text: "short", speaker: "Bert"),
            SpeechResult(range: .seconds(12)..<(.seconds(13)), text: "late", speaker: "Anna"),
        ]
        let browser = try await Browser.open(try Self.page(results, seconds: 14, in: folder), in: folder)
        for (time, word) in [(0.5, ""), (1.5, "long"), (3.5, "short"), (5, "long"), (10, ""), (12, "late"), (13.5, "")]
        {
            try await browser.run("document.querySelector('audio').currentTime = \(time)")
            try await browser.wait(until: "(\(Self.now)) === '\(word)'")
        }
        let text: String = try await browser.value("document.querySelector('main').innerText")
        #expect(text.contains("Anna: long") && text.contains("Bert: short"))
    }

    @Test func searchFindsWordsWhateverTheirCaseAndAccents() async throws {
        let folder = try PageFolder()
        let words = ["We", "met", "at", "the", "Café", "du", "Nord,", "the", "CAFE", "DU", "Sud"]
        let browser = try await Browser.open(
            try Self.page(Self.spoken(words, every: .seconds(1)), seconds: 12, in: folder), in: folder)
        try await browser.press("/")
        try await browser.type("cafe du")
        #expect(try await browser.value("document.getElementById('found').value") == "2 found")
        let found = "Array.from(document.querySelectorAll('.found'), word => word.textContent)"
        #expect(try await browser.value(found) == ["Café", "du", "CAFE", "DU"])
        try await browser.press("Enter")
        #expect(try await browser.value("document.getElementById('found').value") == "1 of 2")
        // Found words can be heard.
        #expect(try await browser.value(Self.time) == 4.0)
        try await browser.press("Enter")
        #expect(try await browser.value(Self.time) == 8.0)
        try await browser.press("Enter")
        #expect(try await browser.value(Self.time) == 4.0)
        try await browser.press("Enter", shift: true)
        #expect(try await browser.value(Self.time) == 8.0)
        #expect(try await browser.value("document.querySelector('.here').textContent") == "CAFE")
        try await browser.type("x")
        #expect(try await browser.value("document.getElementById('found').value") == "Not found")
        try await browser.press("Escape")
        #expect(try await browser.value("document.querySelectorAll('.found, .here').length") == 0)
        #expect(try await browser.value("document.activeElement === document.body"))
        #expect(browser.complaints.isEmpty, "\(browser.complaints)")
    }

    @Test func keysControlTheRecording() async throws {
        let folder = try PageFolder()
        let browser = try await Self.opened(in: folder)
        try await browser.press("ArrowRight")
        #expect(try await browser.value(Self.time) == 5.0)
        #expect(try await browser.value(Self.now) == "word20")
        try await browser.press("ArrowRight", shift: true)
        #expect(try await browser.value(Self.now) == "word21")
        try await browser.press("ArrowLeft", shift: true)
        #expect(try await browser.value(Self.now) == "word20")
        try await browser.press("ArrowLeft")
        #expect(try await browser.value(Self.now) == "word0")
        try await browser.press("ArrowLeft")
        #expect(try await browser.value(Self.time) == 0.0)
        try await browser.press(" ")
        try await browser.wait(until: "\(Self.time) > 0.5")
        try await browser.press(" ")
        #expect(try await browser.value("document.querySelector('audio').paused"))
        // A space in the search is a space.
        try await browser.press("/")
        try await browser.type("word1 word")
        #expect(try await browser.value("document.getElementById('search').value") == "word1 word")
        #expect(try await browser.value("document.querySelector('audio').paused"))
        // The help on the page names each key.
        let help: String = try await browser.value("document.querySelector('details').textContent")
        for key in ["Space", "←", "→", "Shift", "/", "Enter", "Esc"] { #expect(help.contains(key)) }
        #expect(browser.complaints.isEmpty, "\(browser.complaints)")
    }

    @Test func anAddressWithATimeShowsItsWord() async throws {
        let folder = try PageFolder()
        let page = try Self.page(Self.spoken(Self.numbers, every: .milliseconds(250)), seconds: 31, in: folder)
        let address = try #require(URL(string: page.absoluteString + "#r1-20.1"))
        let browser = try await Browser.open(address, in: folder)
        try await browser.wait(until: "(\(Self.now)) === 'word80'")
        #expect(try await browser.value("document.querySelector('audio').paused"))
    }

    @Test func playingOneRecordingPausesTheOther() async throws {
        let folder = try PageFolder()
        var writer = HTMLWriter()
        var text = ""
        for name in ["one.wav", "two.wav"] {
            let audio = HTMLWriter.Audio.embedded(PageFolder.tone(seconds: 31), type: "audio/wav")
            text += writer.begin(TranscriptSource(name: name, audio: audio))
            text += writer.end(Transcript(segments: Self.spoken(["\(name)"], every: .seconds(20))))
        }
        let browser = try await Browser.open(
            try folder.save(Data((text + writer.finish()).utf8), as: "page.html"), in: folder)
        let paused = "Array.from(document.querySelectorAll('audio'), audio => audio.paused)"
        try await browser.click("#r1 [data-t]")
        try await browser.wait(until: "document.querySelector('#r1 audio').currentTime > 0.1")
        try await browser.click("#r2 [data-t]")
        try await browser.wait(until: "document.querySelector('#r2 audio').currentTime > 0.1")
        #expect(try await browser.value(paused) == [true, false])
        #expect(try await browser.value("document.querySelector('h2').textContent") == "two.wav")
        // The keys belong to the recording that played last.
        try await browser.press(" ")
        #expect(try await browser.value(paused) == [true, true])
    }

    // MARK: Injection

    private static let attacks = [
        "<script>hit = 1</script>", "</script><script>hit = 1</script>", "<img src=x onerror=hit=1>",
        "\"><svg onload=hit=1>", "' onmouseover='hit=1", "]]><script>hit=1</script>", "<!--<script>hit=1//-->",
        "javascript:hit=1", "</title><script>hit=1</script>", "\0<script\0>hit=1</script>", "\u{202E}<b>hit</b>",
        "&lt;script&gt;hit=1", "</span></p></style><iframe srcdoc='<script>parent.hit=1</script>'>", "${hit=1}",
    ]

    @Test func textIsNeverRunOrShownAsMarkup() async throws {
        let folder = try PageFolder()
        let results = Self.attacks.enumerated().map { index, attack in
            let range = Duration.seconds(index)..<(.seconds(index + 1))
            return SpeechResult(
                range: range, text: attack, words: [.init(attack, range: range, confidence: 0.05)], speaker: attack)
        }
        for attack in Self.attacks {
            let source = TranscriptSource(
                name: attack, engine: attack, model: attack, locale: SpeechLocale(attack), audio: .file(attack))
            let transcript = Transcript(
                segments: results, error: DictationError(.engineFailed, attack, recovery: attack), isComplete: false)
            let page = HTMLWriter().document(transcript, from: source)
            let browser = try await Browser.open(try folder.save(Data(page.utf8), as: "page.html"), in: folder)
            try await browser.click("p:nth-of-type(3) span")
            #expect(try await browser.value("'hit' in window") == false, "\(attack)")
            let counts = "['script', 'img', 'svg', 'iframe', 'b b'].map(tag => document.querySelectorAll(tag).length)"
            #expect(try await browser.value(counts) == [1, 0, 0, 0, 0], "\(attack)")
            let shown: String = try await browser.value("document.querySelector('.text').textContent")
            #expect(shown.contains("<img src=x onerror=hit=1>") && shown.contains("&lt;script&gt;hit=1"))
            #expect(shown.unicodeScalars.allSatisfy { $0 != "\0" && $0 != "\u{202E}" })
        }
    }

    /// Even markup that someone puts into the file later can't run or load anything.
    @Test func thePolicyStopsEveryOtherScript() async throws {
        let folder = try PageFolder()
        let page = try Self.page(Self.spoken(["one"], every: .seconds(1)), seconds: 2, in: folder)
        let markup = """
            <script>hit = 1</script><img src="x" onerror="hit = 1"><svg onload="hit = 1"></svg><base href="file:///etc/">
            <script src="file:///etc/hosts"></script><style>body { color: red }</style><p style="color: red">x</p>
            <link rel="stylesheet" href="http://127.0.0.1:9/"><img src="http://127.0.0.1:9/">
            <audio autoplay src="http://127.0.0.1:9/"></audio><iframe src="data:text/html,<script>top.hit=1</script>"></iframe>
            """
        let text = try String(contentsOf: page, encoding: .utf8).replacingOccurrences(
            of: "<main>", with: "<main>" + markup)
        try Data(text.utf8).write(to: page)
        let browser = try await Browser.open(page, in: folder)
        #expect(try await browser.value("'hit' in window") == false)
        #expect(try await browser.value("getComputedStyle(document.body).color !== 'rgb(255, 0, 0)'"))
        #expect(browser.complaints.filter { $0.contains("Content Security Policy") }.count > 5)
        // The page's own script still works.
        try await browser.click("[data-t]")
        try await browser.wait(until: "\(Self.time.replacingOccurrences(of: "audio", with: "section audio")) > 0.1")
    }

    @Test func aMissingRecordingIsSaid() async throws {
        let folder = try PageFolder()
        let source = TranscriptSource(name: "gone.wav", audio: .file("gone.wav"))
        let text = HTMLWriter().document(Transcript(segments: [.spoken("one", 0...1)]), from: source)
        let browser = try await Browser.open(try folder.save(Data(text.utf8), as: "page.html"), in: folder)
        try await browser.wait(until: "!document.querySelector('.problem').hidden")
        #expect(try await browser.value("document.querySelector('.problem').innerText.length > 0"))
    }

    // MARK: Reading

    /// The contrast of a selector's text with the page's background or its own.
    private static func contrast(_ selector: String) -> String {
        """
        (() => {
          const parts = color => color.match(/[\\d.]+/g).map(Number);
          const light = color => parts(color).slice(0, 3).map(part => part / 255)
            .map(part => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
            .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
          const element = document.querySelector("\(selector)");
          const own = getComputedStyle(element).backgroundColor;
          const paper = parts(own)[3] === 0 ? getComputedStyle(document.body).backgroundColor : own;
          const [one, other] = [light(getComputedStyle(element).color), light(paper)].sort((a, b) => b - a);
          return (one + 0.05) / (other + 0.05);
        })()
        """
    }

    @Test func lightAndDarkAreReadable() async throws {
        let folder = try PageFolder()
        let page = try Self.page(
            Self.spoken(["one", "two"], every: .seconds(2), confidence: 0.05), seconds: 5, in: folder)
        let browser = try await Browser.open(page, in: folder)
        try await browser.press("/")
        try await browser.type("two")
        try await browser.press("Enter")
        var backgrounds: Set<String> = []
        for scheme in ["light", "dark"] {
            try await browser.emulate(["prefers-color-scheme": scheme])
            backgrounds.insert(try await browser.value("getComputedStyle(document.body).backgroundColor"))
            for selector in ["h1", "p span", ".low", "[aria-current]", ".found", "a.time", ".about li", "summary"] {
                let contrast: Double = try await browser.value(Self.contrast(selector))
                #expect(contrast >= 4.5, "\(scheme) \(selector)")
            }
        }
        #expect(backgrounds.count == 2)
        // Doubt is not only a color.
        #expect(
            try await browser.value("getComputedStyle(document.querySelector('.low')).textDecorationStyle") == "dotted")
    }

    @Test func paperShowsAllTextAndNoControls() async throws {
        let folder = try PageFolder()
        let browser = try await Self.opened(scheme: "dark", in: folder)
        try await browser.emulate(["prefers-color-scheme": "dark"], media: "print")
        #expect(try await browser.value("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)")
        let hidden = "['audio', '.tools'].map(name => getComputedStyle(document.querySelector(name)).display)"
        #expect(try await browser.value(hidden) == ["none", "none"])
        let print = try await browser.send("Page.printToPDF")
        let document = Data(base64Encoded: print["data"] as? String ?? "") ?? Data()
        #expect(document.starts(with: Data("%PDF".utf8)))
        #expect(try await browser.value("document.querySelector('.text').innerText.includes('word119')"))
    }

    @Test func aScreenReaderFindsItsWay() async throws {
        let folder = try PageFolder()
        let browser = try await Self.opened(in: folder)
        let tree = try await browser.send("Accessibility.getFullAXTree")
        let nodes = tree["nodes"] as? [[String: Any]] ?? []
        func text(_ node: [String: Any], _ name: String) -> String {
            (node[name] as? [String: Any])?["value"] as? String ?? ""
        }
        let seen = nodes.filter { $0["ignored"] as? Bool != true }.map { "\(text($0, "role")) \(text($0, "name"))" }
        for wanted in [
            "main ", "search ", "searchbox Search the text", "heading talk.wav", "region talk.wav", "banner ",
        ] {
            #expect(seen.contains { $0 == wanted }, "\(wanted) of \(Set(seen))")
        }
        // Tab visits the tools, the player and the paragraphs, but no word, and leaves the page at its end.
        var visited: [String] = []
        for _ in 0..<40 {
            try await browser.press("Tab")
            let name: String = try await browser.value(
                "document.activeElement.matches('[data-t]') ? 'word' : document.activeElement.localName")
            visited.append(name)
            if name == "body", visited.count > 1 { break }
        }
        #expect(!visited.contains("word") && visited.last == "body", "\(visited)")
        #expect(visited.count(where: { $0 == "a" }) == 6, "\(visited)")
        try await browser.click("p span:nth-of-type(3)")
        #expect(try await browser.value("document.querySelectorAll('[aria-current=true]').length") == 1)
    }

    // MARK: Size

    /// An hour of speech: a new word changes two elements, and a search is over before a reader notices it.
    @Test func anHourOfWordsStaysResponsive() async throws {
        let folder = try PageFolder()
        let words = (0..<9_000).map { ["the", "house", "of", "number\($0)"][$0 % 4] }
        let results = Self.spoken(words, every: .milliseconds(400))
        let source = TranscriptSource(name: "hour.wav", audio: .file("hour.wav"))
        _ = try folder.save(PageFolder.tone(seconds: 3_600), as: "hour.wav")
        let text = HTMLWriter().document(Transcript(segments: results, duration: .seconds(3_600)), from: source)
        let page = try folder.save(Data(text.utf8), as: "page.html")
        let browser = try await Browser.open(page, in: folder)
        try await browser.run(
            """
            changes = 0;
            new MutationObserver(list => changes += list.length)
              .observe(document.body, { subtree: true, attributes: true, attributeFilter: ["aria-current"] });
            """)
        try await browser.click("p:nth-of-type(400) span:nth-of-type(20)")
        try await browser.wait(until: "\(Self.time) > 3201")
        try await browser.run("document.querySelector('audio').pause()")
        let current: Int = try await browser.value("changes")
        #expect((1...40).contains(current))
        let search: Double = try await browser.value(
            """
            (() => {
              const field = document.getElementById("search");
              const began = performance.now();
              for (const text of ["h", "ho", "house of number8"]) {
                field.value = text;
                field.dispatchEvent(new Event("input"));
              }
              return performance.now() - began;
            })()
            """)
        #expect(search < 1_500)
        #expect(try await browser.value("document.getElementById('found').value") == "277 found")
        #expect(browser.complaints.isEmpty, "\(browser.complaints)")
    }
}
