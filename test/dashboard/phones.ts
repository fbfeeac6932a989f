import type { Page } from 'playwright-core'
import { phone, violations, wide } from '../viewer/browser.ts'
import { at, check, expect, expectNone, goTo, settled, shots, type Subject, until } from './checks.ts'
import type { Player, Sandbox } from './server.ts'

const PHONE = '254712345678'

/** Being the payer: phones, and what is done with them by hand. */
export const phones: Subject = {
  async fill({ world, pay }) {
    await world.phone('0733000111').off()
    await world.phone('0722000222').change({ locked: true, balance: 40 })
    // A prompt that waits as long as the looks take.
    await pay('by-hand-1', { phone_number: '0711000333' }, { prefer: 'scenario=stuck-without-callback' })
  },
  looks: [
    { path: 'phone', heading: 'Phones' },
    { path: 'phone/254711000333', heading: 'M-PESA', ready: showCode },
    { path: 'phone/254711000333?alone=', heading: 'M-PESA' },
    { path: `phone/${PHONE}`, heading: 'Messages' },
    { path: 'phone/254733000111', heading: '0733 000 111' },
    { path: 'phone/254722000222', heading: 'Messages' },
  ],
  async stories(sandbox) {
    await byMouse(sandbox)
    await byKeyboard(sandbox)
    await withNobody(sandbox)
    await byTwoWindows(sandbox)
    await besideTheFeed(sandbox)
  },
}

async function showCode(page: Page) {
  const button = page.getByRole('button', { name: 'Show a code' })
  if (await button.isVisible()) await button.click()
  await page.getByRole('img', { name: /Code of the address/ }).waitFor()
}

/** Presses something once it can be. */
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

async function type(page: Page, pin: string) {
  for (const digit of pin)
    await page
      .getByRole('group', { name: 'Keypad' })
      .getByRole('button', { name: digit, exact: true })
      .click()
  await press(page, 'OK')
}

/** Each way in which a prompt ends, as it is done on the page, and the reason with which the payment then fails. */
const ways: readonly (readonly [reason: string | null, words: RegExp, act: (page: Page) => Promise<void>])[] =
  [
    [null, /paid to/, (page) => type(page, '1234')],
    ['wrong_pin', /wrong pin/, (page) => type(page, '4321')],
    [
      'cancelled',
      /cancelled/,
      (page) =>
        page
          .getByRole('region', { name: /^Phone / })
          .getByRole('button', { name: 'Cancel' })
          .click(),
    ],
    ['expired', /expired/, (page) => press(page, 'Ignore')],
    ['insufficient_funds', /insufficient funds/, (page) => press(page, 'No money')],
    ['unreachable', /This phone is off/, (page) => press(page, 'Phone off')],
    ['prompt_not_sent', /prompt not sent/, (page) => press(page, 'Not registered')],
    ['operator_busy', /operator busy/, (page) => press(page, 'Operator busy')],
  ]

/** What is undone before the next prompt, as somebody would by the API. */
const asNew = ({ world }: Player) =>
  world
    .phone(PHONE)
    .change({ on: true, registered: true, operator: 'works', locked: false, balance: 1_000_000 })

/** How a payment ended, and what its callback said. */
async function endOf({ world }: Player, reference: string) {
  const [callback] = await world.callbacks.waitFor({ reference })
  const { reason } = (await world.transactions.get(reference)).transaction
  return { reason, told: (JSON.parse(callback!.body) as { status: string }).status }
}

async function byMouse(sandbox: Sandbox) {
  const player = sandbox.fresh()
  const { world, pay } = player
  const callback_url = await world.inbox.url()
  await check(
    'each way to answer a prompt, by mouse',
    at(sandbox.origin, world.username, `phone/${PHONE}`),
    wide,
    async ({ page }) => {
      await press(page, 'Hold prompts for me')
      await page.getByText('Prompts wait for you while this is open').waitFor()
      for (const [n, [reason, words, answer]] of ways.entries()) {
        const reference = `way-${n}`
        await pay(reference, { callback_url })
        await page.getByText(`account ${reference}?`).waitFor()
        await answer(page)
        await page
          .getByRole('region', { name: /^Phone / })
          .getByText(words)
          .first()
          .waitFor()
        const end = await endOf(player, reference)
        expect(`${reference} ends with ${reason} (${JSON.stringify(end)})`, end.reason === reason)
        expect(`its callback says so (${end.told})`, end.told === (reason === null ? 'success' : 'failed'))
        await asNew(player)
        await settled(page)
      }
    },
  )
}

async function byKeyboard(sandbox: Sandbox) {
  const player = sandbox.fresh()
  const { world, pay } = player
  const callback_url = await world.inbox.url()
  await world.configure({ payer: 'manual' })
  await check(
    'a PIN and a refusal by keyboard alone, and three wrong ones lock',
    at(sandbox.origin, world.username, `phone/${PHONE}`),
    wide,
    async ({ page }) => {
      const answered = async (reference: string, reason: string | null, keys: readonly string[]) => {
        await pay(reference, { callback_url })
        await page.getByText(`account ${reference}?`).waitFor()
        for (const key of keys) await page.keyboard.press(key)
        await page
          .getByRole('button', { name: 'OK', exact: true })
          .and(page.locator(':not(.keypad *)'))
          .waitFor()
        const end = await endOf(player, reference)
        expect(`${reference} ends with ${reason} (${JSON.stringify(end)})`, end.reason === reason)
        await page.keyboard.press('Enter')
        await page.getByRole('heading', { name: 'Messages' }).waitFor()
      }
      // The focus leaves the button that the payer pressed last.
      await page.getByRole('button', { name: 'New payment' }).focus()
      await answered('focus', null, [...'1234', 'Enter'])
      expect('no dialog opens', (await page.getByRole('dialog').count()) === 0)
      await answered('pin', null, ['1', '2', '3', '9', 'Backspace', '4', 'Enter'])
      await page
        .getByText(/Confirmed\. KES 250\.00 paid to/)
        .nth(1)
        .waitFor()
      await answered('esc', 'cancelled', ['1', 'Escape'])
      for (const n of [1, 2]) await answered(`wrong-${n}`, 'wrong_pin', [...'0000', 'Enter'])
      await answered('locked', 'subscriber_locked', [...'0000', 'Enter'])
      await page.getByText('The PIN is locked').waitFor()
      await page.keyboard.press('Escape')
      await until(page, `/phone$/.test(location.hash)`)
    },
  )
}

async function withNobody(sandbox: Sandbox) {
  const { world, pay } = sandbox.fresh()
  await world.configure({ payer: 'manual_while_watched' })
  await check(
    'with no handset open a payment settles by itself',
    at(sandbox.origin, world.username, 'tx'),
    wide,
    async ({ page }) => {
      await page.getByRole('heading', { name: 'Payments', exact: true }).waitFor()
      await pay('alone')
      await page.getByText('SUCCESS').filter({ visible: true }).first().waitFor()
    },
  )
}

async function byTwoWindows(sandbox: Sandbox) {
  const { world, pay } = sandbox.fresh()
  await world.configure({ payer: 'manual_while_watched' })
  const waits = async () => (await world.transactions.get('asked')).transaction.status === 'QUEUED'
  await check(
    'a handset in the second window of a browser is watched for by the first',
    at(sandbox.origin, world.username, 'tx'),
    wide,
    async ({ page }) => {
      await page.getByRole('heading', { name: 'Payments', exact: true }).waitFor()
      await until(page, `document.querySelector('.brand .dot').className.includes('live')`)
      const other = await page.context().newPage()
      await other.goto(at(sandbox.origin, world.username, `phone/${PHONE}`))
      await other.getByRole('heading', { name: 'Messages' }).waitFor()
      await other.getByText('Prompts wait for you while this is open').waitFor()
      await pay('asked')
      // So it says of one that is left to its payer.
      await other.getByText('Ignored in').waitFor()
      await world.settle()
      expect('it waits', await waits())
      // The first had the stream; the second takes it on, and the prompt is still there.
      await page.close()
      await pay('asked-too')
      await other.getByText('1 more queued').waitFor()
      await world.settle()
      expect('it waits on', await waits())
      await goTo(other, world.username, 'tx')
      await other.getByRole('heading', { name: 'Payments', exact: true }).waitFor()
      await other.getByText('SUCCESS').filter({ visible: true }).first().waitFor()
    },
  )
}

async function besideTheFeed(sandbox: Sandbox) {
  const { world, pay } = sandbox.fresh()
  await world.configure({ payer: 'manual' })
  await check(
    'a prompt brings the handset beside the feed, and is answered there',
    at(sandbox.origin, world.username, 'live'),
    wide,
    async ({ page }) => {
      await page.getByRole('heading', { name: 'Home' }).waitFor()
      await until(page, `document.querySelector('.brand .dot').className.includes('live')`)
      await pay('beside')
      await page.getByText('account beside?').waitFor()
      await settled(page)
      await page.screenshot({ path: `${shots}/live-prompted.png` })
      expectNone('axe', await violations(page))
      for (const key of [...'1234', 'Enter']) await page.keyboard.press(key)
      await page.locator('.feed-line', { hasText: 'beside' }).getByText('SUCCESS').waitFor()
      expect('it is paid', (await world.transactions.get('beside')).transaction.status === 'SUCCESS')
      await page.getByRole('button', { name: 'Close the handset' }).click()
      await page.getByRole('region', { name: /^Phone / }).waitFor({ state: 'detached' })
      await page.setViewportSize({ width: phone.width, height: phone.height })
      await pay('on-a-phone')
      await page.getByRole('link', { name: 'Answer it' }).click()
      await page.getByText('account on-a-phone?').waitFor()
    },
  )
}
