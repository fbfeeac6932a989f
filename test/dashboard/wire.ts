import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { violations, wide } from '../viewer/browser.ts'
import {
  at,
  check,
  expect,
  expectNone,
  forgive,
  goTo,
  settled,
  shots,
  type Subject,
  until,
} from './checks.ts'
import type { Sandbox } from './server.ts'

/** What goes over the wire: inboxes, signatures, callbacks, requests, and the work that is owed. */
export const wire: Subject = {
  async fill(player) {
    const { world, pay } = player
    const callback_url = await world.inbox.url('shop')
    await world.inbox.respond([500, 500, 200], 'shop')
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
    { path: 'callbacks?text=shop', heading: 'Callbacks' },
    { path: 'requests?text=order', heading: 'Requests' },
    { path: 'requests/req_1', heading: 'Why' },
  ],
  async stories(sandbox) {
    await thrice(sandbox)
    await mistakes(sandbox)
    await again(sandbox)
    await bulk(sandbox)
    await jobs(sandbox)
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
      await page.getByText('500, next').waitFor()
      await pay('thrice', { callback_url: await world.inbox.url('shop') })
      await world.clock.advance('5s')
      await until(page, `document.querySelectorAll('tbody tr[data-key]').length === 2`)
      await page.getByText('200, next').waitFor()

      await goTo(page, world.username, 'tx/thrice')
      await page.locator('.mark.planned', { hasText: 'attempt 3' }).waitFor()
      await settled(page)
      expectNone('axe', await violations(page))
      await page.screenshot({ path: `${shots}/planned.png` })

      await goTo(page, world.username, 'callbacks/1')
      await page.getByText('Attempt 2').waitFor()
      await page.getByText(/^in \d/).waitFor()
      await settled(page)
      expectNone('axe', await violations(page))
      await page.screenshot({ path: `${shots}/callback-waits.png` })
      await page.getByRole('button', { name: 'Advance to it' }).click()
      await page.getByText('Attempt 3').waitFor()
      await page.locator('.of-thing').getByText('delivered').waitFor()
      await page.getByText(/^The clock is at/).waitFor()
      await page.keyboard.press('r')
      // Time stands still, so it is due until somebody says so.
      await page.locator('.of-thing').getByRole('button', { name: 'Run what is due' }).click()
      await page.getByText('Attempt 4').waitFor()

      await goTo(page, world.username, 'inbox/shop')
      await until(page, `document.querySelectorAll('tbody tr[data-key]').length === 4`)
      await page.getByRole('link', { name: 'thrice, success' }).first().click()
      await page.getByRole('heading', { name: 'Message 4' }).waitFor()
      await page.getByText('signature holds').first().waitFor()
      await page.keyboard.press('Escape')
      await until(page, `/inbox.shop$/.test(decodeURIComponent(location.hash))`)
    },
  )
}

/** What each callback that is wrong on purpose is found to be. */
const found = {
  tampered: 'body-changed',
  'wrong-secret': 'wrong-secret',
  stale: 'stale',
  future: 'future',
  unsigned: 'missing-header',
  'malformed-signature': 'malformed-signature',
  'truncated-body': 'body-changed',
} as const

async function mistakes(sandbox: Sandbox) {
  const { world, pay } = sandbox.fresh()
  const url = await world.inbox.url('wrong')
  await pay('wrong', { callback_url: url })
  await world.settle()
  for (const fault of Object.keys(found) as (keyof typeof found)[]) {
    await world.callbacks.fire({ reference: 'wrong', url, fault })
    await world.clock.advance('1s')
  }
  await check(
    'the doctor names the mistake of each callback that is wrong on purpose',
    at(sandbox.origin, world.username, 'doctor'),
    wide,
    async ({ page }) => {
      for (const [n, code] of Object.values(found).entries()) {
        await goTo(page, world.username, `doctor?inbox=wrong&message=${n + 2}`)
        await page.getByText(`Message ${n + 2} of inbox wrong`).waitFor()
        await page.getByRole('list', { name: 'Mistakes' }).getByText(code, { exact: true }).waitFor()
      }
      await settled(page)
      await page.screenshot({ path: `${shots}/doctor-mistake.png` })
      await page.getByRole('link', { name: 'Another' }).click()
      await page.getByRole('heading', { name: 'Nothing checked yet' }).waitFor()
      await page.getByLabel('Received headers').fill('no header')
      await page.getByRole('button', { name: 'Examine' }).click()
      await page.getByText(/got: no header/).waitFor()
    },
  )
}

async function again(sandbox: Sandbox) {
  const { world, pay } = sandbox.fresh()
  await pay('copied', { amount: 'ten' })
  await pay('other')
  await check(
    'a request copied as curl is answered the same, is sent again, and begins a scenario',
    at(sandbox.origin, world.username, 'requests/req_1'),
    wide,
    async ({ page, complaints }) => {
      await page.getByRole('button', { name: 'Copy as curl' }).waitFor()
      await page.keyboard.press('c')
      await until(page, `typeof copied === 'string'`)
      const curl = await page.evaluate<string>('copied')
      const { stdout } = await promisify(execFile)('sh', ['-c', `${curl} -s`])
      const answer: unknown = JSON.parse(stdout)
      const { response: first } = await world.requests.get('req_1')
      expect(`the same comes (${curl})`, JSON.stringify(answer) === JSON.stringify(first))

      await page.getByRole('button', { name: 'Send again' }).click()
      await until(page, `/req_4$/.test(location.hash)`)
      const { response: second } = await world.requests.get('req_4')
      expect('and once more', JSON.stringify(second) === JSON.stringify(first))
      forgive(complaints, /400/)

      await page.getByRole('searchbox', { name: /^Search in paths/ }).fill('COPIED')
      await until(page, `document.querySelectorAll('tbody tr[data-key]').length === 3`)
      await goTo(page, world.username, 'requests/req_2')
      await page.getByText('201').first().waitFor()
      await settled(page)
      // Keys are off while somebody types.
      await page.getByRole('heading', { name: 'Why' }).click()
      await page.keyboard.press('e')
      await until(page, `document.querySelector('.why details')?.open === true`)
      await settled(page)
      expectNone('axe', await violations(page))
      await page.getByRole('button', { name: 'Create a scenario from it' }).click()
      await until(page, `/scenarios.new$/.test(location.hash)`)
      await page
        .getByText(/Created from req_2/)
        .first()
        .waitFor()
    },
    {
      prepare: (context) =>
        context.addInitScript(`navigator.clipboard.writeText = async (text) => { globalThis.copied = text }`),
    },
  )
}

async function bulk(sandbox: Sandbox) {
  const { world, pay } = sandbox.fresh()
  await world.inbox.respond([410], 'gone')
  const callback_url = await world.inbox.url('gone')
  for (const n of [1, 2, 3]) await pay(`gone-${n}`, { callback_url })
  await world.settle()
  await check(
    'all callbacks that were given up are sent again at once',
    at(sandbox.origin, world.username, 'callbacks?state=failed'),
    wide,
    async ({ page }) => {
      const resend = page.getByRole('button', { name: 'Resend 3 failing' })
      await resend.waitFor()
      await world.inbox.respond([200], 'gone')
      await resend.click()
      await page.getByRole('heading', { name: 'No callbacks match' }).waitFor()
      await page.getByRole('button', { name: /Show all/ }).click()
      await until(page, `document.querySelectorAll('tbody .pill.good').length === 3`)
      await page.getByLabel(/^Search by address/).fill('gone-2')
      await until(page, `document.querySelectorAll('tbody tr[data-key]').length === 1`)
    },
  )
}

async function jobs(sandbox: Sandbox) {
  const { world, pay } = sandbox.fresh()
  await world.clock.freeze()
  await pay('owed')
  await check(
    'what is owed is listed, and the clock goes on to it',
    at(sandbox.origin, world.username, 'jobs'),
    wide,
    async ({ page }) => {
      await page.getByText('Settle', { exact: false }).first().waitFor()
      await page.getByRole('button', { name: 'Advance to it' }).click()
      await page.getByRole('heading', { name: 'No pending jobs' }).waitFor()
    },
  )
}
