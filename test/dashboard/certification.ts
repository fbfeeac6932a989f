import { violations, wide } from '../viewer/browser.ts'
import { at, check, expect, expectNone, settled, shots, type Subject } from './checks.ts'
import type { Sandbox } from './server.ts'

/** What an integration has proved, while it does. */
export const certification: Subject = {
  looks: [
    { path: 'certification', heading: 'Certification' },
    { path: 'certification/RCV-11', heading: 'Processes ten simultaneous copies once' },
  ],
  stories: provedLive,
}

async function provedLive({ fresh, origin }: Sandbox) {
  const { world, pay } = fresh()
  await check(
    'what is proved is said while it happens, and what is to be mended first',
    at(origin, world.username, 'certification'),
    wide,
    async ({ page }) => {
      await page.getByRole('heading', { name: 'Nothing verified yet' }).waitFor()
      const curl = (await page.locator('.empty pre').textContent())!
      expect('its curl is of this world', curl.includes(`${world.username}:demo`))
      await pay('<b>order</b>-1')
      await page.getByText('1 proved').first().waitFor()
      await pay('by-hand', {}, { 'user-agent': 'Mozilla/5.0' })
      await page.getByText('1 request, 1 transaction not made by the shop.').waitFor()
      await pay('<b>order</b>-1')
      await page.getByText('not ready', { exact: true }).waitFor()
      await page.getByRole('link', { name: 'Gives each payment a unique reference' }).first().click()
      const open = page.getByLabel('Open item')
      await open.getByText('Of 2 payments, 0 had no reference and 1 a reused one.').waitFor()
      await open.getByText('failed', { exact: true }).waitFor()
      await settled(page)
      expectNone('axe', await violations(page))
      await page.screenshot({ path: `${shots}/certification-check.png` })
      await page.goto(at(origin, world.username, 'certification/RCV-99'))
      await page.getByRole('heading', { name: 'Check RCV-99 not found' }).waitFor()
    },
  )
}
