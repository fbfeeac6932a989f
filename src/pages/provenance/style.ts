/** The looks of the page, beside those of all that are read. */
export const provenanceStyle = `
html { scroll-padding-top: 1rem; }
body { display: block; padding: clamp(1.5rem, 6vw, 3rem) 0 5rem; }
main { width: min(56rem, 92vw); margin: 0 auto; }
nav { display: flex; flex-wrap: wrap; gap: 0.5rem 1.25rem; margin-bottom: 1.5rem; font-size: 0.875rem; }
h1 { font-size: clamp(1.75rem, 7vw, 2.25rem); }
h2 { margin: 2.5rem 0 0.75rem; font-size: 1.25rem; letter-spacing: -0.01em; }
.legend { display: grid; grid-template-columns: auto 1fr; gap: 0.5rem 1.25rem; margin: 1.5rem 0 0; }
.legend dt { font-variant-numeric: tabular-nums; }
.legend dd { margin: 0; }
form { display: grid; gap: 0.75rem; margin: 2rem 0 0; }
form[hidden] { display: none; }
input[type='search'] { width: 100%; box-sizing: border-box; padding: 0.6rem 0.9rem; border: 1px solid var(--field); border-radius: var(--round); background: var(--back); color: inherit; font: inherit; }
fieldset { display: flex; flex-wrap: wrap; gap: 0.35rem 1.25rem; margin: 0; padding: 0; border: 0; }
fieldset label { display: flex; align-items: center; gap: 0.4rem; min-height: 1.75rem; cursor: pointer; }
legend, .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
input { accent-color: var(--link); }
output { min-height: 1.5em; font-size: 0.875rem; color: var(--soft); }
details.group { border-bottom: 1px solid var(--line); }
summary { display: flex; flex-wrap: wrap; align-items: center; gap: 0.25rem 0.75rem; padding: 0.65rem 0; cursor: pointer; }
summary::-webkit-details-marker { display: none; }
summary::before { content: ''; flex: none; width: 0.4rem; height: 0.4rem; margin: 0 0.25rem 0 0.1rem; border: solid var(--soft); border-width: 0 2px 2px 0; transform: rotate(-45deg); }
details[open] > summary::before { transform: rotate(45deg); }
summary code { flex: 1 1 12rem; font-weight: 600; overflow-wrap: anywhere; }
.counts { display: flex; gap: 0.35rem; font-variant-numeric: tabular-nums; }
details p { margin: 0 0 0.75rem 1.1rem; color: var(--soft); font-size: 0.875rem; }
ul { margin: 0 0 1.25rem; padding: 0; list-style: none; font-size: 0.875rem; }
li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0.1rem 1rem; padding: 0.4rem 0 0.4rem 1.1rem; border-top: 1px solid var(--line); }
li[hidden] { display: none; }
li:target { background: var(--tint); }
li a { color: inherit; text-decoration: none; overflow-wrap: anywhere; }
li a:hover { text-decoration: underline; }
li .why { grid-column: 1 / -1; color: var(--soft); }
.kind { color: var(--soft); }
.mark { display: inline-block; padding: 0 0.5rem; border-radius: var(--pill); font-size: 0.75rem; line-height: 1.25rem; font-weight: 600; white-space: nowrap; align-self: start; }
.mark.documented { color: var(--soft); box-shadow: inset 0 0 0 1px var(--line); }
.mark.observed { color: var(--info); background: var(--info-back); }
.mark.assumed { color: var(--wait); background: var(--wait-back); }
`
