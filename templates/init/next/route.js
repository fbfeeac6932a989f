import { createReceiver } from '../../../payments/receiver.js'

/** Receives callbacks at /callbacks/payments. The secret is that of the sandbox's world or of your account. */
export const POST = createReceiver({
  secret: process.env.PAYMENTS_WEBHOOK_SECRET,
  onPayment: ({ external_reference, status }) => console.log(`${external_reference}: ${status}`),
})
