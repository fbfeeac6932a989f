/** Takes callbacks with Express. README.md says how it is run. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { STATUS_CODES } from 'node:http'
import express from 'express'

const { PORT = '3000', WEBHOOK_SECRETS = '', DATA = 'orders.jsonl' } = process.env
const KEYS = WEBHOOK_SECRETS.split(' ')
  .filter(Boolean)
  .map((secret) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
// Whoever signs with an empty key would be believed.
if (KEYS.length === 0 || KEYS.some((key) => key.length < 24))
  throw new Error('WEBHOOK_SECRETS must be one or several of whsec_…, with 24 bytes or more behind it')

/** Seconds that a callback may be old or ahead: an old one may have been recorded and sent again by somebody. */
const TOLERANCE = 300
/** Bytes. */
const LARGEST = 65_536

/** Whether these very bytes were signed with one of the secrets a moment ago. */
function isGenuine(id, timestamp, signatures, body) {
  if (!id || !signatures || !/^[0-9]{1,12}$/.test(timestamp)) return false
  if (Math.abs(Math.floor(Date.now() / 1000) - Number(timestamp)) > TOLERANCE) return false
  const sent = signatures.split(' ').map((each) => Buffer.from(each))
  return KEYS.some((key) => {
    const own = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
    const expected = Buffer.from(`v1,${own}`)
    // timingSafeEqual throws where lengths differ.
    return sent.some((each) => each.length === expected.length && timingSafeEqual(each, expected))
  })
}

const flat = (told) => ({
  reference: told.external_reference,
  status: told.status,
  amount: told.amount,
  currency: told.currency,
  payin: told.transaction_type === 'inbound_payment',
})

/** The older shape: of Kenya alone, so without a currency, and a reversal is told as a failure. */
const nested = ({ status, response: told }) => ({
  reference: told.ExternalReference,
  status: status === true ? 'success' : 'failed',
  amount: told.Amount,
  currency: 'KES',
  payin: told.TransactionID === undefined,
})

/** What a callback tells, whatever else it has; undefined when that is no result. */
function resultOf(body) {
  try {
    const told = JSON.parse(body)
    const result = told.response ? nested(told) : flat(told)
    const { reference, status, amount } = result
    return typeof reference === 'string' && typeof status === 'string' && typeof amount === 'number'
      ? result
      : undefined
  } catch {
    return undefined
  }
}

/** What a result makes of an order: nothing undoes a reversal, and only a reversal undoes what is paid. */
function next(order, { status, amount, currency, payin }) {
  if (!payin || order.status === 'reversed') return order
  if (status === 'reversed') return { ...order, status: 'reversed', paid: 0 }
  if (order.status === 'paid') return order
  if (status === 'failed') return order.status === 'waiting' ? { ...order, status: 'failed' } : order
  if (status !== 'success') return order
  // Rightly signed, but not what was asked for: somebody has to look at it.
  if (amount !== order.amount || currency !== order.currency) return { ...order, status: 'review' }
  // Here goods are handed out, once.
  return { ...order, status: 'paid', paid: amount, fulfilled: order.fulfilled + 1 }
}

const orders = new Map()
/** The ids of callbacks that were taken; a callback has the same one however often it is sent. */
const taken = new Set()

function count({ order, id, result }) {
  if (order) return orders.set(order.reference, order)
  taken.add(id)
  return orders.set(result.reference, next(orders.get(result.reference), result))
}

/** Whatever is to be known after a restart is a line of the journal. One that was cut off by a crash is no JSON. */
for (const line of existsSync(DATA) ? readFileSync(DATA, 'utf8').split('\n') : []) {
  try {
    count(JSON.parse(line))
  } catch {}
}
const journal = openSync(DATA, 'a')

/** Returns once it is on the disk: what is answered with 2xx is not sent again. */
function keep(entry) {
  writeSync(journal, `\n${JSON.stringify(entry)}`)
  fsyncSync(journal)
  count(entry)
}

/** Takes a callback once. Nothing is awaited in here, so ten copies at one moment come one after another. */
function take(id, result) {
  // A payment that nobody asked for is no reason to have it sent again.
  if (!taken.has(id) && orders.has(result.reference)) keep({ id, result })
}

const app = express()
app.disable('x-powered-by')

// The bytes, and on this route alone: after express.json() for the whole app there is nothing left to verify.
const bytes = express.raw({ type: 'application/json', limit: LARGEST, inflate: false })

app.post('/callback', bytes, ({ headers, body }, response) => {
  if (!Buffer.isBuffer(body)) return refuse(response, 415)
  const id = headers['webhook-id']
  if (!isGenuine(id, headers['webhook-timestamp'], headers['webhook-signature'], body))
    return refuse(response, 401)
  const result = resultOf(body)
  if (!result) return refuse(response, 400)
  take(id, result)
  response.status(204).end()
})

app.all('/callback', (_request, response) => refuse(response.set('allow', 'POST'), 405))

// For tests alone: they say what is expected, and ask what came of it. A shop has orders of its own.
app.post('/orders', express.json(), ({ body: { reference, amount, currency } }, response) => {
  keep({ order: { reference, amount, currency, status: 'waiting', fulfilled: 0, paid: 0 } })
  response.status(201).json(orders.get(reference))
})
app.get('/orders/:reference', ({ params }, response) => {
  const order = orders.get(params.reference)
  return order ? response.json(order) : refuse(response, 404)
})

const refuse = (response, status) => response.status(status).json({ error: STATUS_CODES[status] })

// Express's own handler shows the stack unless NODE_ENV is production. Four parameters make this one.
app.use((error, _request, response, _next) => refuse(response, error.status ?? 500))

app.listen(Number(PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${PORT}/callback`))
