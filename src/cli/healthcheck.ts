import { exitCodes } from './exit-codes.ts'
import { failed, Refusal } from './failed.ts'
import type { Process } from './process.ts'
import { tellerTo } from './teller.ts'
import { reasonOf } from './unreachable.ts'

/** Answered only once the sandbox is seeded and listening. */
const PATH = '/readyz'

/** Asks the sandbox at `url` whether it is ready, for at most `timeout` milliseconds. Returns the exit code. */
export async function healthcheck(io: Process, url: string, timeout: number, json = false): Promise<number> {
  const no = (why: string) => failed(io, new Refusal(`not ready: ${why}`), json)
  try {
    const answer = await fetch(new URL(PATH, url), { signal: AbortSignal.timeout(timeout) })
    if (!answer.ok) {
      const { reason } = (await answer.json().catch(() => ({}))) as { readonly reason?: string }
      return no(`${url} answers ${answer.status}${reason ? `: ${reason}` : ''}`)
    }
    await answer.body?.cancel()
  } catch (error) {
    return no(reasonOf(error, url))
  }
  tellerTo(io.out, json).say(`ready: ${url}`, { kind: 'ready', url })
  return exitCodes.done
}
