/** Baseline: node:http and JSON, without router and rules. */
import { createRequire } from 'node:module'
import { account, channels, collection } from './answers.mjs'

// A namespace import would read all exports, which loads fetch on newer Node.js.
const http = createRequire(import.meta.url)('node:http')

const page = channels(Number(process.env.CHANNELS ?? 10))

http
  .createServer((request, response) => {
    const answer = (status, body) => {
      const text = JSON.stringify(body)
      response.writeHead(status, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      })
      response.end(text)
    }
    if (request.method === 'GET') return answer(200, request.url.includes('channels') ? page : account())
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (part) => (text += part))
    request.on('end', () => {
      JSON.parse(text)
      answer(201, collection())
    })
  })
  .listen(Number(process.env.PORT), '127.0.0.1')
