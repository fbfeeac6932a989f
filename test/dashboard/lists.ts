import type { Page } from 'playwright-core'
import { phone, type Look } from '../viewer/browser.ts'
import {
  at,
  check,
  expect,
  expectNone,
  fitsTheWidth,
  goTo,
  settled,
  shots,
  type Subject,
  until,
} from './checks.ts'
import { playerOf, type Sandbox } from './server.ts'

/** Widths that lists are checked at; the last one is a window of 1,440 pixels at a zoom of 200 %. */
const looks: readonly Look[] = [
  { width: 320, height: 640, colorScheme: 'light' },
  phone,
  { width: 1_024, height: 768, colorScheme: 'dark' },
  { width: 1_440, height: 900, colorScheme: 'light' },
  { width: 720, height: 450, colorScheme: 'light' },
]

const lists = [
  'tx',
  'callbacks',
  'requests',
  'kyc',
  'mail',
  'teams',
  'jobs',
  'keys',
  'inbox',
  'phone',
  'ledger',
]

/** In the page: cells that are cut although their column lasts, and rows of another height than the table computes with. */
const faults = `(() => {
  const table = document.querySelector('main table.rows')
  if (!table) return ['no table']
  const card = table.closest('.card').getBoundingClientRect()
  const height = table.classList.contains('stacked') ? 58 : 40
  return [...table.querySelectorAll('tbody tr[data-key]')].flatMap((row) => [
    ...(Math.abs(row.getBoundingClientRect().height - height) > 0.5 ? ['height ' + row.getBoundingClientRect().height] : []),
    ...[...row.querySelectorAll('.pill, time, td.right, td.right .num')].flatMap((cell) => {
      const { left, right, width } = cell.getBoundingClientRect()
      const isCut = left < card.left || right > card.right + 0.5 || cell.scrollWidth > cell.clientWidth + 1 && cell.clientWidth > 0
      return width > 0 && isCut ? ['cut: ' + cell.textContent] : []
    }),
  ])
})()`

const linesIn = (page: Page) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('main table.rows tbody tr[data-key] a')].map((each) => each.textContent)`,
  )

/** A world with a history of 10,000 payments, and some of today. */
async function busyWorld({ origin }: Sandbox) {
  const owner = playerOf(origin, 'demo')
  const answer = await owner.world.fetch('/sandbox/worlds', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'Busy',
      populate: { teams: 12, members: 20, transactions: 10_000, days: 60, seed: 3 },
    }),
  })
  const { world, credentials } = (await answer.json()) as {
    world: { id: string }
    credentials: { username: string; password: string }
  }
  const player = playerOf(origin, credentials.username, credentials.password)
  const teams = await player.world.teams.list()
  const account_id = teams.find(({ country }) => country === 'KE')!.id
  const url = await player.world.inbox.url()
  for (let n = 0; n < 12; n++)
    await player.pay(`order-${n}`, {
      account_id,
      phone_number: n % 4 === 0 ? '0700000002' : '0712345678',
      callback_url: n % 3 === 0 ? 'http://127.0.0.1:9/callback' : url,
    })
  await player.pay('order-bad', { account_id, amount: 'ten' })
  await player.world.clock.advance('10s')
  const { transactions: old } = (await (
    await player.world.fetch('/sandbox/transactions?limit=1&before=4000')
  ).json()) as {
    transactions: readonly { external_reference: string }[]
  }
  return { id: world.id, old: old[0]!.external_reference, ...credentials }
}

async function stories(sandbox: Sandbox) {
  const busy = await busyWorld(sandbox)
  const keys = JSON.stringify({ [busy.id]: { username: busy.username, password: busy.password } })
  const prepare = {
    prepare: (context: { addInitScript: (script: string) => Promise<unknown> }) =>
      context.addInitScript(`sessionStorage.setItem('payments-sandbox:keys', ${JSON.stringify(keys)})`),
  }
  for (const look of looks)
    await check(
      `lists of a world with 10,000 payments cut nothing that matters at ${look.width} pixels`,
      at(sandbox.origin, busy.id, 'tx'),
      look,
      async ({ page }) => {
        for (const list of lists) {
          await goTo(page, busy.id, list)
          await page.locator('main table.rows tr[data-key]').first().waitFor()
          await settled(page)
          expectNone(`${list} at ${look.width}`, await page.evaluate<string[]>(faults))
          await page.screenshot({ path: `${shots}/busy-${list}-${look.width}.png` })
          await fitsTheWidth(page)
          await settled(page)
          expectNone(`${list} at ${look.width}, at its end`, await page.evaluate<string[]>(faults))
        }
      },
      prepare,
    )
  await check(
    'search, filters and counts of a list reach what is not loaded',
    at(sandbox.origin, busy.id, 'tx'),
    { width: 1_440, height: 900, colorScheme: 'light' },
    async ({ page }) => {
      await page.getByText('10,012 payments').waitFor()
      const search = page.getByRole('searchbox')
      await search.fill('0712 345 678')
      await until(page, `document.querySelectorAll('mark').length >= 9`)
      expect(
        'dialled numbers are found',
        (await linesIn(page)).every((line) => line.startsWith('order-')),
      )
      await search.fill(busy.old)
      await page.getByRole('row', { name: busy.old }).first().waitFor()
      await search.fill('no such reference')
      await page.getByRole('heading', { name: 'No payments match' }).waitFor()
      await page.getByRole('button', { name: 'Show all payments' }).click()
      await page.getByRole('link', { name: 'Reversed' }).click()
      await page
        .getByRole('row', { name: /REVERSED/ })
        .first()
        .waitFor()
      await settled(page)
      expect(
        'only reversed ones are listed',
        (await page.locator('tbody .pill', { hasText: /^SUCCESS$/ }).count()) === 0,
      )
    },
    prepare,
  )
}

export const busyLists: Subject = { stories }
