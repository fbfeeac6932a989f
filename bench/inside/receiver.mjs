/** A receiver of callbacks that reports the arrival time of each reference when all have arrived. */
import http from 'node:http'

const expected = Number(process.argv[2])
let arrived = {}
let count = 0
const server = http.createServer((request, response) => {
  let text = ''
  request.setEncoding('utf8')
  request.on('data', (part) => (text += part))
  request.on('end', () => {
    arrived[JSON.parse(text).external_reference] = Date.now()
    response.end()
    if (++count < expected) return
    process.send(arrived)
    arrived = {}
    count = 0
  })
})
server.listen(0, '127.0.0.1', () => process.send(server.address().port))
process.on('disconnect', () => process.exit(0))
