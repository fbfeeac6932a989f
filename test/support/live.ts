/** A sandbox whose callbacks really leave over HTTP, in real time, and receivers for them on loopback. */
import http from 'node:http'
import net from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { createLog } from '../../src/lib/log/log.ts'
import { createSandbox, type Parts } from '../../src/sandbox/sandbox.ts'
import { testEngine } from './engine.ts'
import { client } from './sandbox.ts'

export type Client = ReturnType<typeof client>

/** @param env settings, as environment variables */
export async function openSandbox(env: Record<string, string> = {}, parts: Partial<Parts> = {}) {
  const log = createLog({ level: 'silent', write: () => {}, terminal: false, now: () => 0 })
  const engine = await testEngine(env, 'database', log)
  const sandbox = await createSandbox({
    config: readConfig({
      SANDBOX_SETTLE_AFTER: '0',
      LOG_LEVEL: 'silent',
      SANDBOX_IN_CONTAINER: 'off',
      ...env,
    }),
    log,
    ...(engine && { engine }),
    ...parts,
  })
  const close = async () => {
    await sandbox.close()
    await engine?.close()
  }
  return { sandbox, api: client(sandbox, 'demo', 'demo'), close }
}

export async function liveSandbox(...how: Parameters<typeof openSandbox>) {
  const opened = await openSandbox(...how)
  afterAll(opened.close)
  return opened
}

/** What a receiver got. */
export interface Arrived {
  readonly at: number
  readonly method: string
  readonly path: string
  /** Names as they were sent. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** The connection broke before the end of the body. */
  readonly cut: boolean
}

/** An HTTP receiver; `answer` is called when a request is there, whole or cut off. */
export async function receiver(answer: (response: http.ServerResponse, arrived: Arrived) => void = ok) {
  const arrived: Arrived[] = []
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = []
    let told = false
    const end = (cut: boolean) => {
      if (told) return
      told = true
      const pairs = request.rawHeaders
      const headers = Object.fromEntries(
        pairs.flatMap((name, at) => (at % 2 ? [] : [[name, pairs[at + 1]!]])),
      )
      const { method = '', url: path = '' } = request
      const one = { at: Date.now(), method, path, headers, body: Buffer.concat(chunks), cut }
      arrived.push(one)
      if (!cut) answer(response, one)
    }
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('error', () => end(true))
    request.on('end', () => end(false))
    response.on('error', () => {})
  })
  return { arrived, ...(await opened(server)), server }
}

/** A bare TCP receiver. */
export async function socketReceiver(handle: (socket: net.Socket) => void) {
  const sockets: net.Socket[] = []
  const server = net.createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    handle(socket)
  })
  return { ...(await opened(server)), sockets }
}

const ok = (response: http.ServerResponse) => void response.end('ok')

async function opened(server: net.Server) {
  const sockets = new Set<net.Socket>()
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  const close = () => {
    for (const socket of sockets) socket.destroy()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  }
  afterAll(close)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}`, close }
}
