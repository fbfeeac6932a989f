/**
 * Pays in worlds in rotation as fast as answers come: `node load.mjs '{"urls": [...], "users": [...], ...}'`. Prints what
 * autocannon measured.
 */
import autocannon from 'autocannon'

const { urls, users, path, body, seconds, connections } = JSON.parse(process.argv[2])
const requests = users.map((user) => ({
  method: 'POST',
  path,
  headers: {
    authorization: `Basic ${Buffer.from(`${user}:demo`).toString('base64')}`,
    'content-type': 'application/json',
  },
  body: JSON.stringify(body),
}))
let next = 0
/** Each connection begins with another world. */
const setupClient = (client) => {
  const first = next++ % requests.length
  client.setRequests([...requests.slice(first), ...requests.slice(0, first)])
}
const {
  requests: rate,
  latency,
  ...told
} = await autocannon({
  url: urls,
  requests,
  setupClient,
  connections,
  duration: seconds,
})
const failed = told.non2xx + told.errors
process.stdout.write(
  JSON.stringify({ rate: rate.average, total: rate.total, p50: latency.p50, p99: latency.p99, failed }),
)
