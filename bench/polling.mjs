/**
 * Keeps the load generator awake for as long as it loads. A client that sleeps while it waits is woken by the server's write, and
 * on virtual machines that costs the server more than the write itself: 20 to 50 µs, charged to whoever lets the client wait. So
 * what a server does of its own would count twice. A client that polls costs all of them the same.
 */
const seconds = Number(process.argv[process.argv.indexOf('--duration') + 1])
const end = performance.now() + seconds * 1000

const poll = () => {
  if (performance.now() < end) setImmediate(poll)
}
poll()
