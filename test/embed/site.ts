/** The pages of the site that embeds: how they load the element, under which policy, and what is wrong with some. */
import type { SitePage } from './pages.ts'

const inHead = '<script src="SANDBOX/docs/embed.js"></script>'
const collection = '<payments-sandbox operation="createCollection"></payments-sandbox>'
const cancel = '<payments-sandbox operation="createCollection" part="outcome"></payments-sandbox>'
const strict =
  "default-src 'none'; script-src 'self' SANDBOX; connect-src SANDBOX; img-src data:; require-trusted-types-for 'script'; trusted-types 'none'"

export const pages: { readonly [path: string]: SitePage } = {
  '/head': {
    head: inHead,
    body: `${collection}
<payments-sandbox operation="createCollection" part="samples" body-amount="250"></payments-sandbox>
<payments-sandbox operation="createCollection" part="test-numbers" outcomes="payer-cancels wrong-pin"></payments-sandbox>
${cancel}`,
  },
  '/strict': { head: inHead, body: collection, policy: strict },
  '/module': {
    head: '<link rel="stylesheet" href="SANDBOX/docs/embed.css" /><script type="module" src="SANDBOX/docs/embed.js"></script>',
    body: `${collection}${cancel}<style>.dark body { background: #111; }</style>`,
    script: `globalThis.heard = []; globalThis.details = []
for (const each of ['ready', 'height', 'sent', 'answered', 'callback'])
  document.addEventListener('payments-sandbox:' + each, ({ type, detail }) => { heard.push(type); details.push(detail) })`,
  },
  '/closed': { head: '<script src="CLOSED/docs/embed.js"></script>', body: collection },
  '/app': {
    head: inHead,
    body: '<div id="app"></div>',
    script: `const app = document.getElementById('app')
const into = { html: app, shadow: app.appendChild(document.createElement('div')).attachShadow({ mode: 'open' }) }
globalThis.mount = (where, markup) => { into[where].innerHTML = markup }
mount('shadow', '${collection}')`,
  },
  '/wrong': {
    head: inHead,
    body: `<payments-sandbox operation="<img src=x onerror=alert(1)>">As it was written</payments-sandbox>
<payments-sandbox operation="createCollection" data-server="http://127.0.0.1:9"><a href="#after">Elsewhere</a></payments-sandbox>
<payments-sandbox operation="createCollection" part="outcome" outcome="<b>nothing</b>"></payments-sandbox>
<payments-sandbox operation="createCollection" part="strange"></payments-sandbox>
<payments-sandbox></payments-sandbox>`,
  },
}
