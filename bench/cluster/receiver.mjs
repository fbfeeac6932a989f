/** A receiver of callbacks that reports the number of distinct `webhook-id`s and the time of the last one. */
import http from 'node:http'

const ids = new Set()
let last = 0
const server = http.createServer((request, response) => {
  const before = ids.size
  ids.add(request.headers['webhook-id'])
  if (ids.size > before) last = Date.now()
  request.resume()
  request.on('end', () => response.end())
})
server.listen(0, '127.0.0.1', () => process.send(server.address().port))
process.on('message', () => process.send({ count: ids.size, last }))
process.on('disconnect', () => process.exit(0))
