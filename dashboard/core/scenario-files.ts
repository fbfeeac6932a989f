/** Scenarios: from a logged request, tried with a sample, and grouped. */
import type { RecordedRequest } from '../../src/client/types.ts'
import type { Scenario, ScenarioSample } from '../../src/generated/control/types.ts'

const PAYMENTS = ['createCollection', 'createWithdrawal', 'createGlobalPayment']

/** Fields that distinguish requests, the most distinctive first. */
const TELLING = ['phone_number', 'amount', 'account_id', 'country', 'organization_id']

/** @returns a scenario file in YAML */
export function scenarioOf({ id, method, path, operation, status, body, response }: RecordedRequest): string {
  const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  const told = TELLING.flatMap((name) => {
    const value = fields[name]
    return typeof value === 'string' || typeof value === 'number'
      ? [`  body.${name}: ${JSON.stringify(value)}`]
      : []
  })
  const others = told.slice(1).map((line) => line.replace('  ', '  # '))
  return [
    `# Created from ${id}: ${method} ${path.replace(/[^ -~]/g, '?')}, answered ${status ?? 'nothing'}.`,
    `title: ${operation ?? 'A request'} like ${id}, with another outcome`,
    'when:',
    ...(operation ? [`  operation: ${operation}`] : []),
    ...told.slice(0, 1),
    ...others,
    'then:',
    `  ${thenOf(operation, status, response)}`,
    '',
  ].join('\n')
}

function thenOf(operation: string | null, status: number | null, response: unknown): string {
  const { error_code, error_message } = (response ?? {}) as Record<string, unknown>
  if ((status ?? 0) >= 400 && typeof error_code === 'string')
    return `respond: { error_code: ${error_code}, error_message: ${JSON.stringify(String(error_message).slice(0, 500))} }`
  if (operation && PAYMENTS.includes(operation))
    return (
      'settle: { after: 3s, status: failed, reason: ' +
      (operation === 'createCollection' ? 'cancelled' : 'operator_error') +
      ' }'
    )
  return 'delay: 5s'
}

/** Checks a scenario's expectations in the current world. */

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

export const verdictOf = (checks: readonly Check[]): Check['state'] =>
  (['bad', 'wait', 'good'] as const).find((state) => checks.some((each) => each.state === state)) ??
  'not looked at'

type Sorted = Pick<Scenario, 'name' | 'source' | 'outcome' | 'operations'>

const payins = ['createCollection']
/** The first matching group takes a scenario. */
const groups: readonly (readonly [title: string, fits: (scenario: Sorted) => boolean])[] = [
  ['Custom', ({ source }) => source === 'this world'],
  ['Cards', ({ name }) => name.startsWith('card-')],
  ['KYC reviews', ({ operations }) => operations.includes('submitKyc') && operations.length <= 2],
  ['Statements', ({ outcome }) => outcome.startsWith('statement')],
  ['Delays', ({ outcome }) => /, then |status quer|stays queued/.test(outcome)],
  [
    'Failing pay-ins',
    ({ outcome, operations }) =>
      outcome.startsWith('fails') && payins.some((each) => operations.includes(each)),
  ],
  ['Failing payouts', ({ outcome }) => outcome.startsWith('fails')],
  ['Callbacks', ({ outcome }) => /callback/.test(outcome)],
  ['Responses and connections', () => true],
]
const order = [
  'Custom',
  'Failing pay-ins',
  'Cards',
  'Failing payouts',
  'Delays',
  'Callbacks',
  'Responses and connections',
  'KYC reviews',
  'Statements',
]

/** Groups in display order, without empty ones. */
export function grouped<S extends Sorted>(all: readonly S[]): readonly (readonly [string, readonly S[]])[] {
  const found = new Map<string, S[]>()
  for (const scenario of all) {
    const [title] = groups.find(([, fits]) => fits(scenario))!
    found.set(title, [...(found.get(title) ?? []), scenario])
  }
  return order.flatMap((title) => {
    const those = found.get(title)
    return those ? [[title, those] as const] : []
  })
}

export const isOfPayments = ({ operations }: Pick<Scenario, 'operations'>): boolean =>
  operations.some((each) => PAYMENTS.includes(each))
