/**
 * A neighbour: makes one payment after another in its world, with a short pause, and measures each. Takes a port;
 * replies to the message "measure" with the latencies since the last one, in milliseconds.
 */
import http from 'node:http'

const PAUSE = 5
const port = Number(process.argv[2])
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
const body = JSON.stringify({
  amount: 2,
  phone_number: '254712345678',
  provider: 'm-pesa',
  network_code: '63902',
  account_id: 63,
})
const headers = {
  authorization: `Basic ${Buffer.from('demo+neighbour:demo').toString('base64')}`,
  'content-type': 'application/json',
  'content-length': body.length,
}
let taken = []
let failed = 0
let since = performance.now()

const pay = () =>
  new Promise((resolve) => {
    const from = (since = performance.now())
    const done = (ok) => {
      if (ok) taken.push(performance.now() - from)
      else failed++
      since = Infinity
      resolve()
    }
    http
      .request(
        { host: '127.0.0.1', port, path: '/api/v2/payments', method: 'POST', agent, headers },
        (answer) => {
          answer.resume().on('end', () => done(answer.statusCode === 201))
        },
      )
      .on('error', () => done(false))
      .end(body)
  })

process.on('message', () => {
  // A payment without a response yet counts with the time elapsed until now.
  process.send({ taken: [...taken, ...(since < Infinity ? [performance.now() - since] : [])], failed })
  taken = []
  failed = 0
})
process.on('disconnect', () => process.exit(0))
process.send('ready')
for (;;) {
  await pay()
  await new Promise((resolve) => setTimeout(resolve, PAUSE))
}
