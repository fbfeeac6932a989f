import { describe, expect, it } from 'vitest'
import { browserOf, payin, statusOf, waiting } from '../support/checkout.ts'
import { globalPayment } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()
const { press, show } = browserOf(sandbox)

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

  it('lets the payer choose another rail, whose prompt appears on the phone', async () => {
    const w = world()
    await w.patch('/sandbox/worlds/current', { payer: 'manual' })
    const { path, reference } = await waiting(w)
    const { text } = await show(`${path}?method=momo`)
    expect(text).toMatch(/<a href="\?method=momo" aria-current="true">Mobile money<\/a>/)
    expect(text).toMatch(/<option\s+value="Airtel Money"/)
    const form = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' }
    const sent = (number: string) =>
      press(path, `action=continue&rail=momo&network=Airtel+Money&account_number=${number}`, form)
    const wrong = await sent('12')
    expect(wrong.headers.get('location')).toBe(`${path}?method=momo`)
    const cookie = wrong.headers.get('set-cookie')!.split(';')[0]
    const again = (await show(`${path}?method=momo`, { cookie })).text
    expect(again).toContain('Enter a valid mobile number.')
    expect(again).toContain('value="12"')
    expect((await sent('0733111222')).headers.get('location')).toBe(path)
    expect((await show(path)).text).toContain('We sent a payment prompt to <bdi>254733111222</bdi>.')
    const { prompts } = (await w.get('/sandbox/prompts?state=waiting')).body
    expect(prompts).toMatchObject([{ phone: '254733111222' }])
    await w.post(`/sandbox/prompts/${prompts[0].id}/respond`, { pin: '1234' })
    expect((await statusOf(w, reference)).status).toBe('success')
    expect((await show(path)).text).toContain('Airtel Money 254733111222')
  })

  it('lets the payer of a prompt pay by card instead', async () => {
    const w = world()
    await w.patch('/sandbox/worlds/current', { payer: 'manual' })
    const { path, reference } = await payin(w, 'momo')
    expect((await show(`${path}?method=card`)).text).toContain('id="number"')
    await press(path, 'action=pay&rail=card&number=4242424242424242&expiry=12/30&cvc=123&name=Ann')
    expect((await statusOf(w, reference)).status).toBe('success')
    expect((await show(path)).text).toContain('Visa ending in 4242')
    expect((await w.get('/sandbox/prompts?state=waiting')).body.prompts).toEqual([])
  })

  it('returns 400 to a program for a rail, network or number that does not exist', async () => {
    const w = world()
    const { path } = await waiting(w)
    const answer = await press(path, 'action=continue&rail=cash&network=None&account_number=1')
    expect([answer.status, ((await answer.json()) as { error_message: string }).error_message]).toEqual([
      400,
      expect.stringMatching(
        /^rail must be one of momo, bank, card, got "cash".*; network must be one of .*, got "None"/,
      ),
    ])
  })

  it('shows the prompt on the phone and reloads', async () => {
    const w = world()
    await w.patch('/sandbox/worlds/current', { payer: 'manual' })
    const { path, party } = await payin(w, 'momo')
    const { text } = await show(path)
    expect(text).toContain(`We sent a payment prompt to <bdi>${party}</bdi>.`)
    expect(text).toContain('http-equiv="refresh" content="8"')
  })
})
