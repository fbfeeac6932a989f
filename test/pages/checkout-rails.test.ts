import { describe, expect, it } from 'vitest'
import { browserOf, payin, statusOf, waiting } from '../support/checkout.ts'
import { globalPayment } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()
const { show } = browserOf(sandbox)

describe('the checkout page', () => {
  it.each(['momo', 'bank', 'card'])('has its address in the response on the %s rail', async (rail) => {
    const w = world()
    const networks = { momo: 'm-pesa', bank: 'kcb', card: 'hosted_card' } as const
    const request = globalPayment(w)
    const { provider_config: _, ...rest } = request
    const country = await w.get('/api/global/discovery/payment-world/country?country=KE')
    const provider = networks[rail as 'momo']
    const network = country.body.provider_networks[provider].find(
      ({ account_type }: { account_type: string }) => account_type === rail,
    )
    const { network_id, provider_id, network_name, network_code, account_type } = network
    const answer = await w.post('/api/global/payments', {
      ...rest,
      transaction_channel: rail,
      provider,
      customer: { ...request.customer, dob: '1990-01-01T00:00:00Z' },
      provider_config: { network_id, provider_id, network_name, network_code, account_type },
    })
    expect(answer.body.error_message).toBe(undefined)
    const { pathname } = new URL(answer.body.provider_response.checkout_url)
    expect((await show(pathname)).text).toContain('value="pay"')
  })
})

describe('a pay-in that waits for its payer', () => {
  it.each(['momo', 'bank', 'card'] as const)(
    'shows its deadline on the %s rail and expires then',
    async (rail) => {
      const w = world()
      await w.patch('/sandbox/worlds/current', { payer: 'manual' })
      const { path, reference } = rail === 'card' ? await waiting(w) : await payin(w, rail)
      await w.advance(30_000)
      expect((await statusOf(w, reference)).status).toBe('queued')
      const { text } = await show(path)
      expect(text).toContain('<time datetime="2026-06-13T12:10:30.000Z">')
      await w.settle()
      expect((await statusOf(w, reference)).message).toBe('Transaction has expired')
      expect((await show(path)).text).toContain('<strong>Expired</strong>')
    },
  )

  it('shows the prompt on the phone and reloads', async () => {
    const w = world()
    await w.patch('/sandbox/worlds/current', { payer: 'manual' })
    const { path, party } = await payin(w, 'momo')
    const { text } = await show(path)
    expect(text).toContain(`We sent a payment prompt to <bdi>${party}</bdi>.`)
    expect(text).toContain('http-equiv="refresh" content="8"')
  })
})
