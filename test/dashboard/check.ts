import { fileURLToPath } from 'node:url'
import { bundleDashboard } from '../../build/dashboard.ts'
import { files } from '../../src/files.ts'
import { dark, narrow, phone, violations, wide } from '../viewer/browser.ts'
import { check, expect, expectNone, fitsTheWidth, result, shots, until } from './checks.ts'
import { playerOf, startSandbox } from './server.ts'
import { checkWire } from './wire.ts'

await bundleDashboard(fileURLToPath(files.dashboard))
const sandbox = await startSandbox()
let worlds = 0
const fresh = () => playerOf(sandbox.origin, `demo+w${++worlds}`)
const at = (world: string, path: string) => `${sandbox.origin}/dashboard#/${world}/${path}`

const shown = fresh()
await shown.fill()
await shown.world.fetch('/api/v2/account_invites', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ organization_id: 1, account_id: 63, email: 'a@example.com', role_id: 4 }),
})
const pages = [
  ['live', 'Live'],
  ['tx', 'Transactions'],
  ['tx/order-1', 'order-1'],
  ['tx/order-3', 'order-3'],
  ['callbacks', 'Callbacks'],
  ['callbacks/3', 'Callback'],
  ['requests', 'Requests'],
  ['requests/req_4', 'payments'],
  ['clock', 'Clock'],
  ['mail', 'Mailbox'],
  ['mail/1', 'Mailbox'],
  ['ledger', 'Ledger'],
  ['scenarios', 'Scenarios'],
  ['scenarios/payer-cancels', 'The payer cancels'],
  ['worlds', 'Worlds'],
] as const

for (const look of [wide, dark(wide), phone, dark(phone), narrow])
  await check(
    `every page opens, ${look.width} px, ${look.colorScheme}`,
    at(shown.world.username, 'live'),
    look,
    async ({ page }) => {
      for (const [path, heading] of pages) {
        await page.evaluate(`location.hash = '#/${shown.world.username}/${path}'`)
        await page.getByRole('heading', { name: heading }).first().waitFor()
        await page.waitForTimeout(300)
        await page.screenshot({
          path: `${shots}/${path.replace('/', '-')}-${look.width}-${look.colorScheme}.png`,
        })
        await fitsTheWidth(page)
        expectNone(`axe on ${path}`, await violations(page))
      }
    },
  )

await check(
  'an empty world says how to begin, and the form pays',
  at('demo+empty', 'live'),
  wide,
  async ({ page }) => {
    await page.getByRole('heading', { name: 'No payment yet' }).waitFor()
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
    await page.screenshot({ path: `${shots}/new-payment.png` })
    expectNone('axe', await violations(page))
    await form.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('link', { name: 'Payment queued' }).waitFor()
    await page.getByText('by-hand').filter({ visible: true }).first().waitFor()
  },
)

const live = fresh()
await check(
  'a payment is on the screen at once, in two windows, and a freeze too',
  at(live.world.username, 'live'),
  wide,
  async ({ page }) => {
    const other = await page.context().newPage()
    await other.goto(at(live.world.username, 'live'))
    for (const each of [page, other]) await each.getByRole('heading', { name: 'No payment yet' }).waitFor()
    const begun = Date.now()
    const seen = [page, other].map((each) =>
      each
        .getByText('quick-1')
        .filter({ visible: true })
        .first()
        .waitFor()
        .then(() => Date.now() - begun),
    )
    await live.pay('quick-1')
    const took = await Promise.all(seen)
    // The first window is behind the second now, and draws four times a second.
    console.log(
      `      seen after ${took[1]} ms, behind it after ${took[0]} ms; 300 ms are meant on a quiet machine`,
    )
    expect(`it took ${took} ms`, Math.max(...took) < 5_000)
    const streams = Number((await live.world.show()).budget?.find(({ name }) => name === 'streams')?.used)
    expect(`both read one stream (${streams})`, streams === 1)
    await page.keyboard.press('f')
    for (const each of [page, other]) await each.getByText(/Time stands still at/).waitFor()
    await page.close()
    await live.pay('quick-2')
    await other.getByText('quick-2').filter({ visible: true }).first().waitFor()
    await live.world.reset()
    await other.getByRole('heading', { name: 'No payment yet' }).waitFor()
  },
)

const busy = fresh()
await check(
  'a thousand events at once leave few rows, and the list its place',
  at(busy.world.username, 'live'),
  wide,
  async ({ page }) => {
    await page.getByRole('heading', { name: 'No payment yet' }).waitFor()
    for (let n = 0; n < 15; n++)
      await Promise.all(Array.from({ length: 20 }, (_, m) => busy.pay(`many-${n * 20 + m}`)))
    await page.getByText('many-299').filter({ visible: true }).first().waitFor()
    const rows: number = await page.evaluate(`document.querySelectorAll('tbody tr').length`)
    expect(`the document has ${rows} rows`, rows <= 200)
    await page.evaluate(`document.querySelector('main').scrollTop = 8000`)
    await page.waitForTimeout(300)
    const middle = `[...document.querySelectorAll('tbody tr[data-key]')].find((row) => row.getBoundingClientRect().top > innerHeight / 2)?.dataset.key`
    const before = await page.evaluate<string>(middle)
    await busy.pay('one-more')
    await page.waitForTimeout(600)
    const after = await page.evaluate<string>(middle)
    expect(`who reads goes on reading (${before}, then ${after})`, before === after)
  },
)

await check('by keyboard alone', at(shown.world.username, 'live'), wide, async ({ page }) => {
  const open = (hash: RegExp) => until(page, `${hash}.test(location.hash)`)
  await page.getByRole('link', { name: 'Paid' }).first().waitFor()
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
})

const hostile = fresh()
const names = [
  '<img src=x onerror=alert(1)>',
  `"'--><script>x</script>`,
  '‮txet desrever',
  '💸'.repeat(12),
  'a​b',
  'x'.repeat(60),
]
for (const name of names) await hostile.pay(name)
await check(
  'hostile names are shown as text',
  at(hostile.world.username, 'live'),
  phone,
  async ({ page }) => {
    for (const path of ['live', 'tx', 'requests', `tx/${encodeURIComponent(names[0]!)}`]) {
      await page.evaluate(
        (hash) => ((globalThis as { location?: { hash: string } }).location!.hash = hash),
        `#/${hostile.world.username}/${path}`,
      )
      await page.waitForTimeout(500)
      await fitsTheWidth(page)
      expect('nothing of it is markup', (await page.locator('main img, main script').count()) === 0)
    }
  },
)

await check(
  'a wrong password is asked for again',
  at('demo+other', 'live'),
  wide,
  async ({ page, complaints }) => {
    await page.getByRole('button', { name: 'World' }).waitFor()
    await page.evaluate(`location.hash = '#/nobody/live'`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expectNone('axe', await violations(page))
    await page.screenshot({ path: `${shots}/sign-in.png` })
    await page.getByLabel('API username').fill('demo+other')
    await page.getByLabel('API password').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText(/does not know this username/).waitFor()
    await page.getByLabel('API password').fill('demo')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Live' }).waitFor()
    // What the browser says of a 401 is what was tried.
    ;(complaints as string[]).splice(0, complaints.length, ...complaints.filter((each) => !/401/.test(each)))
  },
)

await checkWire(sandbox.origin)

let fragile = await startSandbox()
await check(
  'a sandbox that starts again is gone on with',
  `${fragile.origin}/dashboard#/demo/live`,
  wide,
  async ({ page, complaints }) => {
    const { origin, port } = fragile
    await playerOf(origin, 'demo').pay('before')
    await page.getByText('before').filter({ visible: true }).first().waitFor()
    await fragile.close()
    await page.getByText(/The sandbox does not answer/).waitFor()
    await page.screenshot({ path: `${shots}/not-connected.png` })
    fragile = await startSandbox({ PORT: String(port) })
    await page.getByRole('heading', { name: 'No payment yet' }).waitFor()
    await playerOf(origin, 'demo').pay('after')
    await page.getByText('after,').filter({ visible: true }).first().waitFor()
    expect('it is there once', (await page.getByText('Payment queued').count()) === 1)
    ;(complaints as string[]).splice(0, complaints.length, ...complaints.filter((each) => !/ERR_/.test(each)))
  },
)

await fragile.close()
await sandbox.close()
process.exit(result())
