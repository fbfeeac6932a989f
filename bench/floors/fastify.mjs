/** A mock as written in an afternoon: fastify with its validation, and rows in a Map. */
import fastify from 'fastify'
import { account, channels, collection } from './answers.mjs'

const page = channels(Number(process.env.CHANNELS ?? 10))
const payments = new Map()
const app = fastify()
const body = {
  type: 'object',
  required: ['amount', 'phone_number', 'provider'],
  properties: {
    amount: { type: 'number', exclusiveMinimum: 0 },
    phone_number: { type: 'string', maxLength: 20 },
    provider: { type: 'string', maxLength: 40 },
    network_code: { type: 'string', maxLength: 10 },
    account_id: { type: 'integer' },
  },
}
app.get('/api/v2/account/:account_id', () => account())
app.get('/api/v2/payment_channels', () => page)
app.post('/api/v2/payments', { schema: { body } }, (request, reply) => {
  const id = payments.size + 1
  const answer = { ...collection(), CheckoutRequestID: String(29_118 + id) }
  payments.set(id, { id, ...request.body, ...answer, created_at: Date.now() })
  return reply.code(201).send(answer)
})
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' })
