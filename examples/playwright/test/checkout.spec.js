import { test as base, expect } from '@playwright/test'
import { createSandbox } from 'payments-sandbox'
import { startShop } from '../shop.js'

/** A sandbox for each worker; a world and a shop for each test. */
const test = base.extend({
  sandbox: [
    // eslint-disable-next-line no-empty-pattern -- Playwright reads from it that nothing is needed
    async ({}, use) => {
      // A payment waits for its page, however long a browser takes to open it.
      const sandbox = await createSandbox({ env: { SANDBOX_PAYER: 'manual' } })
      await sandbox.listen()
      await use(sandbox)
      await sandbox.close()
    },
    { scope: 'worker' },
  ],
  world: async ({ sandbox }, use) => use(await sandbox.world()),
  shop: async ({ world }, use) => {
    const { url: baseUrl, authorization } = world
    const shop = await startShop({ baseUrl, authorization, secret: await world.signatures.secret() })
    await use(shop)
    shop.close()
  },
})

test.beforeEach(async ({ page, shop }) => {
  await page.goto(shop.url)
  await page.getByRole('button', { name: 'Buy' }).click()
})

async function payWith(page, number) {
  await page.getByLabel('Card number').fill(number)
  await page.getByLabel('Expiry').fill('12/30')
  await page.getByLabel('CVC').fill('123')
  await page.getByLabel('Name on card').fill('Achieng Odhiambo')
  await page.getByRole('button', { name: 'Pay KES 2,500.00' }).click()
}

test('a card is approved, and the shop hears of it', async ({ page, shop }) => {
  await payWith(page, '4242 4242 4242 4242')
  await expect(page.getByText('Paid', { exact: true })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'order-1 is paid' })).toBeVisible()
  expect(shop.order('order-1').state).toBe('paid')
})

test('a card is declined, and the buyer gives up', async ({ page, world }) => {
  await payWith(page, '4000 0000 0000 9995')
  await expect(page.getByRole('alert')).toContainText('The balance is too low for this payment.')
  expect((await world.checkout('order-1').show()).card_attempts_left).toBe(2)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('heading', { name: 'order-1 is unpaid' })).toBeVisible()
})

test('a card is declined, and another one pays', async ({ page }) => {
  await payWith(page, '4000 0000 0000 0002')
  await payWith(page, '5555 5555 5555 4444')
  await expect(page.getByRole('heading', { name: 'order-1 is paid' })).toBeVisible()
})

test('the bank asks, and the buyer confirms', async ({ page }) => {
  await payWith(page, '4000 0025 0000 3155')
  await page.getByLabel('Code').fill('123456')
  await page.getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByRole('heading', { name: 'order-1 is paid' })).toBeVisible()
})

test('the bank asks, and the buyer walks away', async ({ page, world, shop }) => {
  await payWith(page, '4000 0025 0000 3155')
  await expect(page.getByRole('heading', { name: 'Example Bank' })).toBeVisible()
  await world.clock.advance('10m')
  await expect.poll(() => shop.order('order-1').state).toBe('unpaid')
  expect(shop.order('order-1').message).toBe('Transaction has expired')
})

test('without a browser', async ({ page, world, shop }) => {
  // What the library does the payer's page shows.
  await world.checkout('order-1').pay({ card: { number: '4242424242424242', expiry: '12/30', cvc: '123' } })
  await expect.poll(() => shop.order('order-1').state).toBe('paid')
  await page.reload()
  await expect(page.getByText('Visa ending in 4242')).toBeVisible()
})
