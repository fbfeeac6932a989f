/**
 * Pays in several worlds in rotation, as fast as responses arrive: `node load.mjs '{"urls": [...], "users": [...], ...}'`.
 * Prints the results of autocannon. With `byWorld`, each world uses one address, otherwise all in turn; the latencies come
 * from the slowest address.
 */
import autocannon from 'autocannon'

const { urls, users, path, body, seconds, connections, byWorld } = JSON.parse(process.argv[2])
const shares = byWorld
  ? urls.map((url, at) => ({ url, users: users.filter((_, n) => n % urls.length === at) }))
  : [{ url: urls, users }]
const told = await Promise.all(shares.filter((share) => share.users.length > 0).map(pay))
const sum = (of) => told.reduce((total, each) => total + of(each), 0)
const most = (of) => Math.max(...told.map(of))
process.stdout.write(
  JSON.stringify({
    rate: sum(({ requests }) => requests.average),
    total: sum(({ requests }) => requests.total),
    p50: most(({ latency }) => latency.p50),
    p99: most(({ latency }) => latency.p99),
    failed: sum(({ non2xx, errors }) => non2xx + errors),
  }),
)

function pay(share, _, all) {
  const requests = share.users.map((user) => ({
    method: 'POST',
    path,
    headers: {
      authorization: `Basic ${Buffer.from(`${user}:demo`).toString('base64')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  }))
  let next = 0
  /** Each connection begins with a different world. */
  const setupClient = (client) => {
    const first = next++ % requests.length
    client.setRequests([...requests.slice(first), ...requests.slice(0, first)])
  }
  return autocannon({
    url: share.url,
    requests,
    setupClient,
    connections: Math.ceil(connections / all.length),
    duration: seconds,
  })
}
