import type { Page } from 'playwright-core'
import { wide } from '../viewer/browser.ts'
import { at, check, expect, forgive, settled, type Subject } from './checks.ts'
import type { Sandbox } from './server.ts'

/** Payment pages, and offline collections at the till. */
export const checkouts: Subject = {
  async fill(player) {
    // Payments settle by themselves in two seconds, which is not long on a machine that does much else too.
    await player.world.clock.freeze()
    await player.world.pay({ rail: 'card', reference: 'checkout-card' })
    await player.world.pay({ rail: 'bank', reference: 'checkout-bank' })
    await player.world
      .checkout('checkout-card')
      .pay({ card: { number: '4000 0000 0000 9995', expiry: '12/49', cvc: '123' } })
    await player.world.checkout('checkout-bank').cancel()
    await player.world.clock.resume()
    await player.pay('offline-1', { is_offline: true, network_code: undefined, amount: 40 })
  },
  looks: [
    { path: 'checkouts', heading: 'Checkouts' },
    { path: 'checkouts/checkout-card', heading: 'checkout-card', ready: showCode },
    { path: 'checkouts/checkout-bank', heading: 'checkout-bank' },
    { path: 'checkouts?state=open', heading: 'Checkouts' },
    { path: 'till', heading: 'Paybill till' },
    { path: 'till/offline-1', heading: 'offline-1' },
  ],
  async stories(sandbox) {
    await inThePlaceOfThePayer(sandbox)
    await atTheTill(sandbox)
  },
}

async function showCode(page: Page) {
  const button = page.getByRole('button', { name: 'Show a code' })
  if (await button.isVisible()) await button.click()
  await page.getByRole('img', { name: /Code of the address/ }).waitFor()
}

async function inThePlaceOfThePayer(sandbox: Sandbox) {
  const { world } = sandbox.fresh()
  const reasonOf = async (reference: string) => (await world.transactions.get(reference)).transaction.reason
  await check(
    'checkouts are made, and ended in the place of their payers',
    at(sandbox.origin, world.username, 'checkouts'),
    wide,
    async ({ page }) => {
      const detail = page.getByRole('complementary', { name: 'Open item' })
      const press = (name: string) => detail.getByRole('button', { name, exact: true }).click()
      const make = async (rail: string, name: string) => {
        await page.getByRole('button', { name: 'New checkout' }).click()
        const form = page.getByRole('dialog', { name: 'New payment' })
        await form.getByLabel('Rail').selectOption(rail)
        await form.getByLabel('Your reference').fill(name)
        await form.getByRole('button', { name: 'Send' }).click()
        await detail.getByRole('heading', { name }).waitFor()
      }
      await page.getByRole('heading', { name: 'No checkout yet' }).waitFor()
      await page.getByRole('button', { name: 'Hold prompts for me' }).click()
      await page.getByText('Prompts wait for you while this is open').waitFor()

      await make('card', 'checkout-1')
      await detail.getByLabel('Test card').selectOption('4000000000009995')
      await press('Type it')
      await detail.getByText('2 more can be tried').waitFor()
      await detail.getByLabel('Test card').selectOption('4000002500003155')
      await press('Type it')
      await press('Pass 3-D Secure')
      await detail.getByText('SUCCESS').waitFor()
      expect('it is paid', (await world.transactions.get('checkout-1')).transaction.status === 'SUCCESS')

      await make('bank', 'checkout-2')
      await detail.getByLabel('Reason').selectOption('daily_limit')
      await press('Decline')
      await detail.getByText('daily limit', { exact: true }).and(page.locator('.pill')).waitFor()
      expect('it is declined so', (await reasonOf('checkout-2')) === 'daily_limit')

      await make('momo', 'checkout-3')
      await press('Cancel')
      await detail.getByText('cancelled').waitFor()
      expect('it is cancelled', (await reasonOf('checkout-3')) === 'cancelled')

      await make('card', 'checkout-4')
      await press('Open')
      await detail.getByText(/^open \d/).waitFor()
      await press('Let it expire')
      await detail.getByText('expired', { exact: true }).waitFor()
      expect('it has expired', (await reasonOf('checkout-4')) === 'expired')
      await page.getByRole('link', { name: 'Over' }).click()
      await settled(page)
      expect('all four are listed', (await page.locator('tbody tr[data-key]').count()) === 4)
    },
  )
}

async function atTheTill(sandbox: Sandbox) {
  const { world, pay } = sandbox.fresh()
  await pay('bill', { is_offline: true, network_code: undefined, amount: 40 })
  await check(
    'an offline collection is paid at the till: too little, as asked, and twice',
    at(sandbox.origin, world.username, 'till/bill'),
    wide,
    async ({ page, complaints }) => {
      const came = page.getByRole('list', { name: 'Result' }).getByRole('listitem')
      const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
      const balance = () => world.balance('team:63:wallet:KES')
      const before = await balance()
      await press('Too little')
      await came
        .nth(0)
        .getByText(/amount must be the amount of the collection/)
        .waitFor()
      await press('As asked')
      await came
        .nth(1)
        .getByText(/paid KES\s40\.00/)
        .waitFor()
      const paid = await balance()
      expect(`money came (${before}, then ${paid})`, paid > before)
      await press('Too much')
      await came
        .nth(2)
        .getByText(/only a QUEUED one can be paid/)
        .waitFor()
      await press('Accept different payments')
      await page.getByRole('button', { name: 'Reject different payments' }).waitFor()
      await press('Too much')
      await came
        .nth(3)
        .getByText(/paid KES\s80\.00/)
        .waitFor()
      expect('it is booked as a second payment', (await balance()) > paid)
      forgive(complaints, /400/)
    },
  )
}
