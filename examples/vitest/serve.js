/** The shop over HTTP: it takes POST /callback. With TESTS=1 also what certify.yaml asks of it. */
import { createServer } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { createShop } from './shop.js'

const {
  PORT = '3000',
  DATA = '.',
  SERVICE_URL = 'http://127.0.0.1:8080',
  SERVICE_KEY = 'demo:demo',
} = process.env
const { WEBHOOK_SECRET, TESTS } = process.env
/** Of a callback, bytes. */
const LARGEST = 65_536

const shop = createShop({
  baseUrl: SERVICE_URL,
  authorization: `Basic ${Buffer.from(SERVICE_KEY).toString('base64')}`,
  callbackUrl: `http://127.0.0.1:${PORT}/callback`,
  secret: WEBHOOK_SECRET,
  file: join(DATA, 'orders.jsonl'),
})

/** The bytes of a request; undefined when they are too many, which are read to the end and let go. */
async function bytesOf(request) {
  const chunks = []
  let length = 0
  for await (const chunk of request) if ((length += chunk.length) <= LARGEST) chunks.push(chunk)
  return length > LARGEST ? undefined : Buffer.concat(chunks)
}

async function callback(request) {
  if (request.method !== 'POST') return 405
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'])) return 415
  const body = await bytesOf(request)
  return body ? shop.callback({ headers: request.headers, body }) : 413
}

/** @returns the status, and what is answered with it */
async function answerTo(request) {
  if (request.url === '/callback') return [await callback(request)]
  if (TESTS !== '1') return [404]
  const [, order] = /^\/test\/orders\/(.+)$/.exec(request.url) ?? []
  if (order) return shop.order(order) ? [200, shop.order(order)] : [404]
  if (request.method !== 'POST' || request.url !== '/test/checkout') return [404]
  const wanted = await json(request)
  await shop.checkout(wanted.order, wanted)
  return [202]
}

createServer(async (request, response) => {
  const [status, body] = await answerTo(request).catch(() => [500])
  response.writeHead(status, { 'content-type': 'application/json' }).end(body && JSON.stringify(body))
}).listen(Number(PORT), '127.0.0.1')

setInterval(() => shop.watch(), 1000)
