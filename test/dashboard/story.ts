/** One story from the first payment to the way back, by mouse alone and by keyboard alone. */
import type { Page } from 'playwright-core'
import { wide } from '../viewer/browser.ts'
import { at, check, expect, settled, type Subject, until } from './checks.ts'
import type { Player, Sandbox } from './server.ts'

export const story: Subject = {
  async stories(sandbox) {
    await told(sandbox, 'the whole story by hand', byHand)
    await told(sandbox, 'the whole story by keyboard alone', byKeyboard)
  },
}

/** What a teller does in the window; how the receiver answers and who is invited is the integrator's program's part. */
interface Way {
  pay(page: Page, reference: string): Promise<void>
  openHandset(page: Page): Promise<void>
  press(page: Page, button: string): Promise<void>
  typePin(page: Page, digits: string): Promise<void>
  openKyc(page: Page): Promise<void>
  rejectKyc(page: Page): Promise<void>
  openCallback(page: Page, id: number): Promise<void>
  resend(page: Page): Promise<void>
  freeze(page: Page): Promise<void>
  advanceADay(page: Page): Promise<void>
  accept(page: Page): Promise<void>
  takeSnapshot(page: Page): Promise<void>
  goBack(page: Page): Promise<void>
  toLive(page: Page): Promise<void>
}

async function told(sandbox: Sandbox, what: string, way: Way) {
  const player = sandbox.fresh()
  await check(what, at(sandbox.origin, player.world.username, 'live'), wide, ({ page }) =>
    tell(page, player, way),
  )
}

async function tell(page: Page, { world }: Player, way: Way) {
  const line = (name: string | RegExp) => page.getByRole('link', { name }).filter({ visible: true }).first()
  const said = (text: string | RegExp) => page.getByText(text).filter({ visible: true }).first().waitFor()
  await page.getByRole('heading', { name: 'No payments yet' }).waitFor()
  await way.openHandset(page)
  await way.press(page, 'Hold prompts for me')
  await said('Prompts wait for you while this is open')
  await way.pay(page, 'story-1')
  await said('account story-1?')
  await way.typePin(page, '1234')
  await said(/Confirmed\. KES 1,000\.00 paid to/)
  await way.press(page, 'Settle automatically')
  await said(/Payments settle by themselves after/)
  await way.toLive(page)
  await line('story-1').waitFor()
  await page.getByRole('img', { name: 'Callback: 200' }).waitFor()

  await world.inbox.respond([500])
  await way.pay(page, 'story-2')
  await page.getByRole('img', { name: 'Callback: 500, to be retried' }).waitFor()
  await world.inbox.respond([200])
  await way.openCallback(page, 2)
  await way.resend(page)
  await page.locator('article .pill', { hasText: 'delivered' }).waitFor()

  await way.freeze(page)
  await said(/The clock is frozen at/)
  const before = Date.parse((await world.clock.show()).now)
  await way.advanceADay(page)
  await said(/The clock is at/)
  const after = Date.parse((await world.clock.show()).now)
  expect(`a day went by (${(after - before) / 3_600_000} h)`, after - before >= 24 * 3_600_000)

  const send = (path: string, body: string) =>
    world.fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  await way.openKyc(page)
  const curl = await page.locator('.empty pre').textContent()
  await send('/api/v2/account_kycs', /-d '(.*)'$/s.exec(curl ?? '')![1]!)
  await way.rejectKyc(page)
  await said('Rejected.')

  await send(
    '/api/v2/account_invites',
    JSON.stringify({ organization_id: 1, account_id: 63, email: 'b@example.com', role_id: 4 }),
  )
  await way.accept(page)
  await said('Invitation accepted.')

  await way.takeSnapshot(page)
  await said('Snapshot taken.')
  await way.toLive(page)
  await way.pay(page, 'story-3')
  await line('story-3').waitFor()
  await way.goBack(page)
  await until(page, `!document.querySelector('dialog[open]')`)
  await settled(page)
  const { transactions } = await world
    .fetch('/sandbox/transactions')
    .then((answer) => answer.json() as Promise<{ transactions: { external_reference: string }[] }>)
  const references = transactions.map(({ external_reference }) => external_reference)
  expect(
    `what came later is gone (${references.join(', ')})`,
    !references.includes('story-3') && references.includes('story-2'),
  )
}

const HANDSET = 'Open 0712 345 678'
const EXPIRED = 'The identification has expired.'

/** @param tab - the page within the entry, unless it is the first */
const inMenu = async (page: Page, name: string, tab?: string) => {
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click()
  if (tab !== undefined)
    await page.getByRole('navigation', { name, exact: true }).getByRole('link', { name: tab }).click()
  await settled(page)
}

const byHand: Way = {
  async pay(page, reference) {
    await page.getByRole('button', { name: 'New payment' }).first().click()
    const form = page.getByRole('dialog', { name: 'New payment' })
    await form.getByLabel('Your reference').fill(reference)
    await settled(page)
    await form.getByRole('button', { name: 'Send' }).click()
    await form.waitFor({ state: 'detached' })
  },
  async openHandset(page) {
    await inMenu(page, 'Customers')
    await page.getByRole('button', { name: HANDSET }).click()
    await settled(page)
  },
  press: (page, button) => page.getByRole('button', { name: button }).click(),
  async typePin(page, digits) {
    const keypad = page.locator('.keypad')
    for (const name of [...digits, 'OK']) await keypad.getByRole('button', { name, exact: true }).click()
    // The way out of what the operator says in the end.
    await page.getByRole('button', { name: 'OK', exact: true }).and(page.locator(':not(.keypad *)')).click()
  },
  async openKyc(page) {
    await inMenu(page, 'People')
    await page.getByRole('heading', { name: 'No KYC submissions yet' }).waitFor()
  },
  async rejectKyc(page) {
    await page
      .getByRole('table', { name: /KYC desk/ })
      .getByRole('link')
      .first()
      .click()
    await page.getByRole('button', { name: EXPIRED }).click()
    await page.getByRole('button', { name: 'Reject', exact: true }).click()
  },
  async openCallback(page, id) {
    await inMenu(page, 'Callbacks')
    await page
      .getByRole('link', { name: `story-${id}` })
      .first()
      .click()
  },
  resend: (page) => page.getByRole('button', { name: 'Resend', exact: false }).last().click(),
  freeze: (page) => page.getByRole('button', { name: 'Freeze' }).first().click(),
  async advanceADay(page) {
    await inMenu(page, 'Time')
    await page
      .getByRole('button', { name: /Advance|Another time/ })
      .first()
      .click()
    const form = page.getByRole('dialog', { name: 'Advance the clock' })
    await form.getByRole('textbox', { name: 'By', exact: true }).fill('1d')
    await form.getByRole('button', { name: 'Advance' }).click()
  },
  async accept(page) {
    await inMenu(page, 'People', 'Mail')
    await page.locator('table.rows a').first().click()
    await page.getByRole('button', { name: 'Accept' }).click()
  },
  async takeSnapshot(page) {
    await inMenu(page, 'Settings')
    await page.getByRole('button', { name: 'Take a snapshot' }).click()
  },
  toLive: (page) => inMenu(page, 'Home'),
  async goBack(page) {
    await inMenu(page, 'Settings')
    await page.getByRole('button', { name: 'Go back…' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Go back' }).click()
  },
}

/** Presses Tab until what has the focus is called so. */
async function tabTo(page: Page, name: string) {
  const focused = `(() => { const at = document.activeElement; return (at?.getAttribute('aria-label') ?? at?.textContent ?? '').trim() })()`
  for (let n = 0; n < 80; n++) {
    if ((await page.evaluate<string>(focused)).startsWith(name)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab never came to ${name}`)
}

async function keys(page: Page, ...pressed: readonly string[]) {
  for (const key of pressed) await page.keyboard.press(key)
}

/** Opens the first row of the list, which may still be loading. */
async function openFirst(page: Page) {
  for (let n = 0; n < 50 && !(await page.evaluate(`document.activeElement.tagName === 'A'`)); n++) {
    await keys(page, 'j')
    await page.waitForTimeout(100)
  }
  await keys(page, 'Enter')
}

async function toPage(page: Page, key: string, heading: string) {
  // A page that draws for long would otherwise get the second key too late.
  await Promise.all(['g', key].map((each) => page.keyboard.press(each)))
  await page.getByRole('heading', { name: heading, level: 1 }).first().waitFor()
  await settled(page)
}

const byKeyboard: Way = {
  async pay(page, reference) {
    await keys(page, 'n')
    const form = page.getByRole('dialog', { name: 'New payment' })
    const field = form.getByLabel('Your reference')
    await settled(page)
    while (
      !(await field.evaluate((each) =>
        (each as unknown as { matches(s: string): boolean }).matches(':focus'),
      ))
    )
      await keys(page, 'Tab')
    await keys(page, 'Control+a')
    await page.keyboard.type(reference)
    await settled(page)
    await keys(page, 'Enter')
    await form.waitFor({ state: 'detached' })
  },
  async openHandset(page) {
    await toPage(page, 'p', 'Phones')
    await tabTo(page, HANDSET)
    await keys(page, 'Enter')
    await page.getByRole('region', { name: /^Phone / }).waitFor()
    await settled(page)
  },
  async press(page, button) {
    await page.getByRole('button', { name: button }).waitFor()
    await settled(page)
    await tabTo(page, button)
    await keys(page, 'Enter')
  },
  async typePin(page, digits) {
    await settled(page)
    await keys(page, ...digits, 'Enter')
    await page.getByRole('button', { name: 'OK', exact: true }).and(page.locator(':not(.keypad *)')).waitFor()
    await settled(page)
    await keys(page, 'Enter')
  },
  async openKyc(page) {
    await toPage(page, 'y', 'KYC desk')
    await page.getByRole('heading', { name: 'No KYC submissions yet' }).waitFor()
  },
  async rejectKyc(page) {
    await page.getByRole('table', { name: /KYC desk/ }).waitFor()
    await openFirst(page)
    for (const name of [EXPIRED, 'Reject']) {
      await settled(page)
      await tabTo(page, name)
      await keys(page, 'Enter')
    }
  },
  async openCallback(page) {
    await toPage(page, 'c', 'Callbacks')
    await openFirst(page)
    await page.getByRole('heading', { name: 'Callback 2' }).waitFor()
    await settled(page)
  },
  async resend(page) {
    await settled(page)
    await keys(page, 'r')
  },
  async freeze(page) {
    await page.locator('button:enabled', { hasText: 'Freeze' }).first().waitFor()
    await settled(page)
    await keys(page, 'f')
  },
  async advanceADay(page) {
    await settled(page)
    await keys(page, 'a')
    await page.getByRole('dialog', { name: 'Advance the clock' }).waitFor()
    await keys(page, 'Control+a')
    await page.keyboard.type('1d')
    // Forms are not sent while an action runs, as the one of the key before may.
    await settled(page)
    await keys(page, 'Enter')
  },
  async accept(page) {
    await toPage(page, 'm', 'Mailbox')
    await openFirst(page)
    await page.getByRole('button', { name: 'Accept' }).waitFor()
    await tabTo(page, 'Accept')
    await keys(page, 'Enter')
  },
  async takeSnapshot(page) {
    await toPage(page, 'w', 'Worlds')
    await tabTo(page, 'Take a snapshot')
    await keys(page, 'Enter')
  },
  toLive: (page) => toPage(page, 'l', 'Home'),
  async goBack(page) {
    await toPage(page, 'w', 'Worlds')
    await tabTo(page, 'Go back…')
    await keys(page, 'Enter')
    await page.getByRole('dialog').waitFor()
    await settled(page)
    await tabTo(page, 'Go back')
    await keys(page, 'Enter')
  },
}
