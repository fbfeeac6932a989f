/** What others than the caller do: the provider, the payer, reviewers, invited people. */
import type { Transport } from './transport.ts'
import type { PaymentChannel, SigningSecret, Timeline, WorldClient } from './types.ts'

export const transactionsOf = ({ ask }: Transport): WorldClient['transactions'] => {
  const path = (reference: string) => `/sandbox/transactions/${encodeURIComponent(reference)}`
  const timeline = (reference: string) => ask<Timeline>('GET', `${path(reference)}/timeline`)
  return {
    status: async (reference) =>
      (await timeline(reference)).status as Awaited<ReturnType<WorldClient['transactions']['status']>>,
    timeline,
    simulate: (reference, body) => ask('POST', `${path(reference)}/simulate`, { body }),
    payOffline: (body) => ask('POST', '/sandbox/offline-payments', { body }),
  }
}

export const kycOf = ({ ask }: Transport): WorldClient['kyc'] => ({
  show: (id) => ask('GET', `/sandbox/kyc/${id}`),
  review: (id, body) => ask('POST', `/sandbox/kyc/${id}/review`, { body }),
})

export const invitationsOf = ({ ask }: Transport): WorldClient['invitations'] => {
  // The link of a mail ends with the token.
  const path = (token: string) => `/sandbox/invites/${encodeURIComponent(token.replace(/^.*\//s, ''))}`
  return {
    accept: (token) => ask('POST', `${path(token)}/accept`),
    decline: (token) => ask('POST', `${path(token)}/decline`),
  }
}

export const channelsOf = ({ ask }: Transport): WorldClient['channels'] => {
  const answered = async (method: string, path: string, body: object) =>
    (await ask<{ payment_channel: PaymentChannel }>(method, path, { body })).payment_channel
  return {
    create: (body) => answered('POST', '/sandbox/channels', body),
    update: (id, body) => answered('PATCH', `/sandbox/channels/${id}`, body),
  }
}

export const fundOf =
  ({ ask }: Transport): WorldClient['fund'] =>
  (account_id, body) =>
    ask('POST', `/sandbox/teams/${account_id}/fund`, { body })

export const signaturesOf = ({ ask }: Transport): WorldClient['signatures'] => {
  const show = () => ask<SigningSecret>('GET', '/sandbox/signing-secret')
  return {
    secret: async () => (await show()).secret,
    show,
    rotate: (body = {}) => ask('POST', '/sandbox/signing-secret', { body }),
    check: (body) => ask('POST', '/sandbox/signatures/check', { body }),
  }
}
