import { mkdirSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import {
  dark,
  desktop,
  narrow,
  touched,
  untilHolds,
  violations,
  visit,
  type Look,
  type Visit,
} from '../viewer/browser.ts'
import { startSandbox } from '../viewer/pages.ts'
import { startSite } from './pages.ts'
import { pages } from './site.ts'

const shots = 'test-output/embed'
mkdirSync(shots, { recursive: true })

const site = await startSite(pages)
const sandbox = await startSandbox({ SANDBOX_CORS_ORIGINS: site.origin, SANDBOX_SETTLE_AFTER: '300ms' })
const closed = await startSandbox()
site.find({ SANDBOX: sandbox.origin, CLOSED: closed.origin })
const here = [sandbox.origin, closed.origin, site.origin]

/** Those whose name has this, all when it is left out. */
const only = process.argv[2] ?? ''
let passed = 0
let failed = 0

async function check(
  what: string,
  path: string,
  look: Look,
  use: (visit: Visit) => Promise<void>,
  more: readonly string[] = [],
) {
  if (!what.includes(only)) return
  try {
    await visit(site.origin + path, look, [...here, ...more], async (opened) => {
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
  ['phone-dark', { ...dark(touched) }],
  ['narrow', narrow],
] as const)
  await check(`an operation and its parts, ${name}`, '/head', look, async ({ page }) => {
    await title(page).waitFor()
    await page.screenshot({ path: `${shots}/head-${name}.png` })
    await fits(page)
    const press = (one: Locator) => (look.touch ? one.tap() : one.click())
    await press(page.getByRole('tab', { name: 'Try it' }))
    await press(page.getByRole('button', { name: 'Send' }))
    await page.getByText('The callback has arrived').first().waitFor()
    await page.getByRole('group', { name: 'Callback 1' }).first().waitFor()
    await page.screenshot({ path: `${shots}/callback-${name}.png` })
    const cancelled = page.locator('payments-sandbox[part=outcome]')
    await cancelled.scrollIntoViewIfNeeded()
    await press(cancelled.getByRole('button', { name: 'See it happen' }))
    await cancelled.getByText('Request Cancelled by user').waitFor()
    const samples = page.locator('payments-sandbox[part=samples]')
    await samples.getByLabel('Language').selectOption('Python')
    await samples.getByText('"amount": 250,').waitFor()
    await page.locator('payments-sandbox[part=test-numbers]').getByText('254700000003').waitFor()
    await page.screenshot({ path: `${shots}/parts-${name}.png`, fullPage: true })
    await fits(page)
    await staysPut(page)
    expectNone('axe', await violations(page))
  })

await check('under a strict policy, by the keyboard alone', '/strict', desktop, async ({ page }) => {
  await title(page).waitFor()
  await page.getByRole('tab', { name: 'Try it' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('tab', { name: 'Samples', selected: true }).waitFor()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('tab', { name: 'Try it', selected: true }).waitFor()
  await page.getByRole('textbox', { name: 'amount' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('The callback has arrived').first().waitFor()
})

await check(
  'as a module that comes late nothing moves, and the page hears of it',
  '/module',
  desktop,
  async ({ page }) => {
    await title(page).waitFor()
    await send(page)
    await page.getByText('The callback has arrived').first().waitFor()
    const heard = await page.evaluate<string[]>('heard')
    for (const each of ['ready', 'height', 'sent', 'answered', 'callback'])
      expect(`it hears of ${each} (${heard})`, heard.includes(`payments-sandbox:${each}`))
    expect(
      'it hears no credentials',
      !(await page.evaluate<string>('JSON.stringify(details)')).includes('demo'),
    )
    await staysPut(page)
    const wholes = page.locator('payments-sandbox').first()
    const height = (await wholes.boundingBox())!.height
    await page.getByRole('button', { name: 'Show all' }).first().click()
    await untilHolds(page, `document.querySelector('payments-sandbox').offsetHeight > ${height}`)
    await page.evaluate(`document.documentElement.className = 'dark'`)
    await untilHolds(
      page,
      `getComputedStyle(document.querySelector('payments-sandbox')).colorScheme === 'dark'`,
    )
  },
)

await check(
  'an app mounts and unmounts it, in shadow DOM and by innerHTML',
  '/app',
  desktop,
  async ({ page }) => {
    await title(page).waitFor()
    for (let time = 0; time < 3; time++) {
      await page.evaluate(`mount('html', '')`)
      await page.evaluate(`mount('html', '<payments-sandbox operation="getAccount"></payments-sandbox>')`)
      await page.getByText('/api/v2/account/{account_id}').first().waitFor()
    }
    const account = page.locator('payments-sandbox').first()
    await account.getByRole('button', { name: 'Send' }).click()
    await account.getByText('Answered 200').waitFor()
    await page.evaluate(
      `document.querySelector('payments-sandbox').setAttribute('operation', 'discoverCountry')`,
    )
    await account.getByText('/api/global/discovery/payment-world/country').first().waitFor()
  },
)

await check(
  'what is wrong is told in words, and is text',
  '/wrong',
  desktop,
  async ({ page, complaints }) => {
    const [unknown, away, nothing] = [0, 1, 2].map((at) => page.locator('payments-sandbox').nth(at)) as [
      Locator,
      Locator,
      Locator,
    ]
    await unknown.getByText('no operation <img src=x onerror=alert(1)> can be embedded').waitFor()
    await unknown.getByText('As it was written').waitFor()
    await away.getByText('http://127.0.0.1:9 did not answer this page').waitFor()
    await away.getByRole('link', { name: 'Elsewhere' }).waitFor()
    await nothing.scrollIntoViewIfNeeded()
    await nothing.getByText('has no outcome <b>nothing</b>').waitFor()
    const [strange, nameless] = [page.locator('[part=strange]'), page.locator('payments-sandbox').last()]
    await strange.scrollIntoViewIfNeeded()
    await strange.getByText('There is no part strange; there are samples').waitFor()
    await nameless.scrollIntoViewIfNeeded()
    await nameless.getByText('the attribute operation is missing; there are').waitFor()
    expect(
      'no markup is made of it',
      (await page.locator('payments-sandbox img, payments-sandbox b').count()) === 0,
    )
    // The browser says of itself what could not be loaded.
    ;(complaints as string[]).splice(
      0,
      complaints.length,
      ...complaints.filter((each) => !/404|ERR_/.test(each)),
    )
  },
  ['http://127.0.0.1:9'],
)

await check(
  'a page that the sandbox does not name is told by which setting it would be',
  '/closed',
  touched,
  async ({ page }) => {
    await title(page).waitFor()
    await page.getByRole('tab', { name: 'Try it' }).tap()
    await page.getByText(`SANDBOX_CORS_ORIGINS=${site.origin}`).waitFor()
    expect('nothing is sent', await page.getByRole('button', { name: 'Send' }).isDisabled())
    await page.screenshot({ path: `${shots}/closed.png` })
    expectNone('axe', await violations(page))
  },
)

console.log(`\n${passed} passed, ${failed} failed`)
await sandbox.close()
await closed.close()
site.close()
process.exit(failed === 0 && passed > 0 ? 0 : 1)
