import type { Page } from 'playwright-core'
import { violations, wide } from '../viewer/browser.ts'
import { at, check, expect, expectNone, forgive, goTo, settled, shots, type Subject, until } from './checks.ts'
import { playerOf, type Sandbox } from './server.ts'

/** People, money and access: what others than the integrator do, and who may look. */
export const desk: Subject = {
  looks: [{ path: 'keys', heading: 'Keys' }],
  async stories(sandbox) {
    await sharedLink(sandbox)
  },
}

const linkIn = async (page: Page) =>
  (await page.getByRole('dialog').getByRole('region', { name: 'Link' }).textContent())!

async function sharedLink(sandbox: Sandbox) {
  const { world, fill } = sandbox.fresh()
  await fill.call(playerOf(sandbox.origin, world.username))
  let link = ''
  await check(
    'a link that only reads is made, and a key',
    at(sandbox.origin, world.username, 'tx/order-1'),
    wide,
    async ({ page }) => {
      await page.getByRole('heading', { name: 'order-1' }).waitFor()
      await page.getByRole('button', { name: 'Share', exact: true }).click()
      await page.getByRole('button', { name: '7 days' }).click()
      await page.screenshot({ path: `${shots}/share.png` })
      expectNone('axe', await violations(page))
      await page.getByRole('button', { name: 'Make and copy the link' }).click()
      link = await linkIn(page)
      expectNone('axe', await violations(page))
      await page.screenshot({ path: `${shots}/shared.png` })
      await page.getByRole('button', { name: 'Done' }).click()
      await goTo(page, world.username, 'keys')
      await page.getByRole('link', { name: 'shared link: tx order-1' }).waitFor()
      await page.getByRole('button', { name: 'New key' }).click()
      await page.getByLabel('Name, for people').fill('<b>CI</b>')
      expectNone('axe', await violations(page))
      await page.getByRole('button', { name: 'Make it' }).click()
      await page.getByText('Copy the password now').waitFor()
      await page.screenshot({ path: `${shots}/new-key.png` })
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('link', { name: '<b>CI</b>' }).click()
      await page.getByRole('button', { name: 'Revoke…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
      await page.getByText('The key is revoked.').waitFor()
      await page.getByRole('row', { name: /<b>CI<\/b>.*revoked/ }).waitFor()
    },
  )
  await check('whoever has the link reads and changes nothing', link, wide, async ({ page, complaints }) => {
    await page.getByRole('heading', { name: 'order-1' }).waitFor()
    await until(page, `location.hash.endsWith('/tx/order-1')`)
    await page.getByText('You look with a key that may only read').waitFor()
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(`${request.method()} ${request.url()}`)
    })
    const pages = await page
      .locator('nav#pages a[href^="#"]')
      .evaluateAll((all) => all.map((each) => (each as unknown as { hash: string }).hash))
    for (const hash of [...pages, `#/${world.username}/tx/order-3`, `#/${world.username}/callbacks/3`]) {
      await page.evaluate(
        (to) => ((globalThis as { location?: { hash: string } }).location!.hash = to),
        hash,
      )
      await settled(page)
      await pressAll(page)
      await goTo(page, world.username, 'live')
    }
    expectNone('sent by a key that may only look', sent)
    expectNone('refused by the sandbox', complaints)
    await page.reload()
    await page.getByText('You look with a key that may only read').waitFor()
    const shared = (await world.apiKeys.list()).find(({ name }) => name?.startsWith('shared link'))!
    await world.apiKeys.revoke(shared.username)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.getByText(/is not let in any more/).waitFor()
    await page.screenshot({ path: `${shots}/key-revoked.png` })
    forgive(complaints, /401/)
  })
  await check('a link whose key has ended leads to the sign-in', link, wide, async ({ page, complaints }) => {
    await page.getByText(/The key of this link has ended or was revoked/).waitFor()
    expect('the key is out of the address', !(await page.evaluate<string>('location.hash')).includes('k='))
    forgive(complaints, /401/)
  })
}

/** Presses every button that can be pressed; one that leads to a change says nothing, as it cannot be pressed. */
async function pressAll(page: Page) {
  const buttons = page.locator('main button:enabled')
  for (let n = 0; n < Math.min(await buttons.count(), 30); n++) {
    const button = buttons.nth(n)
    if (!(await button.isVisible())) continue
    const name = await button.evaluate((each) => (each as unknown as { outerHTML: string }).outerHTML)
    await button.click()
    await settled(page)
    const said = await page.getByText(/^This key may only look/).count()
    expect(`${name} is disabled for a key that may only look`, said === 0)
    if ((await page.locator('dialog[open]').count()) > 0) await page.keyboard.press('Escape')
  }
}
