/** Tests that a test number selects an outcome in each field that docs/outcomes.md lists. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { collection, globalPayment, withdrawal } from '../support/requests.ts'
import { startSandbox, type TestWorld } from '../support/sandbox.ts'

const { world } = await startSandbox()

const requests: Readonly<Record<string, readonly ((w: TestWorld) => object)[]>> = {
  '/api/v2/payments': [(w) => collection(w, { phone_number: '0700000044' })],
  '/api/v2/withdraw': [
    (w) => withdrawal(w, { account_number: '0700000044' }),
    (w) => withdrawal(w, { phone_number: '0700000044', account_number: undefined }),
  ],
  '/api/global/payments': [
    (w) => {
      const { payment_config, ...rest } = globalPayment(w)
      return { ...rest, payment_config: { ...payment_config, account_number: '0700000044' } }
    },
  ],
  '/api/v2/account_kycs': [
    () => ({
      account_id: 64,
      entity_type: 'individual',
      contact_information: { phone_number: '0700000102' },
    }),
  ],
}
const table = readFileSync('docs/outcomes.md', 'utf8').split('Country of the number')[1]!
const paths = [...table.split('\n\n')[0]!.matchAll(/^\| `POST (\S+)`/gm)].map(([, path]) => path!)

it('covers every operation of the table', () => {
  expect(paths.sort()).toEqual(Object.keys(requests).sort())
})

it.each(Object.entries(requests).flatMap(([path, bodies]) => bodies.map((body) => [path, body] as const)))(
  'a test number selects the outcome of %s',
  async (path, body) => {
    const w = world()
    const { status, headers } = await w.post(path, body(w))
    expect(status).toBeLessThan(300)
    expect(headers.get('sandbox-scenario')).toBe(
      path.endsWith('kycs') ? 'kyc-rejected' : 'duplicate-callback',
    )
  },
)

it('a test number in customer.phone of a global payment selects nothing', async () => {
  const w = world()
  const customer = { ...globalPayment(w).customer, phone: '254700000044' }
  const { headers } = await w.post('/api/global/payments', globalPayment(w, { customer }))
  expect(headers.get('sandbox-scenario')).toBeNull()
})
