import { violations, wide } from '../viewer/browser.ts'
import { at, check, expectNone, settled, shots, type Subject, until } from './checks.ts'
import type { Sandbox } from './server.ts'

/** What goes over the wire: inboxes, signatures, callbacks, requests, and the work that is owed. */
export const wire: Subject = {
  async fill(player) {
    const { world, pay } = player
    const callback_url = await world.inbox.url('shop')
    await world.inbox.answer([500, 500, 200], 'shop')
    await pay('order-5', { callback_url })
    await world.clock.advance('3s')
    await world.fetch(callback_url, { method: 'POST', body: new Uint8Array([137, 80, 78, 71, 0, 255, 254]) })
    await world.fetch(callback_url, { method: 'POST', body: JSON.stringify({ long: 'x'.repeat(60_000) }) })
    await pay('order-6')
  },
  looks: [
    { path: 'inbox', heading: 'Inboxes' },
    { path: 'inbox/shop', heading: 'shop' },
    { path: 'inbox/new', heading: 'Nothing came yet' },
    { path: 'inbox/shop/4', heading: 'Message 4' },
    { path: 'inbox/shop/5', heading: 'Message 5' },
    { path: 'inbox/default/1', heading: 'Message 1' },
    { path: 'doctor', heading: 'Signature doctor' },
    { path: 'doctor?inbox=default&message=1', heading: 'Profile standard' },
    { path: 'jobs', heading: 'Jobs' },
  ],
  async stories(sandbox) {
    await thrice(sandbox)
  },
}

async function thrice(sandbox: Sandbox) {
  const { world, pay } = sandbox.fresh()
  await world.clock.freeze()
  await check(
    'an inbox that answers 500, 500, 200 is seen to do so',
    at(sandbox.origin, world.username, 'inbox'),
    wide,
    async ({ page }) => {
      await page.getByLabel('Name of a new inbox').fill('shop')
      await page.getByRole('button', { name: 'New inbox' }).click()
      await page.getByRole('heading', { name: 'Nothing came yet' }).waitFor()
      await page.getByRole('button', { name: '500, 500, 200' }).click()
      await page.getByText('500, comes next').waitFor()
      await pay('thrice', { callback_url: await world.inbox.url('shop') })
      await world.clock.advance('3s')
      const message = page.getByRole('link', { name: 'thrice, success' })
      await message.first().waitFor()
      await world.clock.advance('1m')
      await until(page, `document.querySelectorAll('tbody tr[data-key]').length === 3`)
      await page.getByText('200, comes next').waitFor()
      await message.first().click()
      await page.getByRole('heading', { name: 'Message 3' }).waitFor()
      await page.getByText('signature holds').first().waitFor()
      await settled(page)
      expectNone('axe', await violations(page))
      await page.screenshot({ path: `${shots}/inbox-message.png` })
      await page.getByRole('link', { name: 'Signature doctor' }).click()
      await page.getByRole('heading', { name: 'Profile standard' }).waitFor()
      await page.getByText('A receiver with this secret takes it.').waitFor()
    },
  )
}
