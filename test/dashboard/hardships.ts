/** Browsers and people that make it hard: no storage, another time zone, a key that ends, two at once. */
import { wide } from '../viewer/browser.ts'
import { at, check, expect, forgive, goTo, settled, type Subject, until } from './checks.ts'
import type { Sandbox } from './server.ts'

export const hardships: Subject = {
  async stories(sandbox) {
    await withoutStorage(sandbox)
    await farAway(sandbox)
    await revoked(sandbox)
    await twoPeople(sandbox)
    await closedTooSoon(sandbox)
    await underWay(sandbox)
  },
}

/** In the page, before anything else: as a browser that is told to keep nothing. */
const noStorage = `for (const name of ['sessionStorage', 'localStorage'])
  Object.defineProperty(globalThis, name, { get() { throw new DOMException('denied', 'SecurityError') } })`

async function withoutStorage(sandbox: Sandbox) {
  const { world } = sandbox.fresh()
  await check(
    'a browser without storage shows a world, and is let in by hand',
    at(sandbox.origin, world.username, 'live'),
    wide,
    async ({ page, complaints }) => {
      await page.getByRole('heading', { name: 'No payments yet' }).waitFor()
      await goTo(page, 'nobody', 'live')
      await page.getByLabel('API username').fill(`${world.username}`)
      await page.getByLabel('API password').fill('demo')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'Home' }).waitFor()
      forgive(complaints, /401/)
    },
    { prepare: (context) => context.addInitScript({ content: noStorage }) },
  )
}

async function farAway(sandbox: Sandbox) {
  const { world, pay } = sandbox.fresh()
  await world.clock.freeze()
  await world.clock.advance(new Date('2027-01-31T23:30:00Z'))
  await pay('far')
  await check(
    'times are those of the reader, to the day and the hour',
    at(sandbox.origin, world.username, 'live'),
    wide,
    async ({ page }) => {
      await page.getByRole('link', { name: 'far', exact: true }).first().waitFor()
      await settled(page)
      const shown = await page.locator('.clock time').innerText()
      expect(`half past one on the first of February, by its clock (${shown})`, /1 Feb.* 13:30/.test(shown))
      expect(
        'with what the sandbox says beside it',
        (await page.locator('.clock time').getAttribute('datetime'))!.startsWith('2027-01-31T23:30'),
      )
    },
    { context: { timezoneId: 'Pacific/Kiritimati' } },
  )
}

async function revoked(sandbox: Sandbox) {
  const { world } = sandbox.fresh()
  const key = await world.apiKeys.create()
  await check(
    'a key that ends while its world is shown is asked for anew',
    at(sandbox.origin, 'nobody', 'live'),
    wide,
    async ({ page, complaints }) => {
      await page.getByLabel('API username').fill(key.username)
      await page.getByLabel('API password').fill(key.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'No payments yet' }).waitFor()
      await until(page, `document.querySelector('.brand .dot').className.includes('live')`)
      await world.apiKeys.revoke(key.username)
      await page.keyboard.press('f')
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      await page.getByText(/is no longer valid/).waitFor()
      forgive(complaints, /401/)
    },
  )
}

async function twoPeople(sandbox: Sandbox) {
  const { world, pay } = sandbox.fresh()
  const here = at(sandbox.origin, world.username, 'live')
  await check('two people in one world see what the other does', here, wide, async ({ page }) => {
    await page.getByRole('heading', { name: 'No payments yet' }).waitFor()
    const theirs = await page.context().browser()!.newContext()
    const other = await theirs.newPage()
    await other.goto(here)
    await other.getByRole('heading', { name: 'No payments yet' }).waitFor()
    await page.keyboard.press('f')
    for (const each of [page, other]) await each.getByText(/The clock is frozen at/).waitFor()
    await pay('theirs')
    for (const each of [page, other])
      await each.getByRole('link', { name: 'theirs', exact: true }).first().waitFor()
    await other.getByText(/1 job pending/).waitFor()
    await other.keyboard.press('f')
    await page.getByText(/The clock is frozen at/).waitFor({ state: 'detached' })
    await theirs.close()
  })
}

async function closedTooSoon(sandbox: Sandbox) {
  const { world } = sandbox.fresh()
  await check(
    'a form that is closed while it sends shows why it failed',
    at(sandbox.origin, world.username, 'live'),
    wide,
    async ({ page, complaints }) => {
      await page.getByRole('heading', { name: 'No payments yet' }).waitFor()
      await page.keyboard.press('n')
      await page.getByLabel('Callback address').fill('nowhere in particular')
      let proceed = () => {}
      const closed = new Promise<void>((resolve) => (proceed = resolve))
      await page.route('**/api/v2/payments', async (route) => {
        await closed
        await route.continue()
      })
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await until(page, `document.querySelector('dialog form').ariaBusy === 'true'`)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      proceed()
      await page.getByText(/callback_url must be an http or https URL/).waitFor()
      forgive(complaints, /400/)
    },
  )
}

async function underWay(sandbox: Sandbox) {
  const { world } = sandbox.fresh()
  await check(
    'the page is busy between two requests of an action',
    at(sandbox.origin, world.username, 'clock'),
    wide,
    async ({ page }) => {
      let proceed = () => {}
      const held = new Promise<void>((resolve) => (proceed = resolve))
      await page.route('**/sandbox/clock/freeze', async (route) => {
        await held
        await route.continue()
      })
      await settled(page)
      await page.keyboard.press('f')
      await until(page, `document.querySelector('main').ariaBusy === 'true'`)
      proceed()
      await page.getByText('The clock is frozen.').waitFor()
      await until(page, `document.querySelector('main').ariaBusy === 'false'`)
    },
  )
}
