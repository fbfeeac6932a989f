/** Whether what the file of a scenario promises came true in the world that is open. */
import type { ScenarioSample } from '../../src/generated/control/types.ts'

/** What there is to be seen of a request that was sent. */
export interface Seen {
  /** Undefined where the connection was cut. */
  readonly status: number | undefined
  readonly body: unknown
  /** How its transaction stands; undefined while there is none. */
  readonly transaction: { readonly status: string; readonly reason: string | null } | undefined
  /** The bodies of the callbacks that came, the first one first. */
  readonly callbacks: readonly unknown[]
  /** Whether the world still owes something, so that more may come. */
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

/** The words of `expect` that this looks at; others are for the command line, which has a world of its own. */
export function checksOf({ expect }: Pick<ScenarioSample, 'expect'>, seen: Seen): readonly Check[] {
  const later = (what: string, wanted: unknown, got: unknown, holds: boolean, early = holds): Check => ({
    what,
    wanted: shown(wanted),
    got: shown(got),
    state: early ? 'good' : seen.owes ? 'wait' : holds ? 'good' : 'bad',
  })
  const lookAt: { readonly [word: string]: (wanted: unknown) => Check } = {
    answer(wanted) {
      const cut = wanted === 'cut'
      const { status, body } = (typeof wanted === 'object' ? wanted : { status: wanted }) as Partial<Seen>
      const holds = cut
        ? seen.status === undefined
        : (status === undefined || status === seen.status) && (body === undefined || isPart(body, seen.body))
      const got = seen.status === undefined ? 'cut' : body === undefined ? seen.status : seen.body
      return { what: 'answer', wanted: shown(wanted), got: shown(got), state: holds ? 'good' : 'bad' }
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

/** Whether all that one object says is said by another too. */
function isPart(part: unknown, whole: unknown): boolean {
  if (typeof part !== 'object' || part === null) return part === whole
  if (typeof whole !== 'object' || whole === null) return false
  return Object.entries(part).every(([name, value]) =>
    isPart(value, (whole as Record<string, unknown>)[name]),
  )
}

/** All of it, in a word. */
export const verdictOf = (checks: readonly Check[]): Check['state'] =>
  (['bad', 'wait', 'good'] as const).find((state) => checks.some((each) => each.state === state)) ??
  'not looked at'
