/**
 * Keeps the load generator awake. The server's write wakes a sleeping client, which costs the server 20 to 50 µs on
 * virtual machines, more than the write itself, and penalises slower servers twice. A polling client costs all servers
 * the same.
 */
const seconds = Number(process.argv[process.argv.indexOf('--duration') + 1])
const end = performance.now() + seconds * 1000

const poll = () => {
  if (performance.now() < end) setImmediate(poll)
}
poll()
