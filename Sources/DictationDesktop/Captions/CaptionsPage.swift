/// The page that shows captions.
enum CaptionsPage {
    /// Returns the page.
    ///
    /// - Parameter nonce: A random text. The browser runs only the script with it.
    static func html(nonce: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>Captions</title>
        <style nonce="\(nonce)">\(style)</style>
        <main>
        <section role="log" aria-label="Captions"></section>
        <footer><meter aria-label="Input level" min="0" max="1" value="0"></meter> <output></output></footer>
        </main>
        <script nonce="\(nonce)">\(script)</script>
        </html>
        """
    }

    /// Nothing but the page itself, its own events, and no page around it.
    static func policy(nonce: String) -> String {
        "default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; connect-src 'self'; "
            + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    }

    private static let style = """

        html, body { height: 100%; margin: 0; }
        body { background: #000; color: #fff; font: 600 clamp(1.75rem, 5vw, 5rem)/1.3 system-ui, sans-serif; }
        main { height: 100%; box-sizing: border-box; padding: .5em; display: flex; flex-direction: column; }
        section { flex: 1; min-height: 0; overflow: hidden; display: flex; flex-direction: column;
          justify-content: flex-end; }
        p { margin: 0; white-space: pre-line; overflow-wrap: anywhere; }
        b { color: #ffd25c; }
        i { color: #b8c4d0; }
        footer { display: flex; gap: .75em; align-items: center; font-size: 1rem; font-weight: 400; color: #b8c4d0; }
        meter { width: 8rem; height: .5rem; }
        .transparent { background: transparent; }
        .transparent p { text-shadow: 0 0 .12em #000, 0 0 .12em #000, .05em .05em .1em #000; }
        .transparent footer { display: none; }

        """

    private static let script = """

        "use strict";
        const wishes = new URLSearchParams(location.search);
        document.body.classList.toggle("transparent", wishes.has("transparent"));
        const size = Number(wishes.get("size"));
        if (size >= 1 && size <= 50) document.body.style.fontSize = size + "vw";
        const [log, meter, output] = ["section", "meter", "output"].map(name => document.querySelector(name));
        const element = (name, text) => {
          const made = document.createElement(name);
          made.textContent = text;
          return made;
        };
        const words = { stopped: "not running", idle: "ready", starting: "starting", recording: "listening",
          paused: "paused", finalizing: "finishing", failed: "failed" };
        let shown = "";
        const show = event => {
          meter.value = event.level;
          const state = [event.problem ?? words[event.state] ?? event.state, event.loss].filter(Boolean).join(" · ");
          if (output.textContent != state) output.textContent = state;
          const text = JSON.stringify([event.lines, event.stableText, event.changingText]);
          if (text == shown) return;
          shown = text;
          document.documentElement.lang = event.locale;
          const lines = event.lines.map(line => {
            const made = element("p", line.text);
            if (line.speaker != null) made.prepend(element("b", line.speaker + ": "));
            return made;
          });
          for (const [name, text] of [["span", event.stableText], ["i", event.changingText]]) {
            if (!text) continue;
            if (lines.length == 0) lines.push(element("p", ""));
            else if (lines.at(-1).textContent) lines.at(-1).append(" ");
            lines.at(-1).append(element(name, text));
          }
          log.replaceChildren(...lines);
        };
        let newest = null;
        const source = new EventSource("events");
        source.onmessage = message => {
          if (newest == null) requestAnimationFrame(() => { show(newest); newest = null; });
          newest = JSON.parse(message.data);
        };
        source.onerror = () => { newest ?? show({ state: "stopped", level: 0, locale: "en", lines: [], stableText: "", changingText: "" }); };

        """
}
