/** Baseline of the framework: hono on node:http, without rules. */
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { account, channels, collection } from './answers.mjs'

const page = channels(Number(process.env.CHANNELS ?? 10))
const app = new Hono()
app.get('/api/v2/account/:account_id', (c) => c.json(account()))
app.get('/api/v2/payment_channels', (c) => c.json(page))
app.post('/api/v2/payments', async (c) => {
  await c.req.json()
  return c.json(collection(), 201)
})
serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' })
