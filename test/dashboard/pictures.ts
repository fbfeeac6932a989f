/**
 * `npm run pictures` takes the pictures of the README. The clock is frozen and the seed fixed, so that every run shows
 * the same.
 */
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bundleDashboard } from '../../build/dashboard.ts'
import { files } from '../../src/lib/files.ts'
import { dark, wide } from '../viewer/browser.ts'
import { at, check, expect, result, settled } from './checks.ts'
import { playerOf, startSandbox } from './server.ts'

const folder = 'docs/pictures'
const MOST = 150 * 1_024
mkdirSync(folder, { recursive: true })
await bundleDashboard(fileURLToPath(files.dashboard))
const sandbox = await startSandbox({ PORT: '18080', SANDBOX_SEED: '7' })
const { world, pay } = playerOf(sandbox.origin, 'demo')

await world.clock.freeze()
await world.clock.advance(new Date('2027-03-09T08:30:00Z'))
const callback_url = await world.inbox.url('shop')
const sold = [
  ['order-1041', '0712345678', 1_250],
  ['order-1042', '0722000111', 480],
  ['order-1043', '0700000002', 2_300],
  ['order-1044', '0733456789', 99],
  ['order-1045', '0712345678', 15_400],
] as const
for (const [reference, phone_number, amount] of sold) {
  await pay(reference, { phone_number, amount, callback_url })
  await world.clock.advance('2m10s')
}
await world.inbox.respond([500, 503, 200], 'shop')
await pay('order-1046', { phone_number: '0745678901', amount: 3_600, callback_url })
await world.clock.advance('3m')
await pay('order-1047', { amount: 'ten', callback_url })
await pay('order-1048', { phone_number: '0712345678', amount: 720, callback_url })

/** Fixes the values that differ between runs: durations, and the difference between world time and real time. */
const steady = `const parse = JSON.parse
JSON.parse = (text, reviver) => parse(text, reviver ?? function (key, value) {
  return key === 'duration_ms' && typeof value === 'number' ? 6 : key === 'real_time' ? this.now : value
})
const json = Response.prototype.json
Response.prototype.json = async function () { return JSON.parse(await this.text()) }`

for (const look of [{ ...wide, width: 1200, height: 675 }].flatMap((each) => [each, dark(each)]))
  await check(
    `picture, ${look.colorScheme}`,
    at(sandbox.origin, 'demo', 'tx/order-1046'),
    look,
    async ({ page }) => {
      await page.getByRole('heading', { name: 'order-1046' }).filter({ visible: true }).first().waitFor()
      await settled(page)
      const { byteLength } = await page.screenshot({ path: `${folder}/transaction-${look.colorScheme}.png` })
      expect(`the picture has ${byteLength} bytes`, byteLength <= MOST)
    },
    {
      context: { timezoneId: 'UTC', locale: 'en-GB' },
      prepare: (context) => context.addInitScript({ content: steady }),
    },
  )

await sandbox.close()
process.exit(await result())
