import { amendKyc, checkAmendment, checkKyc, submitKyc } from '../domain/kyc.ts'
import type { ServiceHandlers } from '../../http/handler.ts'
import { kycView } from './views.ts'

export const kyc: Pick<ServiceHandlers, 'submitKyc' | 'amendKyc'> = {
  submitKyc: {
    check: (look, { request: { body = {} } }, faults) => checkKyc(look, body, faults),
    change(tx, { caller, request }) {
      const { account_id, ...details } = request.body
      return { status: 200, body: { account_kyc: kycView(submitKyc(tx, caller, account_id, details)) } }
    },
  },

  amendKyc: {
    check(look, { request: { path = {}, body = {} } }, faults) {
      checkAmendment(look, path.id, body.id, body, faults)
    },
    change(tx, { caller, request }) {
      const { id: repeated, ...input } = request.body
      const amended = amendKyc(tx, caller, request.path.id, repeated, input)
      return { status: 200, body: { account_kyc: kycView(amended) } }
    },
  },
}
