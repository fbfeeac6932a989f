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
