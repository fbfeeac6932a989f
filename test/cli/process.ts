import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import type { Process } from '../../src/cli/process.ts'
import { run } from '../../src/cli/run.ts'

interface Sight {
  readonly colours?: boolean
  readonly terminal?: boolean
  /** The person at the terminal. */
  readonly confirm?: (question: string) => Promise<boolean>
  readonly keys?: Process['keys']
}

/** Runs the command line inside the test. `stop` is the signal to a sandbox that runs. */
export function commandLine(
  args: readonly string[],
  env: Record<string, string> = {},
  { colours = false, terminal = colours, confirm, keys }: Sight = {},
) {
  const printed = { out: '', err: '' }
  const signal = withResolvers<string>()
  const waiting: { text: string; resolve: () => void }[] = []
  const out = (text: string) => {
    printed.out += text
    for (const each of waiting) if (printed.out.includes(each.text)) each.resolve()
  }
  return {
    printed,
    stop: () => signal.resolve('SIGTERM'),
    /** Resolves once `text` has been printed. */
    shown: (text: string) =>
      new Promise<void>((resolve) => {
        if (printed.out.includes(text)) resolve()
        else waiting.push({ text, resolve })
      }),
    code: run(args, {
      // Which machine runs the tests is not to be seen in what is printed.
      env: { SANDBOX_IN_CONTAINER: 'off', ...env },
      out: { write: out, terminal, colours },
      err: { write: (text) => void (printed.err += text), terminal, colours },
      confirm,
      keys,
      stopped: () => signal.promise,
    }),
  }
}

/** What a command that ends by itself leaves. */
export async function ended(args: readonly string[], env?: Record<string, string>, sight?: Sight) {
  const { code, printed } = commandLine(args, env, sight)
  return { code: await code, ...printed }
}

function withResolvers<T>() {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((done) => (resolve = done))
  return { promise, resolve }
}

/** Lets the server listen on a free port until the test ends. */
export async function listening(server: Server) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  }
  onTestFinished(() => void close())
  return { port: (server.address() as AddressInfo).port, close }
}

/** Asks again until it is so; the test's own limit ends it. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise<void>((resolve) => void setImmediate(resolve))
}

/** A sandbox that `start` has started in the test, as at a terminal, and where it listens. */
export async function started(args: readonly string[], env: Record<string, string> = {}) {
  const running = commandLine(args, { SANDBOX_LOG_LEVEL: 'warn', ...env }, { terminal: true })
  onTestFinished(running.stop)
  await Promise.race([
    running.shown('Ctrl-C to stop.'),
    running.code.then((code) => expect.fail(`ended with ${code}: ${running.printed.err}`)),
  ])
  return { ...running, base: /listens at (\S+)/.exec(running.printed.out)![1]! }
}
