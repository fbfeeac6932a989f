import { amendKyc, submitKyc } from '../domain/kyc.ts'
import type { ServiceHandlers } from './handlers.ts'
import { kycView } from './views.ts'

export const kyc: Pick<ServiceHandlers, 'submitKyc' | 'amendKyc'> = {
  async submitKyc(c) {
    const world = c.get('world')
    const caller = c.get('caller')
    const { account_id, ...details } = c.req.valid('json')
    const submitted = await world.change((tx) => submitKyc(tx, caller, account_id, details))
    return c.json({ account_kyc: kycView(submitted) }, 200)
  },

  async amendKyc(c) {
    const world = c.get('world')
    const caller = c.get('caller')
    const { id } = c.req.valid('param')
    const { id: repeated, ...input } = c.req.valid('json')
    const amended = await world.change((tx) => amendKyc(tx, caller, id, repeated, input))
    return c.json({ account_kyc: kycView(amended) }, 200)
  },
}
