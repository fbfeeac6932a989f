import { describe, expect, it } from 'vitest'
import { balance } from '../../support/ledger.ts'
import { collection, globalPayment, withdrawal } from '../../support/requests.ts'
import { refused, startSandbox } from '../../support/sandbox.ts'

const { world } = await startSandbox({ SANDBOX_VALIDATION: 'lenient' })
const documented = await startSandbox()

describe('whole numbers as text in the lenient profile', () => {
  it('201 for a collection into a channel', async () => {
    const w = world()
    const body = collection(w, { account_id: '63', channel_id: '1502', network_code: undefined })
    expect((await w.post('/api/v2/payments', body)).status).toBe(201)
    expect(await balance(w, 'team:63:service_wallet:KES')).toBe(9_985)
  })

  it('200 for a withdrawal and a global payment', async () => {
    const w = world()
    const payout = withdrawal(w, { account_id: '63', channel_id: '7' })
    expect((await w.post('/api/v2/withdraw', payout)).status).toBe(200)
    const vendor_config = { vendor_id: '63', channel_id: '1503' }
    expect((await w.post('/api/global/payments', globalPayment(w, { vendor_config }))).status).toBe(200)
  })

  it('200 for a KYC, with identification_number as a number', async () => {
    const contact_information = { identification_number: '23456789' }
    const { status, body } = await world().post('/api/v2/account_kycs', {
      account_id: '64',
      contact_information,
    })
    expect(status).toBe(200)
    expect(body.account_kyc).toMatchObject({
      account_id: 64,
      contact_information: { identification_number: 23_456_789 },
    })
  })

  it('400 for another text, and for any in the documented profile', async () => {
    const w = world()
    expect(await w.post('/api/v2/payments', collection(w, { account_id: 'mine' }))).toMatchObject(
      refused(400, 'invalid_argument', 'account_id must be a whole number, got "mine"'),
    )
    const strict = documented.world()
    expect(await strict.post('/api/v2/payments', collection(strict, { account_id: '63' }))).toMatchObject(
      refused(400, 'invalid_argument', 'account_id must be a whole number, got "63"'),
    )
  })
})
