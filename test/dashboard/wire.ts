/** The wire in the dashboard: inboxes, the signature doctor, callbacks, requests, work that is owed. */
import { phone, violations, wide } from '../viewer/browser.ts'
import { check, expect, expectNone, fitsTheWidth, shots, until } from './checks.ts'
import { playerOf } from './server.ts'

export async function checkWire(origin: string) {
  const at = (world: string, path: string) => `${origin}/dashboard#/${world}/${path}`

  const scripted = playerOf(origin, 'demo+inbox')
  await check(
    'an inbox that answers 500, 500, 200 is seen to do so',
    at(scripted.world.username, 'inbox'),
    wide,
    async ({ page }) => {
      await page.getByLabel('Name of a new inbox').fill('shop')
      await page.getByRole('button', { name: 'New inbox' }).click()
      await page.getByRole('heading', { name: 'Nothing came yet' }).waitFor()
      await page.getByRole('button', { name: '500, 500, 200' }).click()
      await page.getByText('500, comes next').waitFor()
      await scripted.world.clock.freeze()
      await scripted.pay('thrice', { callback_url: await scripted.world.inbox.url('shop') })
      await scripted.world.clock.advance('3s')
      const message = page.getByRole('link', { name: 'thrice, success' })
      await message.first().waitFor()
      await scripted.world.clock.advance('1m')
      await until(page, `document.querySelectorAll('tbody tr[data-key]').length === 3`)
      expectNone('axe', await violations(page))
      await page.screenshot({ path: `${shots}/inbox-shop-1440-light.png` })
      await message.first().click()
      await page.getByRole('heading', { name: 'Message 3' }).waitFor()
      await page.getByText('signature holds').first().waitFor()
      await page.screenshot({ path: `${shots}/inbox-message-1440-light.png` })
      await page.getByRole('link', { name: 'Signature doctor' }).last().click()
      await page.getByRole('heading', { name: 'Profile standard' }).waitFor()
      await page.getByText('A receiver with this secret takes it.').waitFor()
      await page.screenshot({ path: `${shots}/doctor-1440-light.png` })
      await fitsTheWidth(page)
    },
  )
}
