extension Page {
    /// The hash of ``style``; a test says the new one after a change.
    static let styleHash = "sha256-Ot3SjcIjovMFK5YZmbHXNpqVJyzDzPFxRR92hO5gW+0="

    /// How a page looks: on a light and a dark screen, and on paper.
    static let style = #"""

        :root {
          color-scheme: light dark;
          --paper: #fdfdfb; --ink: #1c1c1a; --soft: #5d5d57; --line: #d8d8d0; --link: #0b57a4;
          --now: #ffe08a; --on-now: #1c1c1a; --found: #cfe6ff; --here: #0b57a4;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --paper: #171918; --ink: #ecece6; --soft: #a6a8a2; --line: #3b3e3c; --link: #8ec5ff;
            --now: #ffd25c; --found: #163e63; --here: #8ec5ff;
          }
        }
        body {
          margin: 0 auto; padding: 1.5rem; max-width: 46rem;
          background: var(--paper); color: var(--ink);
          font: 1.0625rem/1.65 system-ui, sans-serif; overflow-wrap: break-word;
        }
        h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; }
        h2 { margin: 2.5rem 0 .5rem; font-size: 1.2rem; }
        [hidden] { display: none !important; }
        .tools { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: baseline; }
        input {
          font: inherit; width: 14rem; max-width: 100%; box-sizing: border-box; padding: .2rem .6rem;
          color: inherit; background: transparent; border: 1px solid var(--soft); border-radius: .4rem;
        }
        output, summary, dt, dd, details p, .about, .time { color: var(--soft); font-size: .875rem; }
        summary { cursor: pointer; }
        dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: .5rem 0; }
        dd { margin: 0; }
        kbd { font: inherit; padding: 0 .35em; border: 1px solid var(--line); border-radius: .25rem; }
        audio { position: sticky; top: .5rem; z-index: 1; display: block; width: 100%; margin: 1rem 0; }
        .summary { margin: 0 0 1.5rem; color: var(--soft); }
        .text p { position: relative; margin: 0 0 1em; padding-inline-start: 4.5rem; }
        /* Paragraphs out of sight cost nothing. */
        @media screen { .text p { content-visibility: auto; contain-intrinsic-size: auto 6rem; } }
        .time {
          position: absolute; inset-inline-start: 0; line-height: 1.9; text-decoration: none;
          font-variant-numeric: tabular-nums;
        }
        a.time { color: var(--link); }
        a.time:hover { text-decoration: underline; }
        .playable [data-t] { cursor: pointer; border-radius: .2em; }
        .playable [data-t]:hover { background: var(--line); }
        .low { text-decoration: underline dotted; text-underline-offset: .2em; }
        .found { background: var(--found); }
        .here { outline: 2px solid var(--here); }
        .playable [aria-current] { color: var(--on-now); background: var(--now); box-shadow: 0 0 0 .12em var(--now); }
        .about { margin-top: 2rem; padding: 1rem 0 0; border-top: 1px solid var(--line); list-style: none; }
        .problem { font-weight: bold; }
        :focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
        @media (max-width: 32rem) {
          .text p { padding-inline-start: 0; }
          .time { position: static; margin-inline-end: .5em; }
        }
        @media (forced-colors: active) { [aria-current] { outline: 2px solid Highlight; } }
        @media print {
          :root {
            --paper: #fff; --ink: #000; --soft: #444; --line: #999; --link: #444; --now: #fff;
            --on-now: #000; --found: #fff;
          }
          body { max-width: none; padding: 0; font-size: 11pt; }
          audio, .tools, .problem { display: none; }
          .text p { orphans: 3; widows: 3; }
          .here { outline: none; }
        }

        """#
}
