/** A name server on loopback: over UDP, for A and AAAA. */
import { createSocket } from 'node:dgram'
import { afterAll } from 'vitest'

/** What a name has; `silent` gets no answer, a name that is not there the answer that there is none. */
export type Zone = { [name: string]: readonly string[] | 'silent' | undefined }

const TYPES: { readonly [type: number]: string } = { 1: 'A', 28: 'AAAA' }
const NO_SUCH_NAME = 0x8183
const ANSWERED = 0x8180

/**
 * @param zone addresses by name; under `name AAAA` what only that question gets
 * @param ttl seconds that answers say they hold
 */
export async function startNameServer(zone: Zone, ttl = 300) {
  const requested: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (question, { port, address }) => {
    const { name, type, end } = readQuestion(question)
    requested.push(`${name} ${TYPES[type]}`)
    const has = zone[`${name} ${TYPES[type]}`] ?? zone[name]
    if (has === 'silent') return
    const records = (has ?? [])
      .filter((each) => each.includes(':') === (type === 28))
      .map((each) => {
        const bytes = bytesOf(each)
        const head = Buffer.alloc(12)
        head.writeUInt16BE(0xc00c, 0)
        head.writeUInt16BE(type, 2)
        head.writeUInt16BE(1, 4)
        head.writeUInt32BE(ttl, 6)
        head.writeUInt16BE(bytes.length, 10)
        return Buffer.concat([head, bytes])
      })
    const head = Buffer.alloc(12)
    question.copy(head, 0, 0, 2)
    head.writeUInt16BE(has === undefined ? NO_SUCH_NAME : ANSWERED, 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(records.length, 6)
    socket.send(Buffer.concat([head, question.subarray(12, end), ...records]), port, address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  afterAll(() => new Promise<void>((resolve) => socket.close(resolve)))
  return { server: `127.0.0.1:${socket.address().port}`, requested }
}

function readQuestion(bytes: Buffer) {
  const labels: string[] = []
  let at = 12
  for (; bytes[at] !== 0; at += 1 + bytes[at]!)
    labels.push(bytes.toString('latin1', at + 1, at + 1 + bytes[at]!))
  return { name: labels.join('.'), type: bytes.readUInt16BE(at + 1), end: at + 5 }
}

/** IPv6 with all its eight groups. */
const bytesOf = (address: string) =>
  address.includes(':')
    ? Buffer.from(
        address.split(':').flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 255]),
      )
    : Buffer.from(address.split('.').map(Number))
