import { mkdirSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { dark, desktop, narrow, phone, violations, visit, type Look, type Visit } from '../viewer/browser.ts'
import { startSandbox } from '../viewer/pages.ts'
import { startSite } from './pages.ts'

const shots = 'test-output/embed'
mkdirSync(shots, { recursive: true })

const inHead = '<script src="SANDBOX/docs/embed.js"></script>'
const collection = '<payments-sandbox operation="createCollection"></payments-sandbox>'
const cancel = '<payments-sandbox operation="createCollection" part="outcome"></payments-sandbox>'
const strict =
  "default-src 'none'; script-src 'self' SANDBOX; connect-src SANDBOX; img-src data:; require-trusted-types-for 'script'; trusted-types 'none'"

const site = await startSite({
  '/head': {
    head: inHead,
    body: `${collection}
<payments-sandbox operation="createCollection" part="samples" body-amount="250"></payments-sandbox>
<payments-sandbox operation="createCollection" part="magic-values" outcomes="payer-cancels wrong-pin"></payments-sandbox>
${cancel}`,
  },
  '/strict': { head: inHead, body: collection, policy: strict },
  '/module': {
    head: '<link rel="stylesheet" href="SANDBOX/docs/embed.css" /><script type="module" src="SANDBOX/docs/embed.js"></script>',
    body: collection + cancel,
  },
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
<payments-sandbox operation="createCollection" part="outcome" outcome="<b>nothing</b>"></payments-sandbox>`,
  },
})
const sandbox = await startSandbox({ SANDBOX_CORS_ORIGINS: site.origin, SANDBOX_SETTLE_AFTER: '300ms' })
site.find(sandbox.origin)
const here = [sandbox.origin, site.origin]

/** Those whose name has this, all when it is left out. */
const only = process.argv[2] ?? ''
let passed = 0
let failed = 0

async function check(what: string, path: string, look: Look, use: (visit: Visit) => Promise<void>) {
  if (!what.includes(only)) return
  try {
    await visit(site.origin + path, look, here, async (opened) => {
      opened.page.setDefaultTimeout(60_000)
      await use(opened)
      expectNone('complaints of the browser', opened.complaints)
      expectNone('requests elsewhere', opened.strangers)
    })
    passed += 1
    console.log(`ok    ${what}`)
  } catch (error) {
    failed += 1
    console.log(`FAIL  ${what}\n      ${String(error).replaceAll('\n', '\n      ')}`)
  }
}

function expectNone(what: string, found: readonly string[]) {
  if (found.length > 0) throw new Error(`${what}:\n${found.join('\n')}`)
}

function expect(what: string, holds: boolean) {
  if (!holds) throw new Error(`not so: ${what}`)
}

const title = (page: Page) => page.getByRole('heading', { name: 'Collect from a customer' }).first()

/** In the page: what has moved of what a reader sees, by the browser's account. */
const shifts = `new Promise((done) => {
  let sum = 0
  new PerformanceObserver((list) => { for (const each of list.getEntries()) if (!each.hadRecentInput) sum += each.value }).observe({ type: 'layout-shift', buffered: true })
  requestAnimationFrame(() => requestAnimationFrame(() => done(sum)))
})`

async function staysPut(page: Page) {
  const moved = await page.evaluate<number>(shifts)
  expect(`nothing moves (${moved})`, moved < 0.1)
}

async function fits(page: Page) {
  const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  expect(`the page does not scroll sideways (${wide} px)`, wide <= 0)
}

/** Opens the form where it is behind a tab, and sends it. */
async function send(page: Page) {
  await page.getByRole('tab', { name: 'Try it' }).first().click()
  await page.getByRole('button', { name: 'Send' }).first().click()
}

for (const [name, look] of [
  ['desktop', desktop],
  ['desktop-dark', dark(desktop)],
  ['phone', phone],
  ['phone-dark', dark(phone)],
  ['narrow', narrow],
] as const)
  await check(`an operation and its parts, ${name}`, '/head', look, async ({ page }) => {
    await title(page).waitFor()
    await page.screenshot({ path: `${shots}/head-${name}.png` })
    await fits(page)
    await send(page)
    await page.getByText('The callback has arrived').first().waitFor()
    await page.getByRole('region', { name: 'Callback 1' }).first().waitFor()
    await page.screenshot({ path: `${shots}/callback-${name}.png` })
    await page.getByRole('button', { name: 'See it happen' }).scrollIntoViewIfNeeded()
    await page.getByText('254700000003').first().waitFor()
    await page.screenshot({ path: `${shots}/parts-${name}.png`, fullPage: true })
    await staysPut(page)
    expectNone('axe', await violations(page))
  })

await check('a page under a strict policy tries a request', '/strict', desktop, async ({ page }) => {
  await title(page).waitFor()
  await send(page)
  await page.getByText('The callback has arrived').first().waitFor()
})

console.log(`\n${passed} passed, ${failed} failed`)
await sandbox.close()
site.close()
process.exit(failed === 0 && passed > 0 ? 0 : 1)
