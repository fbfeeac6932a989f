import { tokens } from '../../pages/tokens.ts'

const page = `
* { box-sizing: border-box; }
:root { font: 15px/1.5 var(--sans); -webkit-text-size-adjust: 100%; scroll-padding-top: 6.5rem; }
body { margin: 0; background: var(--ground); color: var(--text); overflow-wrap: anywhere; }
a { color: var(--link); text-underline-offset: 0.2em; }
code, pre, table { font: 0.8125rem/1.55 var(--mono); }
h1, h2, h3, h4, h5, p, dl, dd, ol, ul { margin: 0; padding: 0; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: var(--round-s); }
[hidden] { display: none !important; }
.shapes { position: absolute; width: 0; height: 0; }
.icon { flex: none; width: 1rem; height: 1rem; fill: currentColor; vertical-align: -0.15rem; }
.icon path { fill: none; }
symbol path { fill: none; stroke: var(--card); stroke-width: 1.7; stroke-linecap: round; stroke-linejoin: round; }
symbol path.ground { fill: currentColor; stroke: currentColor; stroke-width: 1; }
symbol .ring { fill: none; stroke: currentColor; stroke-width: 1.5; stroke-dasharray: 2.6 2.4; }
symbol .none { fill: none; stroke: currentColor; stroke-width: 1.4; }
.icon.v-pass { color: var(--good); }
.icon.v-fail { color: var(--bad); }
.icon.v-inconclusive, .icon.v-waived { color: var(--wait); }
.icon.v-not_seen, .icon.v-not_applicable { color: var(--field); }
.tags { display: flex; flex: none; gap: 0.75rem; align-items: baseline; color: var(--soft); font-size: 0.8125rem; }
.tags code { min-width: 3.6rem; color: var(--soft); }
.tags .mandatory, .tags .recommended { width: 6.2rem; text-align: end; }
.tags .mandatory { color: var(--text); }
`

const front = `
.front { --tone: var(--good); --tone-back: var(--good-back); max-width: 66rem; margin: 0 auto; padding: clamp(1.25rem, 4vw, 3rem) clamp(1rem, 4vw, 2.5rem) 0; }
.front.bad { --tone: var(--bad); --tone-back: var(--bad-back); }
.front.wait { --tone: var(--wait); --tone-back: var(--wait-back); }
.kicker { display: flex; flex-wrap: wrap; gap: 0.15rem 1.25rem; color: var(--soft); font-size: 0.8125rem; }
.kicker span:first-child { color: var(--text); font-weight: 600; }
.hero { display: flex; gap: 2rem; align-items: center; justify-content: space-between; margin: clamp(1.5rem, 5vw, 3rem) 0 clamp(1.5rem, 4vw, 2.25rem); }
.subject { font-size: 1.125rem; color: var(--soft); }
h1 { font-size: clamp(2rem, 7vw, 3.5rem); line-height: 1.05; letter-spacing: -0.035em; font-weight: 680; color: var(--tone); text-wrap: balance; }
.lead { margin-top: 0.75rem; font-size: 1.125rem; max-width: 38rem; }
.record { margin-top: 0.6rem; max-width: 38rem; font-size: 0.875rem; color: var(--soft); }
.ring { display: grid; flex: none; justify-items: center; width: 9rem; text-align: center; }
.ring > * { grid-area: 1 / 1; }
.ring svg { width: 8.5rem; height: 8.5rem; fill: none; stroke-width: 9; }
.ring .track { stroke: var(--line); }
.ring .v-pass { stroke: var(--alive); }
.ring .v-fail { stroke: var(--bad); }
.ring .v-inconclusive, .ring .v-waived { stroke: var(--wait); }
.ring p { align-self: center; line-height: 1.1; }
.ring b { display: block; font-size: 2.5rem; font-weight: 650; letter-spacing: -0.03em; font-variant-numeric: tabular-nums; }
.ring span, .ring .of { font-size: 0.8125rem; color: var(--soft); }
.ring .of { grid-row: 2; margin-top: 0.5rem; line-height: 1.3; }
.worst { display: grid; gap: 0.35rem; padding: clamp(1.1rem, 3vw, 1.6rem) clamp(1.1rem, 3vw, 1.75rem); border-radius: var(--round-xl); background: var(--tone-back); color: var(--text); text-decoration: none; }
.worst .label { display: flex; gap: 0.5rem; align-items: center; color: var(--tone); font-weight: 600; font-size: 0.875rem; }
.worst .icon { color: var(--tone) !important; }
.worst strong { font-size: clamp(1.125rem, 3vw, 1.375rem); line-height: 1.35; letter-spacing: -0.01em; font-weight: 620; text-wrap: pretty; }
.worst .why { max-width: 46rem; }
.worst .why b { font-weight: 560; }
.worst .which { margin-top: 0.35rem; font-size: 0.875rem; color: var(--soft); }
.worst .which b { font-family: var(--mono); font-weight: 500; color: var(--text); margin-inline-end: 0.4rem; }
.worst:hover .which { text-decoration: underline; }
.front.good .worst { border: 1px solid var(--line); background: var(--card); }
.front.good .worst .label { color: var(--soft); }
.front.good .worst .icon { color: var(--bad) !important; }
.strips { display: flex; flex-wrap: wrap; gap: 1.25rem 2rem; margin-top: clamp(1.5rem, 4vw, 2.25rem); list-style: none; }
.strips li { flex: 1 1 8rem; min-width: 7rem; }
.strips li > a { display: flex; gap: 0.75rem; justify-content: space-between; color: var(--text); text-decoration: none; font-size: 0.875rem; }
.strips li > a:hover b { text-decoration: underline; }
.strips li > a b { font-weight: 600; }
.strips li > a span { color: var(--soft); font-variant-numeric: tabular-nums; }
.strip { display: flex; gap: 2px; margin-top: 0.4rem; }
.strip a { flex: 1; height: 1.25rem; border-radius: 2px; background: var(--line); }
.strip .v-pass { background: var(--alive); }
.strip .v-fail { background: var(--bad); }
.strip .v-inconclusive, .strip .v-waived { background: var(--wait); }
.strip .v-not_applicable { background: none; border: 1px solid var(--line); }
.strip a:hover { transform: scaleY(1.25); }
@media (max-width: 40rem) {
  .hero { gap: 1rem; align-items: flex-start; }
  .ring { width: 5.75rem; }
  .ring svg { width: 5.25rem; height: 5.25rem; stroke-width: 10; }
  .ring b { font-size: 1.5rem; }
  .ring span, .ring .of { font-size: 0.6875rem; }
  .lead { font-size: 1rem; }
}
`

const list = `
main, .left, .foot { max-width: 66rem; margin: 0 auto; padding: 0 clamp(1rem, 4vw, 2.5rem); }
h2 { font-size: 1.25rem; letter-spacing: -0.015em; font-weight: 640; }
.left { padding-top: clamp(2rem, 5vw, 3.25rem); }
.left ol { margin-top: 0.9rem; list-style: none; border: 1px solid var(--line); border-radius: var(--round-l); background: var(--card); overflow: hidden; }
.left li + li { border-top: 1px solid var(--line); }
.left li a { display: flex; gap: 0.75rem; padding: 0.8rem 1.1rem; color: var(--text); text-decoration: none; }
.left li a:hover { background: var(--hover); }
.left li .icon { margin-top: 0.2rem; }
.left li a > span:nth-child(2) { flex: 1; }
.left li b { display: block; font-weight: 560; }
.left .mend { display: block; color: var(--soft); font-size: 0.875rem; }
.unseen { margin-top: 0.9rem; color: var(--soft); font-size: 0.875rem; }
.unseen b { font-weight: 560; color: var(--text); }
.bar { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; justify-content: space-between; margin: clamp(2rem, 5vw, 3.25rem) 0 0; padding: 0.75rem 0; background: var(--ground); }
.filter { display: flex; flex-wrap: wrap; gap: 0.3rem; }
button { font: inherit; font-size: 0.8125rem; padding: 0.2rem 0.65rem; border: 1px solid var(--edge); border-radius: var(--pill); background: var(--card); color: var(--text); cursor: pointer; }
button:hover { background: var(--hover); }
button b { font-weight: 500; color: var(--soft); font-variant-numeric: tabular-nums; }
button .icon { width: 0.8rem; height: 0.8rem; margin-inline-end: 0.35rem; vertical-align: -0.1rem; }
button[aria-pressed='true'] { background: var(--chosen); border-color: var(--accent); }
.group { margin-top: 1rem; }
.group h3 { margin: 1.5rem 0 0.6rem; font-size: 0.9375rem; font-weight: 620; }
.group h3 small { margin-inline-start: 0.5rem; font-size: 0.8125rem; font-weight: 400; color: var(--soft); }
.check { border: 1px solid var(--line); border-top-width: 0; background: var(--card); }
.check:first-of-type, .check[hidden] + .check { border-top-width: 1px; }
.group h3 + .check { border-radius: var(--round-l) var(--round-l) 0 0; }
.group .check:last-child { border-radius: 0 0 var(--round-l) var(--round-l); }
summary { cursor: pointer; list-style: none; }
summary::-webkit-details-marker { display: none; }
.check > summary { display: flex; gap: 0.75rem; padding: 0.65rem 1.1rem; }
.check > summary:hover { background: var(--hover); }
.check > summary .icon { margin-top: 0.22rem; }
.check[open] > summary { border-bottom: 1px solid var(--line); background: var(--tint); }
.name { flex: 1; min-width: 0; }
.name b { font-weight: 520; }
.name .seen { display: block; color: var(--soft); font-size: 0.875rem; display: -webkit-box; -webkit-line-clamp: 1; -webkit-box-orient: vertical; overflow: hidden; }
.check.v-fail .name .seen, .check.v-inconclusive .name .seen { -webkit-line-clamp: 3; }
.check.v-not_applicable .name b, .check.v-not_seen .name b { color: var(--soft); font-weight: 400; }
.check[open] > summary .seen { display: none; }
@media (max-width: 40rem) {
  .check > summary, .left li a { flex-wrap: wrap; padding-inline: 0.9rem; }
  .check > summary .name, .left li a > span:nth-child(2) { flex-basis: calc(100% - 2rem); }
  .tags { padding-inline-start: 1.75rem; }
  .bar { position: static; }
  :root { scroll-padding-top: 0.5rem; }
  .tags .mandatory, .tags .recommended { width: auto; }
}
`

const inside = `
.inside { display: grid; grid-template-columns: minmax(0, 19rem) minmax(0, 1fr); gap: 2rem; padding: 1.4rem 1.4rem 1.6rem; }
.inside:not(:has(.proof > *)) { grid-template-columns: minmax(0, 46rem); }
.inside:not(:has(.proof > *)) .proof { display: none; }
.verdict { display: flex; gap: 0.5rem; align-items: center; margin-bottom: 0.9rem; }
.verdict span { color: var(--soft); font-size: 0.875rem; }
dt, h4 { font-size: 0.8125rem; font-weight: 600; color: var(--soft); }
.story dd { margin-bottom: 0.8rem; }
.story dd:first-of-type { font-weight: 520; }
.how { padding: 0.9rem 1rem; border-radius: var(--round-l); background: var(--info-back); }
.how h4 { color: var(--info); }
.how p + p { margin-top: 0.4rem; font-size: 0.8125rem; }
.how a, .how code { color: inherit; }
.said { margin-bottom: 0.9rem; padding: 0.6rem 0.8rem; border-radius: var(--round); background: var(--wait-back); font-size: 0.875rem; }
.proof h4 { margin: 1.4rem 0 0.45rem; }
.proof > h4:first-child { margin-top: 0; }
.steps { padding-inline-start: 1.3rem; }
.steps li::marker { color: var(--soft); font-variant-numeric: tabular-nums; }
.moments { list-style: none; }
.moments li { position: relative; display: grid; grid-template-columns: 4.6rem 4.2rem minmax(0, 1fr); gap: 0.6rem; padding: 0.2rem 0 0.2rem 1.1rem; font-size: 0.875rem; }
.moments li::before { content: ''; position: absolute; inset: 0 auto 0 0.28rem; width: 1px; background: var(--line); }
.moments li:first-child::before { top: 0.8rem; }
.moments li:last-child::before { bottom: auto; height: 0.8rem; }
.moments li::after { content: ''; position: absolute; left: 0; top: 0.55rem; width: 0.6rem; height: 0.6rem; border-radius: 50%; border: 2px solid var(--card); background: var(--field); }
.moments .who-shop::after { background: var(--info); }
.moments .who-sandbox::after { background: var(--alive); }
.moments time { color: var(--soft); font: 0.75rem/1.75 var(--mono); }
.moments b { font-weight: 500; color: var(--soft); }
.moments .who-shop b { color: var(--info); }
.moments .who-sandbox b { color: var(--good); }
.moments small { display: inline-block; padding: 0 0.45rem; border-radius: var(--pill); background: var(--tint); color: var(--soft); font-size: 0.75rem; }
.exchange { border: 1px solid var(--line); border-radius: var(--round); }
.exchange + .exchange { margin-top: 0.4rem; }
.exchange > summary { display: flex; gap: 0.7rem; align-items: baseline; padding: 0.45rem 0.8rem; }
.exchange > summary:hover { background: var(--hover); }
.kind { flex: none; width: 4.2rem; font-size: 0.8125rem; color: var(--soft); }
.to { flex: 1; min-width: 0; }
.to b { margin-inline-end: 0.6rem; font-weight: 520; font-size: 0.875rem; }
.to code { color: var(--soft); font-size: 0.75rem; }
.status { font: 600 0.8125rem/1.5 var(--mono); }
.status.s2 { color: var(--good); }
.status.s4, .status.s3 { color: var(--wait); }
.status.s5, .status.none { color: var(--bad); }
.took { flex: none; width: 3.6rem; text-align: end; font-size: 0.75rem; color: var(--soft); font-variant-numeric: tabular-nums; }
.wire { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)); border-top: 1px solid var(--line); }
.wire section { min-width: 0; padding: 0.8rem; }
.wire section + section { border-inline-start: 1px solid var(--line); }
h5 { font-size: 0.8125rem; font-weight: 600; }
h5 small { font-weight: 400; color: var(--soft); }
table { width: 100%; margin-top: 0.4rem; border-collapse: collapse; font-size: 0.75rem; }
th, td { padding: 0.1rem 0; text-align: start; vertical-align: top; font-weight: 400; }
th { width: 1%; padding-inline-end: 0.8rem; color: var(--soft); white-space: nowrap; }
pre { margin: 0.4rem 0 0; padding: 0.7rem 0.8rem; max-height: 24rem; overflow: auto; border-radius: var(--round); background: var(--tint); white-space: pre-wrap; font-size: 0.75rem; }
.size, .empty, .error { margin-top: 0.3rem; font-size: 0.75rem; color: var(--soft); }
.error { color: var(--bad); }
.curl { position: relative; }
.curl pre { margin: 0; padding-inline-end: 5rem; }
.copy { position: absolute; top: 0.45rem; right: 0.45rem; }
.foot { padding-top: 3rem; padding-bottom: 3rem; }
.legend { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 18rem), 1fr)); gap: 0.9rem 2rem; margin: 1rem 0; }
.legend dt { display: flex; gap: 0.5rem; align-items: center; color: var(--text); }
.legend dd, .foot p { font-size: 0.875rem; color: var(--soft); }
.foot p { max-width: 44rem; }
.made pre { max-width: 44rem; white-space: pre; }
.made p + p, .made pre + p { margin-top: 0.6rem; }
.made h2 { font-size: 1rem; }
.made { margin-top: 1.5rem; padding-top: 1rem; border-top: 1px solid var(--line); max-width: none !important; }
@media (max-width: 52rem) { .inside { grid-template-columns: minmax(0, 1fr); gap: 1.25rem; padding: 1.1rem 0.9rem 1.3rem; } }
@media (max-width: 40rem) {
  .moments li { grid-template-columns: 4.4rem minmax(0, 1fr); row-gap: 0; }
  .moments li span { grid-column: 1 / -1; }
  .exchange > summary { flex-wrap: wrap; }
  .to { order: 1; flex-basis: 100%; }
  .kind { flex: 1; }
  .wire section + section { border-inline-start: 0; border-top: 1px solid var(--line); }
}
`

const print = `
@page { margin: 14mm 13mm; }
@media print {
  :root { color-scheme: light; font-size: 12px; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  body { background: none; }
  .filter, .copy { display: none !important; }
  .bar { position: static; background: none; break-after: avoid; }
  .front, main, .left, .foot { max-width: none; padding-inline: 0; }
  .front { padding-top: 0; }
  .hero { margin: 2rem 0 1.5rem; }
  main { break-before: page; }
  .left li, .worst, .strips, .legend div, .how, .moments li, .group h3 { break-inside: avoid; }
  .group h3, h4 { break-after: avoid; }
  .check > summary { break-inside: avoid; break-after: auto; }
  .check[open] > summary { break-after: avoid; }
  .inside:has(.proof > *) { grid-template-columns: 15rem minmax(0, 1fr); gap: 1.25rem; }
  pre { max-height: none; }
  a { color: inherit; }
}
`

/** The looks of the report: on screens light and dark, small and large, and on paper. */
export const style = `${tokens}${page}${front}${list}${inside}${print}`

/** The optional script of the page: filters, copy buttons, links to checks, and printing. */
export const script = `
const all = [...document.querySelectorAll('details.check')]
const bar = document.querySelector('.filter')
bar.hidden = false
bar.addEventListener('click', ({ target }) => {
  const chosen = target.closest('button')
  if (!chosen) return
  for (const each of bar.querySelectorAll('button')) each.setAttribute('aria-pressed', String(each === chosen))
  for (const each of all) each.hidden = chosen.dataset.show !== '' && each.dataset.verdict !== chosen.dataset.show
  for (const each of document.querySelectorAll('.group')) each.hidden = !each.querySelector('details.check:not([hidden])')
})
for (const each of document.querySelectorAll('.copy')) {
  if (!navigator.clipboard) break
  each.hidden = false
  for (const leaving of ['pointerleave', 'blur']) each.addEventListener(leaving, () => { each.textContent = 'Copy' })
  each.addEventListener('click', async () => {
    await navigator.clipboard.writeText(each.previousElementSibling.textContent)
    each.textContent = 'Copied'
  })
}
const show = () => {
  const linked = document.getElementById(location.hash.slice(1))
  if (!linked?.matches('details.check')) return
  if (linked.hidden) bar.querySelector('button').click()
  linked.open = true
  linked.scrollIntoView()
}
addEventListener('hashchange', show)
show()
document.addEventListener('click', ({ target }) => {
  const link = target.closest('a[href^="#"]')
  if (link && link.hash === location.hash) show()
})
let closed = []
addEventListener('beforeprint', () => {
  closed = all.filter((each) => !each.open && ['fail', 'inconclusive', 'waived'].includes(each.dataset.verdict))
  for (const each of closed) each.open = true
})
addEventListener('afterprint', () => { for (const each of closed) each.open = false })
`
