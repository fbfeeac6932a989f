/**
 * Pays in several worlds in rotation at an even rate, independent of earlier responses. Prints the latency of each
 * payment from its scheduled time. With `byWorld`, each world uses one address.
 */
import { Agent, request } from 'node:http'

const { urls, users, path, body, seconds, rate, byWorld } = JSON.parse(process.argv[2])
const text = JSON.stringify(body)
const agent = new Agent({ keepAlive: true, maxSockets: 256 })
const taken = []
let failed = 0
const one = (n, due) =>
  new Promise((resolve) => {
    const ended = (status) => {
      if (status !== 201) failed += 1
      taken.push(performance.now() - due)
      resolve()
    }
    const at = n % users.length
    const user = users[at]
    const sent = request(urls[(byWorld ? at : n) % urls.length] + path, {
      agent,
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${user}:demo`).toString('base64')}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      },
    })
    sent.on('response', (answer) => answer.resume().on('end', () => ended(answer.statusCode)))
    sent.on('error', () => ended(0))
    sent.end(text)
  })
const sent = []
const from = performance.now()
for (let n = 0; n < seconds * rate; n += 1) {
  const due = from + (n * 1000) / rate
  while (performance.now() < due) await new Promise((resolve) => setTimeout(resolve, due - performance.now()))
  sent.push(one(n, due))
}
await Promise.all(sent)
taken.sort((a, b) => a - b)
const at = (part) => taken[Math.floor((taken.length - 1) * part)]
process.stdout.write(JSON.stringify({ total: taken.length, p50: at(0.5), p99: at(0.99), failed }))
process.exit(0)
