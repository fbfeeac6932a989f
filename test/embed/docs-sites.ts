/** Docs sites with three embeds each, as their generators make them, in Chromium. */
import { mkdirSync } from 'node:fs'
import { get } from 'node:http'
import { desktop, phone, violations, visit, type Look, type Visit } from '../viewer/browser.ts'
import { startSandbox } from '../viewer/pages.ts'
import { built, type DocsSite, installed, sites, startHost } from './sites.ts'

const shots = 'test-output/docs-sites'
mkdirSync(shots, { recursive: true })

const names = process.argv.slice(2)
const all = names.includes('--full')
const wanted = sites.filter(({ name, heavy }) => all || (names.length === 0 ? !heavy : names.includes(name)))
const hosts = new Map(await Promise.all(wanted.map(async ({ name }) => [name, await startHost()] as const)))
const sandbox = await startSandbox({
  SANDBOX_CORS_ORIGINS: [...hosts.values()].map(({ origin }) => origin).join(','),
  SANDBOX_SETTLE_AFTER: '300ms',
})
let failed = 0

const seconds = (from: number) => `${((performance.now() - from) / 1_000).toFixed(0)} s`

/** Bytes that the embeds may bring to a page, as they are sent. */
const MOST = 100 * 1_024

function expect(what: string, holds: boolean) {
  if (!holds) throw new Error(`not so: ${what}`)
}

/** Records what moves on a page, and when a reader waits for the result of a press, which moves what is below it. */
const watchShifts = `globalThis.shifts = []
globalThis.waits = []
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, startTime } of list.getEntries()) if (!hadRecentInput) shifts.push({ value, startTime })
}).observe({ type: 'layout-shift', buffered: true })`
const pressed = 'void waits.push([performance.now(), Infinity])'
const answered = 'void (waits.at(-1)[1] = performance.now() + 500)'
const moved = `shifts
  .filter(({ startTime }) => !waits.some(([from, to]) => startTime >= from && startTime <= to))
  .reduce((sum, { value }) => sum + value, 0)`

/** Bytes of a file as it is sent to who takes gzip. */
const sentSize = (url: string) =>
  new Promise<number>((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': 'gzip' } }, (answer) => {
      let bytes = 0
      answer.on('data', (piece: Buffer) => (bytes += piece.length)).on('end', () => resolve(bytes))
    }).on('error', reject)
  })

async function reads({ page, complaints, strangers }: Visit, { name }: DocsSite, look: Look) {
  page.setDefaultTimeout(60_000)
  const asked = new Set<string>()
  page.on('request', (request) => {
    const url = request.url()
    if (url.startsWith(`${sandbox.origin}/docs/`)) asked.add(url)
  })
  await page.reload()
  await page.evaluate(watchShifts)
  const embeds = page.locator('payments-sandbox')
  expect('three embeds', (await embeds.count()) === 3)
  await page.screenshot({ path: `${shots}/${name}-${look.width}.png` })
  const tab = page.getByRole('tab', { name: 'Try it' })
  await tab.waitFor()
  await tab.scrollIntoViewIfNeeded()
  await tab.click()
  expect(
    'the attribute is in the form',
    (await page.getByRole('textbox', { name: 'amount' }).inputValue()) === '250',
  )
  await page.evaluate(pressed)
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('The callback has arrived').waitFor()
  await page.evaluate(answered)
  await page.screenshot({ path: `${shots}/${name}-${look.width}-sent.png` })
  await page.getByRole('heading', { name: 'Numbers to test with' }).scrollIntoViewIfNeeded()
  await page.evaluate(pressed)
  await page.getByRole('button', { name: 'See it happen' }).click()
  await embeds.nth(1).getByText('Request Cancelled by user').waitFor()
  await page.evaluate(answered)
  await embeds.last().scrollIntoViewIfNeeded()
  await embeds.nth(2).getByText('254700000003').waitFor()
  await page.screenshot({ path: `${shots}/${name}-${look.width}-parts.png` })
  const sizes = await Promise.all([...asked].map((url) => sentSize(url)))
  const bytes = sizes.reduce((sum, each) => sum + each, 0)
  const shift = await page.evaluate<number>(moved)
  console.log(
    `      ${name}, ${look.width} px: ${(bytes / 1_024).toFixed(1)} KB of the sandbox, layout shift ${shift.toFixed(3)}`,
  )
  expect(`${bytes} bytes of the sandbox`, bytes > 10_000 && bytes < MOST)
  expect(`layout shift ${shift}`, shift < 0.1)
  const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  expect(`the page does not scroll sideways (${wide} px)`, wide <= 0)
  const own = (await violations(page)).filter((each) => each.includes('payments-sandbox'))
  expect(`axe: ${own.join('\n')}`, own.length === 0)
  expect(`no message of the browser: ${complaints.join('\n')}`, complaints.length === 0)
  expect(`nothing from elsewhere: ${strangers.join('\n')}`, strangers.length === 0)
}

async function look(site: DocsSite) {
  const host = hosts.get(site.name)!
  let began = performance.now()
  let folder
  try {
    folder = await installed(site)
  } catch (error) {
    return console.log(`skip  ${site.name} could not be installed: ${String(error).slice(0, 500)}`)
  }
  const took = seconds(began)
  began = performance.now()
  host.show(await built(site, folder, sandbox.origin))
  console.log(`      ${site.name}: installed in ${took}, built in ${seconds(began)}`)
  for (const each of [desktop, phone])
    await visit(host.origin, each, [host.origin, sandbox.origin], (opened) => reads(opened, site, each))
  console.log(`ok    ${site.name}`)
}

for (const site of wanted)
  await look(site).catch((error: unknown) => {
    failed += 1
    console.log(`FAIL  ${site.name}\n      ${String(error).replaceAll('\n', '\n      ')}`)
  })

await sandbox.close()
for (const { close } of hosts.values()) close()
console.log(failed === 0 ? 'every site shows its embeds' : `${failed} failed`)
process.exit(failed === 0 && wanted.length > 0 ? 0 : 1)
