import { exitCodes } from './exit-codes.ts'
import type { Process } from './process.ts'
import { reasonOf } from './unreachable.ts'

/** Answered only once the sandbox is seeded and listening. */
const PATH = '/readyz'

/** Asks the sandbox at `url` whether it is ready, for at most `timeout` milliseconds. Returns the exit code. */
export async function healthcheck({ out, err }: Process, url: string, timeout: number): Promise<number> {
  try {
    const answer = await fetch(new URL(PATH, url), { signal: AbortSignal.timeout(timeout) })
    if (!answer.ok) {
      const { reason } = (await answer.json().catch(() => ({}))) as { readonly reason?: string }
      err.write(`not ready: ${url} answers ${answer.status}${reason ? `: ${reason}` : ''}\n`)
      return exitCodes.no
    }
    await answer.body?.cancel()
  } catch (error) {
    err.write(`not ready: ${reasonOf(error, url)}\n`)
    return exitCodes.no
  }
  out.write(`ready: ${url}\n`)
  return exitCodes.done
}
