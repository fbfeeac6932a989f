import { expect, it } from 'vitest'
import type { Ledger } from '../../src/generated/control/types.ts'
import { started } from '../cli/process.ts'
import { checkCallback } from '../support/contract.ts'
import { ask, startProcess } from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'
import { collection, withdrawal } from '../support/requests.ts'

it.each([
  { shape: 'flat', check: { success: true, status: 'success', external_reference: 'order-1', amount: 1000 } },
  { shape: 'nested', check: { status: true, response: { ResultCode: 0, ExternalReference: 'order-1' } } },
])(
  'a first payment is accepted, settles, and is called back in the $shape shape',
  async ({ shape, check }) => {
    const receiver = await startReceiver()
    const server = await startProcess({ SANDBOX_SETTLE_AFTER: '50ms', SANDBOX_CALLBACK_SHAPE: shape })
    const callback_url = `${receiver.url}/hook?order=1`
    const answer = await ask(server, 'POST', '/api/v2/payments', collection({ callback_url }))
    expect(answer).toMatchObject({ status: 201, body: { status: 'QUEUED', external_reference: 'order-1' } })

    const [arrival] = await receiver.until('the callback', (all) => all.length === 1)
    checkCallback(arrival!.body)
    expect(arrival).toMatchObject({ path: '/hook?order=1', body: check })
    expect(arrival!.headers['content-type']).toBe('application/json')

    const request_id = answer.body.reference
    const status = await ask(server, 'POST', '/api/global/transaction-status', { request_id })
    expect(status).toMatchObject({ status: 200, body: { status: 'success', reference: request_id } })
  },
)

it('the first screen shows the address, the credentials and the Teams of the default world', async () => {
  const { printed, base } = await started([], { PORT: '0' })
  for (const shown of [base, 'demo:demo', 'viewer:viewer', '63 KES 100,000.00', '65 TZS'])
    expect(printed.out).toContain(shown)
})

const HALF = 500
const COLLECTED = 100
const PAID = 400

it(
  '1,000 payments at once in one world: all settle once, are called back once, and no cent is lost',
  { timeout: 60_000 },
  async () => {
    const receiver = await startReceiver()
    const server = await startProcess({ SANDBOX_SETTLE_AFTER: '0', LOG_LEVEL: 'warn' })
    const callback_url = `${receiver.url}/hook`
    const requests = Array.from({ length: HALF }, (_, n) => [
      ask(server, 'POST', '/api/v2/payments', {
        ...collection({ callback_url }),
        amount: COLLECTED,
        external_reference: `in-${n}`,
      }),
      ask(server, 'POST', '/api/v2/withdraw', {
        ...withdrawal({ callback_url }),
        amount: PAID,
        external_reference: `out-${n}`,
      }),
    ]).flat()
    const answers = await Promise.all(requests)
    const accepted = answers.filter(({ status }) => status < 300)
    const refused = answers.filter(({ status }) => status >= 300)
    // The wallet has 100,000.00: it cannot pay 500 times 404.62.
    expect(refused.length).toBeGreaterThan(0)
    for (const { status, body } of refused) {
      expect(status).toBe(400)
      expect(body.error_message).toMatch(/^insufficient balance: the wallet of account 63 has KES/)
    }
    const collected = accepted.filter(({ status }) => status === 201).length
    const paid = accepted.length - collected
    expect(collected).toBe(HALF)

    const arrivals = await receiver.until(
      `${accepted.length} callbacks`,
      (all) => all.length >= accepted.length,
    )
    const references = accepted.map(({ body }) => (body.reference ?? body.merchant_reference) as string)
    await expectSettledOnce(server, references)
    // A callback too many would have come before the ledger was read to its end.
    expect(arrivals.map(({ body }) => body.reference).sort()).toEqual(references.sort())

    const { body } = await ask(server, 'GET', '/sandbox/ledger?limit=1')
    expect(body.balanced).toBe(true)
    const { balances } = body as unknown as Ledger
    for (const { account, balance } of balances)
      expect(account.startsWith('outside:') || balance >= 0, account).toBe(true)
    const balanceOf = (account: string) => balances.find((each) => each.account === account)?.balance
    expect(balanceOf('team:63:wallet:KES')).toBeCloseTo(
      100_000 + collected * (COLLECTED - 4.62) - paid * (PAID + 4.62),
      2,
    )
    expect(balanceOf('team:63:in_transit:KES')).toBe(0)
  },
)

/** Reads the whole ledger: each of the transactions has exactly one posting that makes it final. */
async function expectSettledOnce(server: { url: string }, references: readonly string[]) {
  const finals: string[] = []
  for (let before: number | null = Number.MAX_SAFE_INTEGER; before !== null;) {
    const { body } = await ask(server, 'GET', `/sandbox/ledger?limit=1000&before=${before}`)
    const { postings, next_before } = body as unknown as Ledger
    for (const { kind, transaction } of postings)
      if (['collection', 'payout'].includes(kind)) finals.push(transaction!)
    before = next_before
  }
  expect(finals.sort()).toEqual(references.toSorted())
}
