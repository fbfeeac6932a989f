import { violations, wide } from '../viewer/browser.ts'
import { at, check, expect, expectNone, settled, shots, type Subject, until } from './checks.ts'
import type { Sandbox } from './server.ts'

/** What is seen as it happens, from the first payment on. */
export const live: Subject = {
  async stories(sandbox) {
    await begins(sandbox)
    await isAtOnce(sandbox)
    await isMuch(sandbox)
  },
}

const begins = ({ origin }: Sandbox) =>
  check(
    'an empty world says how to begin, and the form pays',
    at(origin, 'demo+empty', 'live'),
    wide,
    async ({ page }) => {
      await page.getByRole('heading', { name: 'No payments yet' }).waitFor()
      await until(page, `document.querySelector('.empty pre').textContent.includes('/sandbox/inbox/')`)
      const curl = await page.locator('.empty pre').textContent()
      expect(
        `its curl is of this world (${curl})`,
        /-u demo\+empty:demo .*\/sandbox\/inbox\/default/s.test(curl ?? ''),
      )
      await page.screenshot({ path: `${shots}/empty.png` })
      await page.keyboard.press('n')
      const form = page.getByRole('dialog', { name: 'New payment' })
      await form.getByLabel('Your reference').fill('by-hand')
      await until(page, `document.querySelector('dialog pre').textContent.includes('by-hand')`)
      await settled(page)
      await page.screenshot({ path: `${shots}/new-payment.png` })
      expectNone('axe', await violations(page))
      await form.getByRole('button', { name: 'Send' }).click()
      await page.getByRole('link', { name: 'Payment queued' }).waitFor()
      await page.getByText('by-hand').filter({ visible: true }).first().waitFor()
    },
  )

async function isAtOnce(sandbox: Sandbox) {
  const { world, pay } = sandbox.fresh()
  const here = at(sandbox.origin, world.username, 'live')
  await check(
    'a payment is on the screen at once, in two windows, and a freeze too',
    here,
    wide,
    async ({ page }) => {
      const other = await page.context().newPage()
      await other.goto(here)
      for (const each of [page, other]) {
        await each.getByRole('heading', { name: 'No payments yet' }).waitFor()
        await until(each, `document.querySelector('.brand .dot').className.includes('live')`)
      }
      const begun = Date.now()
      const seen = [page, other].map((each) =>
        each
          .getByText('quick-1')
          .filter({ visible: true })
          .first()
          .waitFor()
          .then(() => Date.now() - begun),
      )
      await pay('quick-1')
      const took = await Promise.all(seen)
      // The first window is behind the second now, and draws four times a second.
      console.log(
        `      seen after ${took[1]} ms, behind it after ${took[0]} ms; 300 ms are meant on a quiet machine`,
      )
      expect(`it took ${took} ms`, Math.max(...took) < 5_000)
      const streams = Number((await world.show()).budget?.find(({ name }) => name === 'streams')?.used)
      expect(`both read one stream (${streams})`, streams === 1)
      await page.keyboard.press('f')
      for (const each of [page, other]) await each.getByText(/The clock is frozen at/).waitFor()
      await page.close()
      await pay('quick-2')
      await other.getByText('quick-2').filter({ visible: true }).first().waitFor()
      await world.reset()
      await other.getByRole('heading', { name: 'No payments yet' }).waitFor()
    },
  )
}

async function isMuch(sandbox: Sandbox) {
  const { world, pay } = sandbox.fresh()
  await check(
    'a thousand events at once leave few rows, and the list its place',
    at(sandbox.origin, world.username, 'live'),
    wide,
    async ({ page }) => {
      await page.getByRole('heading', { name: 'No payments yet' }).waitFor()
      for (let n = 0; n < 15; n++)
        await Promise.all(Array.from({ length: 20 }, (_, m) => pay(`many-${n * 20 + m}`)))
      await page.getByText('many-299').filter({ visible: true }).first().waitFor()
      // The payments are paid after two seconds of the world's clock; what comes later than the check looks would move the list.
      await world.settle()
      await settled(page)
      const rows: number = await page.evaluate(`document.querySelectorAll('tbody tr').length`)
      expect(`the document has ${rows} rows`, rows <= 200)
      await page.evaluate(`document.querySelector('main').scrollTop = 8000`)
      const middle = `[...document.querySelectorAll('tbody tr[data-key]')].find((row) => row.getBoundingClientRect().top > innerHeight / 2)?.dataset.key`
      await until(page, `(${middle}) !== undefined`)
      await settled(page)
      const before = await page.evaluate<string>(middle)
      const newest = `document.querySelector('table.rows').ariaRowCount`
      const count = Number(await page.evaluate(newest))
      await pay('one-more')
      await until(page, `Number(${newest}) > ${count}`)
      await settled(page)
      const after = await page.evaluate<string>(middle)
      expect(`who reads goes on reading (${before}, then ${after})`, before === after)
    },
  )
}
