import { expect, it } from 'vitest'
import { startSandbox } from '../support/sandbox.ts'

const { world } = await startSandbox()
const PATH = '/sandbox/certification'
type Check = { readonly id: string; readonly verdict: string; readonly observed: string }

/** A world, and how it pays. */
function shop() {
  const w = world()
  const pay = (external_reference: string) =>
    w.post('/api/v2/payments', {
      amount: 1000,
      phone_number: '0712345678',
      provider: 'm-pesa',
      network_code: '63902',
      external_reference,
      callback_url: w.callback_url,
    })
  const verdicts = async () => {
    const { body } = await w.get(PATH)
    return Object.fromEntries((body.checks as Check[]).map(({ id, verdict }) => [id, verdict]))
  }
  return { ...w, pay, verdicts }
}

it('decides nothing in a new world', async () => {
  const { status, body } = await shop().get(PATH)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    ready: false,
    score: null,
    fix_first: null,
    text: expect.stringMatching(/^Undecided/),
  })
  expect(new Set((body.checks as Check[]).map(({ verdict }) => verdict))).toEqual(new Set(['not_seen']))
  // ONB-10 needs a profile.
  expect(body.checks.length - 1).toBe(body.mandatory.not_seen + body.recommended.not_seen)
})

it('passes checks once a payment was made and its callback accepted', async () => {
  const { pay, settle, verdicts } = shop()
  await pay('order-1')
  await settle()
  expect(await verdicts()).toMatchObject({
    'ONB-1': 'pass',
    'CLI-1': 'pass',
    'RCV-20': 'pass',
    'ONB-2': 'not_seen',
    'RCV-11': 'not_seen',
  })
})

it('lists failures first when two payments share a reference', async () => {
  const { pay, get } = shop()
  await pay('order-1')
  await pay('order-1')
  const { body } = await get(PATH)
  expect(body).toMatchObject({
    ready: false,
    fix_first: 'CLI-1',
    text: 'Not ready: 1 mandatory check fails.',
  })
  expect(body.checks.find(({ id }: Check) => id === 'CLI-1').observed).toBe(
    'All 2 payments have the same external_reference, "order-1".',
  )
})

it('does not evaluate waiting times while the clock is frozen', async () => {
  const { pay, post, verdicts } = shop()
  await pay('order-1')
  for (let n = 0; n < 3; n++) await post('/api/global/transaction-status', { request_id: 'order-1' })
  expect(await verdicts()).toMatchObject({ 'CLI-7': 'not_seen', 'CLI-15': 'not_seen' })
})

it('ignores other worlds, and returns the same to viewers', async () => {
  const mine = shop()
  const other = shop()
  await other.pay('order-1')
  await mine.pay('order-2')
  const [owner, viewer] = [await mine.get(PATH), await mine.viewer.get(PATH)]
  expect(viewer.status).toBe(200)
  expect(viewer.body.checks).toEqual(owner.body.checks)
  expect(owner.body.checks.find(({ id }: Check) => id === 'CLI-1').observed).toMatch(/^1 payments/)
})

it('returns 400 for an unknown parameter', async () => {
  const { status, body } = await shop().get(`${PATH}?only=RCV`)
  expect(status).toBe(400)
  expect(body.error_message).toContain('only')
})
