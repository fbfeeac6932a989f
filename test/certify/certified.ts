import type { CheckId } from '../../src/certify/check-ids.ts'
import { certify, type GivenHere } from '../../src/certify/library.ts'
import type { Certification, Verdict } from '../../src/certify/certification.ts'
import type { ProfileFile } from '../../src/certify/profile.ts'
import { careful, type Habits } from './shop/habits.ts'
import { createShop, type Patience } from './shop/shop.ts'
import { memoryStore } from './shop/store.ts'

/** As long as a test wants to wait for a shop, and for what goes by the wall's clock no shorter than checks take for granted. */
const QUICK: Partial<Patience> = { pause: 150, tries: 4, firstLook: 1000, looks: 4, response: 5000 }

/** Answers later than this are late, milliseconds. */
export const WITHIN = 2000

export interface ShopUnderTest {
  /** What it does otherwise than the careful shop; made anew for each. */
  readonly habits?: ((careful: Habits) => Partial<Habits>) | undefined
  /** Where it is called back. */
  readonly origin?: string | undefined
  readonly only?: readonly string[] | undefined
  readonly patience?: Partial<Patience> | undefined
  /** The time limit of its receiver, milliseconds. */
  readonly within?: number
  readonly say?: (text: string) => void
  /** What its profile says otherwise. */
  readonly profile?: Partial<ProfileFile> | undefined
}

/** Certifies a shop in this process, in a sandbox of its own. */
export async function certifyShop({
  habits,
  origin = 'https://shop.example',
  only,
  patience,
  within = WITHIN,
  say,
  profile: otherwise,
}: ShopUnderTest = {}): Promise<Certification> {
  const store = memoryStore()
  let secrets: readonly string[] = []
  let reach: typeof globalThis.fetch
  let account = { baseUrl: '', authorization: '', callbackUrl: `${origin}/callback` }
  const begin = () =>
    createShop({
      account,
      store,
      secrets: () => secrets,
      fetch: (request) => reach(request),
      patience: { ...QUICK, ...patience },
      habits: habits?.(careful) ?? {},
    })
  let shop = begin()
  const ask = async (path: string, body?: string) =>
    shop.fetch(new Request(origin + path, body === undefined ? {} : { method: 'POST', body }))
  const start = async (
    path: string,
    { order, amount, phone, sandbox, authorization, callback, secret, fetch }: GivenHere,
  ) => {
    reach = fetch
    if (!secrets.includes(secret)) secrets = [secret]
    account = { baseUrl: sandbox, authorization, callbackUrl: callback }
    await ask(path, JSON.stringify({ order, amount, phone, ...account }))
  }
  const profile: ProfileFile = {
    profile: 'shop',
    isolation: 'world',
    receiver: { url: `${origin}/callback`, within },
    client: { patience: 1200, finds_out: 5000, slow: 1600 },
    features: ['collect', 'withdraw', 'reversals', 'status-queries', 'reconciliation'],
    trigger: (given) => start('/test/checkout', given),
    payout: (given) => start('/test/payouts', given),
    async probe(order) {
      const answer = await ask(`/test/orders/${order}`)
      if (answer.status === 404) return undefined
      const { status, deliveries, paid } = (await answer.json()) as {
        status: string
        deliveries: number
        paid: number
      }
      const state = STATES[status as keyof typeof STATES] ?? status
      return { state, fulfilled: deliveries, amount: paid }
    },
    restart() {
      shop.stop()
      shop = begin()
    },
    rotate(secret, old) {
      secrets = old ? [secret, old] : [secret]
    },
    async reconcile(statement) {
      const query = new URLSearchParams({ account: account.authorization })
      const answer = await ask(`/test/reconcile?${query}`, statement)
      const { differences } = (await answer.json()) as { differences: string[] }
      return differences.length
    },
    ...otherwise,
  }
  try {
    return await certify({ profile, only, say, receivers: { [origin]: (request) => shop.fetch(request) } })
  } finally {
    shop.stop()
  }
}

/** What the shop's words mean. */
const STATES = { waiting: 'open', refused: 'failed', unclear: 'flagged' } as const

/** The checks that had one of these verdicts. */
export const withVerdict = ({ checks }: Certification, ...verdicts: readonly Verdict[]): readonly CheckId[] =>
  checks.filter(({ verdict }) => verdicts.includes(verdict)).map(({ id }) => id)
