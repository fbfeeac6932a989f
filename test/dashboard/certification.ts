import { violations, wide } from '../viewer/browser.ts'
import { at, check, expect, expectNone, forgive, settled, shots, type Subject } from './checks.ts'
import type { Sandbox } from './server.ts'

/** What an integration has proved, while it does. */
export const certification: Subject = {
  looks: [
    { path: 'certification', heading: 'Certification' },
    { path: 'certification/RCV-11', heading: 'Processes ten simultaneous copies once' },
    { path: 'fidelity', heading: 'Fidelity' },
  ],
  async stories(sandbox) {
    await provedLive(sandbox)
    await learnedFromFiles(sandbox)
  },
}

const file = (name: string, content: unknown) => ({
  name,
  mimeType: 'application/json',
  buffer: Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)),
})

async function learnedFromFiles({ fresh, origin }: Sandbox) {
  const { world } = fresh()
  const recording = {
    log: {
      entries: [
        {
          startedDateTime: '2026-06-30T00:44:53Z',
          request: {
            method: 'GET',
            url: 'https://api.example/api/v2/payment_channels?per=none',
            headers: [{ name: 'authorization', value: 'Basic [redacted 1]' }],
          },
          response: {
            status: 400,
            headers: [],
            content: {
              mimeType: 'application/json',
              text: '{"error_code":"invalid_argument","error_message":"not found by this service","status_code":400}',
            },
          },
        },
      ],
    },
  }
  const difference = {
    operation: 'createCollection',
    place: '201',
    field: '<b>status</b>',
    sandbox: 'QUEUED',
    service: 'PENDING',
    seen: 3,
    of: 12,
    entries: [1],
    point: null,
    provenance: 'assumed',
  }
  const report = {
    kind: 'comparison',
    file: 'session.har',
    sha256: '',
    entries: 14,
    requests: 12,
    callbacks: 2,
    skipped: 0,
    provenance: { assumed: 222, confirmed: 5, contradicted: 1, not_seen: 216 },
    differences: [
      { ...difference, kind: 'value', severity: 'breaking' },
      { ...difference, kind: 'message', severity: 'cosmetic', field: 'message' },
    ],
    notes: [],
  }
  const overlay = (operation: string) =>
    `observed: 2026-11-23\nevidence: { file: a.har, entries: 2, sha256: a }\noperations:\n  ${operation}: { callback: { remove: [status], seen: 3 } }\n`
  await check(
    'a comparison is shown by severity, and an overlay is applied to the world and removed',
    at(origin, world.username, 'fidelity'),
    wide,
    async ({ page, complaints }) => {
      const open = (...of: Parameters<typeof file>) =>
        page.getByLabel('A comparison, a recording or an overlay').setInputFiles(file(...of))
      await open('none.har', '{"log":{"entries":[\n{"a":}]}}')
      await page.getByText('none.har:2:1: entry 0: Unexpected').waitFor()
      forgive(complaints, /400/)
      const text = JSON.stringify(JSON.stringify(recording))
      await page.evaluate(`
        const dataTransfer = new DataTransfer()
        dataTransfer.items.add(new File([${text}], 'my.har', { type: 'application/json' }))
        document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
      `)
      await page.getByText('1 difference', { exact: true }).waitFor()
      await page.getByText('listPaymentChannels').waitFor()
      await page.getByRole('button', { name: 'Learn' }).click()
      await page.getByText('not found by this service').waitFor()
      await settled(page)
      expectNone('axe', await violations(page))
      await page.screenshot({ path: `${shots}/fidelity-learned.png` })
      await page.getByRole('button', { name: 'Apply to this world' }).click()
      await page.getByRole('heading', { name: 'No differences' }).waitFor()
      await open('report.json', report)
      await page.getByText('2 differences').waitFor()
      await page.getByText('222: 5 confirmed, 1 contradicted, 216 not seen').waitFor()
      await page.getByText('<b>status</b>').waitFor()
      await page.getByText('3 of 12').first().waitFor()
      await settled(page)
      expectNone('axe', await violations(page))
      await page.screenshot({ path: `${shots}/fidelity.png` })
      await page.getByRole('link', { name: 'Cosmetic' }).click()
      await page.getByText('1 difference', { exact: true }).waitFor()
      await open('observed.yaml', overlay('createColection'))
      await page.getByText('did you mean createCollection?').waitFor()
      forgive(complaints, /400/)
      await open('observed.yaml', overlay('createCollection'))
      await page.getByText('operations createCollection callback').waitFor()
      await page.getByText('seen 3 times').waitFor()
      expect('the world follows it', (await world.show()).settings.observed.includes('status'))
      await page.getByRole('button', { name: 'Remove' }).click()
      await page.getByText('follows no overlay.').last().waitFor()
    },
  )
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
      await page.getByText('1 request, 1 payment not made by the shop.').waitFor()
      await pay('<b>order</b>-1')
      await page.getByText('not ready', { exact: true }).waitFor()
      await page.getByRole('link', { name: 'Gives each payment a unique reference' }).first().click()
      const open = page.getByLabel('Open item')
      await open.getByText('All 2 payments have the same external_reference').waitFor()
      await open.getByText('failed', { exact: true }).waitFor()
      await settled(page)
      expectNone('axe', await violations(page))
      await page.screenshot({ path: `${shots}/certification-check.png` })
      await page.goto(at(origin, world.username, 'certification/RCV-99'))
      await page.getByRole('heading', { name: 'Check RCV-99 not found' }).waitFor()
    },
  )
}
