/** A receiver as a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Start } from './receivers.ts'
import { ask } from './sender.ts'

export interface Running {
  /** Such as `http://127.0.0.1:40123`. */
  readonly url: string
  /** Ends it without a warning. */
  kill(): Promise<void>
}

/** How long a start may take, milliseconds: other suites run at the same time. */
const PATIENCE = 120_000

const started = new Set<ChildProcess>()

/** However this ends, none is left behind. */
process.on('exit', () => {
  for (const child of started) killGroup(child)
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1))

/** Returns a free port below those that systems give to connections, so that none takes it meanwhile. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}

/** @throws Error with what it printed when it does not come to listen */
export async function start(
  { command, args, env = {} }: Start,
  folder: string,
  port: number,
  settings: Readonly<Record<string, string>>,
): Promise<Running> {
  const { PATH = '', HOME = '' } = process.env
  // A group of its own, for some servers have workers.
  const child = spawn(command, args, {
    cwd: folder,
    env: { PATH, HOME, PORT: String(port), ...env, ...settings },
    detached: true,
  })
  started.add(child)
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (printed = `${printed}${text}`.slice(-4000)))
  const url = `http://127.0.0.1:${port}`
  const running = { url, kill: () => kill(child) }
  const until = performance.now() + PATIENCE
  while ((await ask(`${url}/orders/none`, 'GET')).status !== 404) {
    if (child.exitCode !== null || performance.now() > until) {
      await running.kill()
      throw new Error(`${command} does not listen: ${printed}`)
    }
    await pause(100)
  }
  return running
}

async function kill(child: ChildProcess): Promise<void> {
  started.delete(child)
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  killGroup(child)
  await ended
}

function killGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
