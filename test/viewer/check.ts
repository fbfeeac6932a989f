import { mkdirSync } from 'node:fs'
import type { Frame, Page } from 'playwright-core'
import { dark, desktop, phone, violations, visit, type Look, type Visit } from './browser.ts'
import { startDocsSite, startSandbox, startStaticSite } from './pages.ts'

const shots = 'test-output/viewer'
mkdirSync(shots, { recursive: true })

const sandbox = await startSandbox()
const site = await startDocsSite(sandbox.origin)
const closed = await startSandbox({ SANDBOX_EMBED_ORIGINS: 'https://docs.example' })
const refused = await startDocsSite(closed.origin)
const written = await startStaticSite('dist-docs')
const here = [sandbox.origin, site.origin, written.origin]

/** What the viewer's own markup breaks, at the version that is pinned; nothing of it can be mended from here. */
const viewersOwn =
  /^(aria-input-field-name|aria-required-attr|button-name|heading-order|scrollable-region-focusable|nested-interactive):/

let passed = 0
let failed = 0

async function check(what: string, url: string, look: Look, use: (visit: Visit) => Promise<void>) {
  try {
    await visit(url, look, here, async (opened) => {
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

/** In the page: whether it scrolls sideways, and by what. */
const tooWide = `document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll('body *')]
  .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
  .map((each) => each.tagName + '.' + each.className)`

async function fitsTheWidth(page: Page | Frame) {
  expectNone('wider than the page', await page.evaluate<string[]>(tooWide))
}

async function frameOf(page: Page): Promise<Frame> {
  const frame = await (await page.waitForSelector('iframe')).contentFrame()
  if (!frame) throw new Error('the page has no frame')
  await frame.waitForSelector('.section-header-label:visible', { timeout: 20_000 })
  return frame
}

async function pay(page: Page | Frame, name: string) {
  await page
    .getByRole('button', { name: /test request/i })
    .first()
    .click()
  await page.getByRole('button', { name: /^send/i }).first().click()
  await page
    .getByText(/201\s*Created/)
    .first()
    .waitFor()
  await page.getByText('QUEUED').last().waitFor()
  if ('screenshot' in page) await page.screenshot({ path: `${shots}/${name}.png` })
}

const looks = [
  ['desktop light', desktop],
  ['desktop dark', dark(desktop)],
  ['phone light', phone],
  ['phone dark', dark(phone)],
] as const

for (const [name, look] of looks) {
  const file = name.replace(' ', '-')
  for (const [page, path] of [
    ['welcome', '/'],
    ['provenance', '/sandbox/provenance'],
  ] as const)
    await check(`${path} reads well, ${name}`, sandbox.origin + path, look, async ({ page: tab }) => {
      await tab.screenshot({ path: `${shots}/${page}-${file}.png` })
      await fitsTheWidth(tab)
      expectNone('axe', await violations(tab))
    })

  await check(`/docs shows both descriptions, ${name}`, `${sandbox.origin}/docs`, look, async ({ page }) => {
    await page.getByRole('heading', { name: /Unified Payments and Team Management/ }).waitFor()
    await page.screenshot({ path: `${shots}/docs-${file}.png` })
    await fitsTheWidth(page)
    const scheme = await page.evaluate('document.body.classList.contains("dark-mode") ? "dark" : "light"')
    expect('it follows the scheme of the system', scheme === look.colorScheme)
    const broken = await violations(page)
    expectNone(
      'axe',
      broken.filter((each) => !viewersOwn.test(each)),
    )
    await page.goto(`${sandbox.origin}/docs#control`)
    await page.reload()
    await page.getByRole('heading', { name: 'Sandbox control' }).waitFor()
  })

  await check(
    `a page of another site shows one operation, ${name}`,
    `${site.origin}/?operation=createCollection`,
    look,
    async ({ page }) => {
      const frame = await frameOf(page)
      await frame.getByText('Callbacks', { exact: true }).first().waitFor()
      await page.waitForFunction('document.querySelector("iframe").getBoundingClientRect().height > 1200')
      await frame.locator('.provenance-observed').first().waitFor()
      const first = (await frame.getByText('createCollection', { exact: true }).first().boundingBox())!
      const covered: boolean = await frame.evaluate(
        'document.querySelector(".t-doc__header header")?.checkVisibility() ?? false',
      )
      expect(
        `nothing covers the name of the operation (${first.height}px high)`,
        !covered && first.height > 10,
      )
      await page.screenshot({ path: `${shots}/embedded-${file}.png` })
      const values = frame.locator('details.sandbox-values').first()
      await values.locator('summary').click()
      await values.getByText('254700000001').waitFor()
      await values.scrollIntoViewIfNeeded()
      await page.screenshot({ path: `${shots}/values-${file}.png` })
      await fitsTheWidth(page)
      await fitsTheWidth(frame)
      const hidden: number = await frame.evaluate('document.documentElement.scrollHeight - innerHeight')
      expect(`the frame is as high as its content (${hidden}px are hidden)`, hidden <= 1)
      // The page is white whatever the system prefers, until it says otherwise.
      await frame.locator('body.light-mode').waitFor()
      expectNone(
        'axe',
        (await violations(page)).filter((each) => !viewersOwn.test(each)),
      )
      await page.evaluate('document.documentElement.dataset.theme = "dark"')
      await frame.locator('body.dark-mode').waitFor()
      await page.screenshot({ path: `${shots}/embedded-switched-${file}.png` })
      expectNone(
        'axe',
        (await violations(frame)).filter((each) => !viewersOwn.test(each)),
      )
    },
  )
}

await check(
  'a payment can be tried',
  `${sandbox.origin}/docs#service/tag/legacy-payments/POST/api/v2/payments`,
  desktop,
  async ({ page }) => {
    const operation = page.locator('[id="service/tag/legacy-payments/POST/api/v2/payments"]')
    await operation.waitFor()
    await operation.scrollIntoViewIfNeeded()
    await page.screenshot({ path: `${shots}/operation-desktop-light.png` })
    await operation.getByRole('button', { name: /test request/i }).click()
    await page.getByRole('button', { name: /^send/i }).first().click()
    await page
      .getByText(/201\s*Created/)
      .first()
      .waitFor()
    await page.screenshot({ path: `${shots}/payment-desktop-light.png` })
  },
)

await check(
  'a payment can be tried in a page of another site, where storage is refused',
  `${site.origin}/?operation=createCollection`,
  desktop,
  async ({ page }) => {
    const frame = await frameOf(page)
    const replaced = await frame.evaluate(
      'Boolean(Object.getOwnPropertyDescriptor(window, "localStorage").value)',
    )
    expect('the browser refuses storage, and the page has put something in its place', replaced === true)
    await pay(frame, '')
    await page.screenshot({ path: `${shots}/embedded-payment.png` })
    const box = await frame.locator('.scalar-app-layout').boundingBox()
    expect(
      'the dialog is where the reader looks',
      box !== null && box.y >= 0 && box.y + box.height <= desktop.height,
    )
  },
)

await check('a page of another site shows all operations', `${site.origin}/`, desktop, async ({ page }) => {
  const frame = await frameOf(page)
  await frame.getByRole('heading', { name: /Unified Payments/ }).waitFor()
  await page.screenshot({ path: `${shots}/embedded-all-desktop-light.png` })
})

await check(
  "an embedded page cannot reach the sandbox's own API",
  `${site.origin}/`,
  desktop,
  async ({ page, complaints }) => {
    const frame = await frameOf(page)
    const [steered, paid] = await frame.evaluate<readonly string[]>(
      `Promise.all(['/sandbox/reset', '/api/v2/payments'].map((path) =>
        fetch(path, { method: 'POST', headers: { authorization: 'Basic ' + btoa('demo:demo') } })
          .then((got) => String(got.status), () => 'stopped')))`,
    )
    expect(`the change is stopped (${steered})`, steered === 'stopped')
    expect(`the service is reached (${paid})`, paid === '400')
    const told = complaints.filter((each) => /sandbox\/reset|connect-src|400/.test(each))
    expect('the browser says so, and nothing else', told.length > 0 && told.length === complaints.length)
    ;(complaints as string[]).length = 0
  },
)

await check(
  'a page of another site may read the description',
  `${site.origin}/`,
  desktop,
  async ({ page }) => {
    const version = await page.evaluate(
      `fetch('${sandbox.origin}/openapi.json').then((got) => got.json()).then((it) => it.openapi)`,
    )
    expect('the description is there', version === '3.1.1')
  },
)

await check(
  'the written pages show all operations, and let none be tried',
  `${written.origin}/project/#service/tag/legacy-payments/POST/api/v2/payments`,
  desktop,
  async ({ page }) => {
    const operation = page.locator('[id="service/tag/legacy-payments/POST/api/v2/payments"]')
    await operation.getByText('http://127.0.0.1:8080/api/v2/payments').first().waitFor()
    expect('nothing to try', (await operation.getByRole('button', { name: /test request/i }).count()) === 0)
    await page.screenshot({ path: `${shots}/written-desktop-light.png` })
  },
)

await visit(`${refused.origin}/`, desktop, [closed.origin, refused.origin], async ({ page, complaints }) => {
  await page.waitForSelector('iframe')
  await page.waitForTimeout(1000)
  const stopped = complaints.some((each) => /frame-ancestors/.test(each))
  if (stopped) passed += 1
  else failed += 1
  console.log(`${stopped ? 'ok  ' : 'FAIL'}  a page that SANDBOX_EMBED_ORIGINS does not list may not show it`)
})

await sandbox.close()
await closed.close()
site.close()
refused.close()
written.close()
console.log(`\n${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
