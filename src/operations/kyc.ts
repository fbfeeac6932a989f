import { amendKyc, submitKyc } from '../domain/kyc.ts'
import type { ServiceHandlers } from '../http/handler.ts'
import { kycView } from './views.ts'

export const kyc: Pick<ServiceHandlers, 'submitKyc' | 'amendKyc'> = {
  submitKyc: {
    change(tx, { caller, request }) {
      const { account_id, ...details } = request.body
      return { status: 200, body: { account_kyc: kycView(submitKyc(tx, caller, account_id, details)) } }
    },
  },

  amendKyc: {
    change(tx, { caller, request }) {
      const { id: repeated, ...input } = request.body
      const amended = amendKyc(tx, caller, request.path.id, repeated, input)
      return { status: 200, body: { account_kyc: kycView(amended) } }
    },
  },
}
