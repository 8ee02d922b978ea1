import DictationCore

/// The parts of a page that are the same for every transcript.
enum Page {
    /// The page runs only the script and uses only the style with these hashes, and loads audio only from beside it.
    static let policy = """
        default-src 'none'; script-src '\(scriptHash)'; style-src '\(styleHash)'; media-src 'self' file: data:; \
        base-uri 'none'; form-action 'none'
        """

    static func start(title: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="\(policy)" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>\(title.inHTML)</title>
        <style>\(style)</style>
        </head>
        <body>
        <header>
        <h1>\(title.inHTML)</h1>
        <div class="tools" hidden="">
        <div role="search">
        <input id="search" type="search" placeholder="Search" aria-label="Search the text" autocomplete="off" />
        <output id="found" for="search"></output>
        </div>
        <details>
        <summary>Keyboard</summary>
        <dl>
        <dt><kbd>Space</kbd></dt><dd>Play or pause</dd>
        <dt><kbd>←</kbd> <kbd>→</kbd></dt><dd>Five seconds back or forward</dd>
        <dt><kbd>Shift</kbd> <kbd>←</kbd> <kbd>→</kbd></dt><dd>Previous or next word</dd>
        <dt><kbd>/</kbd></dt><dd>Search</dd>
        <dt><kbd>Enter</kbd></dt><dd>Go to the next match; with <kbd>Shift</kbd>, to the previous one</dd>
        <dt><kbd>Esc</kbd></dt><dd>End the search</dd>
        </dl>
        <p>A click on a word or a time plays from there.</p>
        </details>
        </div>
        </header>
        <main>

        """
    }

    static let end = "</main>\n<script>\(script)</script>\n</body>\n</html>\n"
}
