/** Checks a scenario's expectations in the current world. */
import type { ScenarioSample } from '../../src/generated/control/types.ts'

/** The observed results of a request. */
export interface Seen {
  /** Undefined if the connection was closed. */
  readonly status: number | undefined
  readonly body: unknown
  /** Its transaction, once it exists. */
  readonly transaction: { readonly status: string; readonly reason: string | null } | undefined
  /** Bodies of the received callbacks in order. */
  readonly callbacks: readonly unknown[]
  /** Whether the world has pending jobs, so that more may follow. */
  readonly owes: boolean
}

export interface Check {
  readonly what: string
  readonly wanted: string
  readonly got: string
  readonly state: 'good' | 'bad' | 'wait' | 'not looked at'
}

const shown = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? 'nothing' : JSON.stringify(value)

/** The expectations that can be checked here. The command line checks the others in a separate world. */
export function checksOf({ expect }: Pick<ScenarioSample, 'expect'>, seen: Seen): readonly Check[] {
  const later = (what: string, wanted: unknown, got: unknown, holds: boolean, early = holds): Check => ({
    what,
    wanted: shown(wanted),
    got: shown(got),
    state: early ? 'good' : seen.owes ? 'wait' : holds ? 'good' : 'bad',
  })
  const lookAt: { readonly [word: string]: (wanted: unknown) => Check } = {
    response(wanted) {
      const cut = wanted === 'cut'
      const { status, body } = (typeof wanted === 'object' ? wanted : { status: wanted }) as Partial<Seen>
      const holds = cut
        ? seen.status === undefined
        : (status === undefined || status === seen.status) && (body === undefined || isPart(body, seen.body))
      const got = seen.status === undefined ? 'cut' : body === undefined ? seen.status : seen.body
      return { what: 'response', wanted: shown(wanted), got: shown(got), state: holds ? 'good' : 'bad' }
    },
    status(wanted) {
      const got = seen.transaction?.status.toLowerCase()
      return later('status', wanted, got, got === wanted, got === wanted && wanted !== 'queued')
    },
    reason(wanted) {
      const got = seen.transaction?.reason ?? undefined
      return later('reason', wanted, got, got === wanted)
    },
    callbacks(wanted) {
      const list = wanted as readonly unknown[]
      const got = seen.callbacks.map((body) => (body as { status?: unknown } | null)?.status ?? body)
      const holds =
        list.length === seen.callbacks.length &&
        list.every((each, n) => isPart(typeof each === 'string' ? { status: each } : each, seen.callbacks[n]))
      return later('callbacks', list, got, holds, holds && list.length > 0)
    },
  }
  return Object.entries(expect).map(
    ([word, wanted]): Check =>
      lookAt[word]?.(wanted) ?? { what: word, wanted: shown(wanted), got: '', state: 'not looked at' },
  )
}

/** Whether one value contains all fields of another. */
function isPart(part: unknown, whole: unknown): boolean {
  if (typeof part !== 'object' || part === null) return part === whole
  if (typeof whole !== 'object' || whole === null) return false
  return Object.entries(part).every(([name, value]) =>
    isPart(value, (whole as Record<string, unknown>)[name]),
  )
}

/** The overall result. */
export const verdictOf = (checks: readonly Check[]): Check['state'] =>
  (['bad', 'wait', 'good'] as const).find((state) => checks.some((each) => each.state === state)) ??
  'not looked at'
