import { mkdirSync } from 'node:fs'
import type { Frame, Locator, Page } from 'playwright-core'
import {
  dark,
  desktop,
  narrow,
  phone,
  touched,
  untilHolds,
  violations,
  visit,
  wide,
  type Look,
  type Visit,
} from './browser.ts'
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

const words = process.argv.slice(2)
/** Every page at every look, not each width and each scheme once. */
const full = words.includes('--full')
/** Those whose name has this, all when it is left out. */
const only = words.find((word) => word !== '--full') ?? ''
let passed = 0
let failed = 0

async function check(what: string, url: string, look: Look, use: (visit: Visit) => Promise<void>) {
  if (!what.includes(only)) return
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
  await frame.waitForSelector('.section-header-label:visible')
  return frame
}

/** Opens the dialog of the first request in `place` and sends it, by buttons that a reader can reach. */
async function send(tab: Page, page: Page | Frame, place: Frame | Locator) {
  await place
    .getByRole('button', { name: /test request/i })
    .first()
    .click()
  const button = page.getByRole('button', { name: /^send/i }).first()
  await button.waitFor()
  await seen(tab, button, 'the button that sends')
  await button.click()
}

async function seen(page: Page, element: Locator, what: string) {
  const box = await element.boundingBox()
  const { width, height } = page.viewportSize()!
  const inside = box && box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height
  expect(`${what} is in view (${JSON.stringify(box)})`, inside === true)
}

/** Fills with the address of each request after which the browser would open its sign-in box. */
async function signInBoxes(page: Page): Promise<readonly string[]> {
  const asked: string[] = []
  const session = await page.context().newCDPSession(page)
  session.on('Fetch.authRequired', ({ requestId, request }) => {
    asked.push(request.url)
    const authChallengeResponse = { response: 'CancelAuth' as const }
    void session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse })
  })
  session.on(
    'Fetch.requestPaused',
    ({ requestId }) => void session.send('Fetch.continueRequest', { requestId }),
  )
  await session.send('Fetch.enable', { handleAuthRequests: true })
  return asked
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

const looks = (
  [
    ['desktop light', desktop],
    ['phone dark', dark(phone)],
    ['desktop dark', dark(desktop)],
    ['phone light', phone],
  ] as const
).slice(0, full ? 4 : 2)

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
    // It follows the scheme of the system.
    await page.locator(`body.${look.colorScheme}-mode`).waitFor()
    const broken = await violations(page)
    expectNone(
      'axe',
      broken.filter((each) => !viewersOwn.test(each)),
    )
    await page.getByRole('link', { name: 'Sandbox control' }).first().click()
    await page.getByRole('heading', { name: 'Sandbox control' }).waitFor()
    await page.getByRole('link', { name: 'Payments and Teams' }).first().click()
    await page.getByRole('heading', { name: /Unified Payments and Team Management/ }).waitFor()
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
      // The frame becomes as high as its content.
      await untilHolds(frame, 'document.documentElement.scrollHeight - innerHeight <= 1')
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

for (const look of full ? [narrow, dark(phone), desktop] : [narrow, desktop])
  await check(
    `how sure it is can be searched, ${look.width} px`,
    `${sandbox.origin}/sandbox/provenance#createCollection.status.201`,
    look,
    async ({ page }) => {
      await page.locator('[id="createCollection.status.201"]').waitFor()
      const height: number = await page.evaluate('document.documentElement.scrollHeight')
      expect(`closed it is short enough to be looked through (${height}px)`, height < 9_000)
      await page.keyboard.press('Home')
      await page.getByRole('searchbox').fill('amount')
      await page.getByRole('radio', { name: 'assumed' }).check()
      await page.getByText(/^\d+ found$/).waitFor()
      const shown = page.locator('li[data-origin]:visible')
      const others = page.locator('li[data-origin]:not([data-origin="assumed"]):visible')
      await others.first().waitFor({ state: 'detached' })
      expect('what fits is shown', (await shown.count()) > 0)
      await page.screenshot({ path: `${shots}/provenance-search-${look.width}.png` })
      await fitsTheWidth(page)
      expectNone('axe', await violations(page))
      await page.evaluate(`location.hash = '#createWithdrawal'`)
      await page.locator('[id="createWithdrawal.itself"]').waitFor()
      await page.screenshot({ path: `${shots}/provenance-linked-${look.width}.png` })
    },
  )

const collection = 'service/tag/legacy-payments/POST/api/v2/payments'

for (const look of full ? [narrow, phone, desktop, wide] : [narrow, desktop])
  await check(
    `a payment can be tried, ${look.width} px`,
    `${sandbox.origin}/docs#${collection}`,
    look,
    async ({ page }) => {
      const operation = page.locator(`[id="${collection}"]`)
      await operation.waitFor()
      await operation.scrollIntoViewIfNeeded()
      await page.screenshot({ path: `${shots}/operation-${look.width}.png` })
      await fitsTheWidth(page)
      await send(page, page, operation)
      const answer = page.getByText(/201\s*Created/).first()
      await answer.waitFor()
      await page.screenshot({ path: `${shots}/payment-${look.width}.png` })
      await seen(page, answer, 'the answer')
      await fitsTheWidth(page)
    },
  )

for (const look of full ? [narrow, phone] : [phone])
  await check(
    `a payment can be tried in a column of another site, ${look.width} px`,
    `${site.origin}/?operation=createCollection`,
    look,
    async ({ page }) => {
      const frame = await frameOf(page)
      await send(page, frame, frame)
      await frame
        .getByText(/201\s*Created/)
        .first()
        .waitFor()
      await page.screenshot({ path: `${shots}/embedded-payment-${look.width}.png` })
      await seen(page, frame.locator('.app-exit-button'), 'what closes the dialog')
      await frame.locator('.app-exit-button').click()
      await frame.locator('.scalar-app-layout').waitFor({ state: 'hidden' })
    },
  )

await check(
  'a payment can be tried by touch, with a finger that scrolls too',
  `${sandbox.origin}/docs#${collection}`,
  touched,
  async ({ page }) => {
    const operation = page.locator(`[id="${collection}"]`)
    await operation.waitFor()
    await operation
      .getByRole('button', { name: /test request/i })
      .first()
      .tap()
    const button = page.getByRole('button', { name: /^send/i }).first()
    await button.waitFor()
    await seen(page, button, 'the button that sends')
    await page.screenshot({ path: `${shots}/touched-form.png` })
    await button.tap()
    const answer = page.getByText(/201\s*Created/).first()
    await answer.waitFor()
    await page.screenshot({ path: `${shots}/touched-payment.png` })
    await seen(page, answer, 'the answer')
    await fitsTheWidth(page)
    const exit = page.locator('.app-exit-button')
    await seen(page, exit, 'what closes the dialog')
    await exit.tap()
    await page.locator('.scalar-app-layout').waitFor({ state: 'hidden' })
  },
)

await check(
  'wrong credentials are answered in the page, not by a sign-in box of the browser',
  `${sandbox.origin}/docs#${collection}`,
  desktop,
  async ({ page, complaints }) => {
    const operation = page.locator(`[id="${collection}"]`)
    await operation.waitFor()
    const asked = await signInBoxes(page)
    await operation.getByRole('button', { name: /test request/i }).click()
    const password = page.locator('.scalar-app-layout .scalar-password-input')
    await password.fill('wrong')
    await page.getByRole('button', { name: /^send/i }).first().click()
    await page
      .getByText(/401\s*Unauthorized/)
      .first()
      .waitFor()
    await page.screenshot({ path: `${shots}/wrong-credentials.png` })
    expectNone('sign-in boxes', asked)
    await page.evaluate(`fetch('/api/v2/payment_channels', { credentials: 'include' })`)
    expectNone('sign-in boxes for a page that sends what the browser keeps', asked)
    ;(complaints as string[]).splice(0, complaints.length, ...complaints.filter((each) => !/401/.test(each)))
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

for (const [name, look] of looks)
  for (const guide of ['', '/receive-callbacks', '/settings'])
    await check(`guide${guide}, ${name}`, `${sandbox.origin}/docs/guides${guide}`, look, async ({ page }) => {
      await fitsTheWidth(page)
      expectNone('violations', await violations(page))
      await page.screenshot({
        path: `${shots}/guide${guide.replace('/', '-')}-${name.replace(' ', '-')}.png`,
      })
    })

await check(
  'the written guides lead to one another and to the reference',
  `${written.origin}/project/guides/index.html`,
  phone,
  async ({ page }) => {
    await fitsTheWidth(page)
    await page.getByRole('link', { name: 'Receive callbacks' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Receive callbacks' }).waitFor()
    await page.getByRole('link', { name: 'API reference' }).click()
    await page.waitForURL(`${written.origin}/project/**`)
  },
)

await visit(`${refused.origin}/`, desktop, [closed.origin, refused.origin], async ({ page, complaints }) => {
  await page.waitForSelector('iframe')
  const refusal = () => complaints.some((each) => /frame-ancestors/.test(each))
  const stopped =
    refusal() || (await page.waitForEvent('console', { predicate: refusal }).then(refusal, refusal))
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
