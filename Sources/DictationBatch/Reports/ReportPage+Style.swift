extension ReportPage {
    /// How the page looks: on a light and a dark screen, and on paper.
    static let style = """

        :root {
          color-scheme: light dark;
          --paper: #fdfdfb; --ink: #1c1c1a; --soft: #5d5d57; --line: #dcdcd5; --done: #3573a6; --failed: #c24f38;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --paper: #171918; --ink: #ecece6; --soft: #a6a8a2; --line: #3b3e3c; --done: #6fa9dc; --failed: #ea8069;
          }
        }
        body {
          margin: 0 auto; padding: 1.5rem; max-width: 46rem;
          background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif;
        }
        h1 { margin: 0 0 1rem; font-size: 1.6rem; line-height: 1.25; }
        h2 { margin: 2.5rem 0 .75rem; font-size: 1.1rem; }
        dl, dd { margin: 0; }
        .sums { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; padding: 1rem 0; border-block: 1px solid var(--line); }
        .sums div { display: flex; flex-direction: column-reverse; }
        .sums dd { font-size: 1.5rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
        dt, th, figcaption, .about { color: var(--soft); font-size: .875rem; }
        .about { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.5rem; }
        .about dd { overflow-wrap: anywhere; color: var(--ink); }
        table { border-collapse: collapse; width: 100%; }
        th, td {
          padding: .35rem 1.25rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top;
          text-align: start; font-weight: normal; overflow-wrap: anywhere;
        }
        :is(th, td):last-child { padding-inline-end: 0; } td:first-child { width: 35%; }
        tbody th { color: var(--ink); font-size: 1rem; }
        .number { text-align: end; font-variant-numeric: tabular-nums; }
        figure { margin: 2.5rem 0; overflow-x: auto; }
        figcaption { margin-bottom: .5rem; } figcaption b { color: var(--ink); font-size: 1.1rem; }
        .key { display: inline-block; width: .7em; height: .7em; margin-inline-start: .8em; background: var(--done); }
        .failed.key { background: var(--failed); }
        svg { display: block; width: 100%; min-width: 32rem; height: auto; }
        rect { fill: var(--done); } rect.failed { fill: var(--failed); } path { stroke: var(--line); }
        text { fill: var(--soft); font-size: 11px; font-variant-numeric: tabular-nums; }
        @media print { figure, tr { break-inside: avoid; } }

        """
}
