import { phone, violations, wide } from '../viewer/browser.ts'
import {
  at,
  check,
  expect,
  expectNone,
  fitsTheWidth,
  forgive,
  goTo,
  settled,
  shots,
  type Subject,
  until,
} from './checks.ts'
import { playerOf, type Sandbox, startSandbox } from './server.ts'

/** What holds on every page: keys, hostile names, credentials, a sandbox that goes away. */
export const frame: Subject = {
  async stories(sandbox) {
    await byKeyboard(sandbox)
    await byCommand(sandbox)
    await anyPayment(sandbox)
    await hostileNames(sandbox)
    await keepsThePlace(sandbox)
    await wrongPassword(sandbox)
    await startsAgain()
  },
}

async function byKeyboard(sandbox: Sandbox) {
  const player = sandbox.fresh()
  await player.fill()
  await check(
    'by keyboard alone',
    at(sandbox.origin, player.world.username, 'live'),
    wide,
    async ({ page }) => {
      const open = (hash: RegExp) => until(page, `${hash}.test(location.hash)`)
      await page.getByRole('link', { name: 'order-1' }).first().waitFor()
      const keys = page.getByRole('dialog', { name: 'Keys' })
      await page.keyboard.press('?')
      await keys.waitFor()
      expectNone('axe', await violations(page))
      await page.screenshot({ path: `${shots}/keys.png` })
      await page.keyboard.press('Escape')
      await page.keyboard.press('g')
      await page.keyboard.press('c')
      await open(/callbacks$/)
      await page.getByRole('link', { name: 'order-3' }).waitFor()
      await page.keyboard.press('j')
      await until(page, `document.activeElement.tagName === 'A'`)
      await page.keyboard.press('Enter')
      await open(/callbacks\/\d+$/)
      await page.keyboard.press('Escape')
      await open(/callbacks$/)
      await page.keyboard.press('Control+k')
      await page.keyboard.type('order-2')
      await page
        .getByRole('option', { name: /order-2/ })
        .first()
        .waitFor()
      expectNone('axe', await violations(page))
      await page.screenshot({ path: `${shots}/palette.png` })
      await page.keyboard.press('Enter')
      await open(/tx\/order-2$/)
      await page.getByRole('heading', { name: 'order-2' }).waitFor()
    },
  )
}

async function byCommand(sandbox: Sandbox) {
  const player = sandbox.fresh()
  const { world } = player
  await player.fill()
  await check(
    'Ctrl K finds what the sandbox has stored, and runs commands',
    at(sandbox.origin, world.username, 'tx'),
    wide,
    async ({ page }) => {
      await page.getByRole('link', { name: 'order-1' }).first().waitFor()
      const run = async (typed: string) => {
        await page.keyboard.press('Control+k')
        await page.getByRole('combobox', { name: 'Search or run' }).waitFor()
        await page.keyboard.type(typed)
        await page.keyboard.press('Enter')
        await page.getByRole('dialog').waitFor({ state: 'detached' })
      }
      const open = (hash: RegExp) => until(page, `${hash}.test(location.hash)`)
      // Enter waits for the first result.
      await run('order-3')
      await open(/tx\/order-3$/)
      await run('"ten"')
      await open(/requests\/req_\d+$/)
      await run('Demo Te')
      await open(/teams\/63$/)
      await run('0712 345 678')
      await open(/phone\/254712345678$/)
      await run('next payment: insufficient funds')
      await page.getByText('Next payment: The payer has insufficient funds.').waitFor()
      await player.pay('without-funds')
      const before = Date.parse((await world.clock.show()).now)
      await run('jump 3 days')
      await page.getByText(/The clock is at/).waitFor()
      const days = (Date.parse((await world.clock.show()).now) - before) / 86_400_000
      expect(`the clock moved by three days (${days})`, days > 2.9 && days < 3.1)
      const { reason } = (await world.transactions.get('without-funds')).transaction
      expect(`the payment had no funds (${reason})`, reason === 'insufficient_funds')
      await run('freeze')
      await page.getByText('The clock is frozen.').waitFor()
    },
  )
}

/** The form pays by each rail in both directions, with an outcome that is searched for. */
async function anyPayment(sandbox: Sandbox) {
  const { world } = sandbox.fresh()
  await world.clock.freeze()
  await check(
    'the form pays by each rail in both directions',
    at(sandbox.origin, world.username, 'tx'),
    wide,
    async ({ page, complaints }) => {
      const ways = [
        ['payin', 'momo'],
        ['payin', 'bank'],
        ['payin', 'card'],
        ['payout', 'momo'],
        ['payout', 'bank'],
      ] as const
      const form = page.getByRole('dialog', { name: 'New payment' })
      const begin = async (direction: string, rail: string, reference: string) => {
        await settled(page)
        await page.keyboard.press('n')
        await form.getByLabel('Direction').selectOption(direction)
        await form.getByLabel('Rail').selectOption(rail)
        await form.getByLabel('Your reference').fill(reference)
      }
      for (const [direction, rail] of ways) {
        const reference = `${direction}-${rail}`
        await begin(direction, rail, reference)
        await form.getByRole('button', { name: 'Send' }).click()
        await form.waitFor({ state: 'detached' })
        const { transaction } = await world.transactions.get(reference)
        expect(
          `${reference} is a ${transaction.direction} by ${transaction.rail}`,
          transaction.direction === direction && transaction.rail === rail,
        )
      }
      await begin('payin', 'momo', 'searched')
      await form.getByLabel('Find an outcome').fill('cancels the prompt')
      await form.getByLabel('Find an outcome').press('Enter')
      await form.getByText('scenario=payer-cancels').waitFor()
      expectNone('axe', await violations(page))
      await form.getByRole('button', { name: 'Send' }).click()
      await form.waitFor({ state: 'detached' })
      await world.settle()
      const { reason } = (await world.transactions.get('searched')).transaction
      expect(`the payer cancelled (${reason})`, reason === 'cancelled')
      await begin('payin', 'momo', 'abroad')
      await form.getByLabel('Country').selectOption('UG')
      await form.getByText('"country": "UG"').waitFor()
      expectNone('complaints of the browser', complaints)
      await page.keyboard.press('Escape')
      await begin('payin', 'card', 'wrong')
      await form.getByLabel('Amount').fill('ten')
      await form.getByRole('button', { name: 'Send' }).click()
      await form.getByText('amount must be a number, got "ten"').first().waitFor()
      await until(page, `document.activeElement.getAttribute('aria-invalid') === 'true'`)
      forgive(complaints, /400/)
    },
  )
}

const names = [
  '<img src=x onerror=alert(1)>',
  `"'--><script>x</script>`,
  '\u202etxet desrever',
  '💸'.repeat(12),
  'a\u200bb',
  'x'.repeat(60),
]

async function hostileNames(sandbox: Sandbox) {
  const { world, pay } = sandbox.fresh()
  for (const name of names) await pay(name)
  await check(
    'hostile names are shown as text',
    at(sandbox.origin, world.username, 'live'),
    phone,
    async ({ page }) => {
      for (const path of ['live', 'tx', 'requests', `tx/${encodeURIComponent(names[0]!)}`]) {
        await goTo(page, world.username, path)
        await settled(page)
        await fitsTheWidth(page)
        expect('nothing of it is markup', (await page.locator('main img, main script').count()) === 0)
      }
    },
  )
}

async function keepsThePlace(sandbox: Sandbox) {
  const { world, pay } = sandbox.fresh()
  for (let n = 0; n < 30; n++) await pay(`place-${n}`)
  await world.settle()
  await check(
    'on a phone what is opened begins at its top, and the list is left where it was',
    at(sandbox.origin, world.username, 'callbacks'),
    phone,
    async ({ page }) => {
      const top = `document.querySelector('main').scrollTop`
      await goTo(page, world.username, 'requests')
      await page
        .getByRole('link', { name: /payments/ })
        .first()
        .waitFor()
      await settled(page)
      await page.evaluate(`${top} = 900`)
      await until(page, `${top} === 900`)
      await settled(page)
      await page.locator('main table.rows tr[data-key]').nth(18).locator('a').first().click()
      await page.locator('aside article').first().waitFor()
      await until(page, `${top} < 10`)
      await page.keyboard.press('Escape')
      await until(page, `${top} > 800 && !document.querySelector('aside article')`)
    },
  )
}

const wrongPassword = ({ origin }: Sandbox) =>
  check(
    'a wrong password is asked for again',
    at(origin, 'demo+other', 'live'),
    wide,
    async ({ page, complaints }) => {
      await page.getByRole('button', { name: 'World' }).waitFor()
      await goTo(page, 'nobody', 'live')
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      expectNone('axe', await violations(page))
      await page.screenshot({ path: `${shots}/sign-in.png` })
      await page.getByLabel('API username').fill('demo+other')
      await page.getByLabel('API password').fill('wrong')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText(/does not know this username/).waitFor()
      await page.getByLabel('API password').fill('demo')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'Home' }).waitFor()
      // What the browser says of a 401 is what was tried.
      forgive(complaints, /401/)
    },
  )

async function startsAgain() {
  let fragile = await startSandbox()
  const { origin, port } = fragile
  await check(
    'a sandbox that starts again is gone on with',
    at(origin, 'demo', 'live'),
    wide,
    async ({ page, complaints }) => {
      await playerOf(origin, 'demo').pay('before')
      await page.getByText('before').filter({ visible: true }).first().waitFor()
      await fragile.close()
      await page.getByText(/The sandbox does not answer/).waitFor()
      await page.screenshot({ path: `${shots}/not-connected.png` })
      fragile = await startSandbox({ PORT: String(port) })
      await page.getByRole('heading', { name: 'No payments yet' }).waitFor()
      await playerOf(origin, 'demo').pay('after')
      const line = page.getByRole('link', { name: 'after', exact: true })
      await line.waitFor()
      expect('it is there once', (await line.count()) === 1)
      forgive(complaints, /ERR_/)
    },
  )
  await fragile.close()
}
