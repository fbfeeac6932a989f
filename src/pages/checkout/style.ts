/** Rules of the pages of a payment beside those of every card. */
export const checkoutStyle = `
.logo { display: block; max-width: 10rem; max-height: 3rem; margin: 0 0 0.75rem; }
.head { display: flex; align-items: baseline; justify-content: space-between; gap: 1rem; }
.left { flex: none; padding: 0.05rem 0.6rem; border: 1px solid var(--line); border-radius: var(--pill); font-size: 0.8125rem; font-variant-numeric: tabular-nums; color: var(--soft); }
.note { margin: 0 0 1.25rem; white-space: pre-line; }
.waits { margin: 0.75rem 0 0; font-size: 0.875rem; color: var(--soft); }
h2 { margin: 0 0 0.75rem; font-size: 1.0625rem; font-weight: 600; }
.card, .choice { display: grid; gap: 0.9rem; }
.card > h2 { margin: 0; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 0.9rem; }
.field { display: flex; flex-direction: column; gap: 0.3rem; min-width: 0; }
.field small { order: 2; color: var(--soft); font-size: 0.8125rem; }
label { font-size: 0.9375rem; font-weight: 500; }
input { width: 100%; min-height: 2.875rem; padding: 0.55rem 0.75rem; border: 1px solid var(--field); border-radius: var(--round); background: var(--back); color: inherit; font: inherit; font-variant-numeric: tabular-nums; }
input[aria-invalid] { border-color: var(--bad); box-shadow: 0 0 0 1px var(--bad); }
.field small.fault { color: var(--bad); }
.card button, .choice button, .button { min-height: 2.875rem; }
button.plain { border-color: var(--field); }
.alert { margin: 0; padding: 0.65rem 0.85rem; border: 1px solid var(--bad); border-inline-start-width: 0.35rem; border-radius: var(--round); font-size: 0.9375rem; }
.alert.ask { margin: 0 0 1rem; border-color: var(--accent); }
.alert strong { display: block; }
.steps { margin: 0 0 1rem; padding-inline-start: 1.4rem; }
.steps li { padding-block: 0.15rem; }
.steps + .waits { margin-bottom: 0.75rem; }
.question { margin: 0.25rem 0 1.25rem; font-size: 1.5rem; font-weight: 650; letter-spacing: -0.01em; line-height: 1.25; }
.back { margin: 0.9rem 0 0; }
a:not(.button) { color: inherit; text-underline-offset: 0.2em; }
details { margin-top: 1.1rem; font-size: 0.875rem; }
details + .waits { margin-top: 1rem; }
details.another { font-size: inherit; }
details.another .card { margin-top: 1rem; }
summary { padding: 0.25rem 0; color: var(--soft); cursor: pointer; }
details table { width: 100%; border-collapse: collapse; }
details th { font-weight: 500; color: var(--soft); text-align: start; }
details th, details td { padding: 0.4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
details td:first-child { padding-inline-end: 0.75rem; width: 1%; }
details code { font: 0.75rem/1.6 var(--mono); white-space: nowrap; user-select: all; }
details td small { display: block; color: var(--soft); }
.outcome { padding: 0.5rem 0 1rem; font-weight: 400; text-align: center; }
.outcome strong { margin-bottom: 0.35rem; font-size: 1.375rem; }
.outcome span { display: block; margin-top: 0.35rem; color: var(--soft); font-size: 0.9375rem; }
.outcome strong::before { display: grid; place-items: center; width: 3.25rem; height: 3.25rem; margin: 0 auto 0.75rem; border: 2px solid; border-radius: 50%; font-size: 1.6rem; line-height: 1; }
.good strong { color: var(--good); } .good strong::before { content: '✓' / ''; }
.bad strong { color: var(--bad); } .bad strong::before { content: '✕' / ''; }
.off strong::before { content: '–' / ''; }
`
