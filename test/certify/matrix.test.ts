/** Each shop with one fault fails the check that is for it, and no other; the careful one fails none. */
import { describe, expect, it } from 'vitest'
import { type CheckId, groupOf } from '../../src/certify/check-ids.ts'
import { checkOf } from '../../src/certify/checks.ts'
import { certifyShop, withVerdict } from './certified.ts'
import { effectMutants } from './shop/mutants-effects.ts'
import { mannersMutants } from './shop/mutants-manners.ts'
import { signatureMutants } from './shop/mutants-signatures.ts'
import { mutants } from './shop/mutants.ts'
import { receivers } from './shop/receivers.ts'

const LIMIT = 120_000

const receiver = (...numbers: readonly number[]) => numbers.map((number) => `RCV-${number}`)

/** Checks that a fault could show in, by what the fault is in. */
const near = {
  signatures: receiver(1, 2, 3, 4, 5, 6, 7, 8, 9),
  effects: receiver(1, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 23, 28),
  manners: [...receiver(1, 2, 7, 20, 21, 22, 23, 24, 25, 26, 27, 28), 'SEC-5'],
  client: ['CLI', 'RCV-1', 'SEC-1', 'SEC-3', 'SEC-4'],
  // What a statement is compared by.
  names: ['CLI', 'RCV-1', 'REC'],
  // Judged from whatever happens: a little of everything is enough.
  security: ['SEC', 'CLI-1', 'CLI-12', 'RCV-1', 'RCV-25', 'RCV-27'],
  books: ['REC', 'RCV-1', 'CLI-1'],
  receivers: ['RCV'],
  onboarding: ['ONB'],
  payouts: ['PAY', 'RCV-1'],
} as const

function nearTo(id: CheckId): readonly string[] {
  if (Object.hasOwn(signatureMutants, id)) return near.signatures
  if (Object.hasOwn(effectMutants, id)) return near.effects
  if (Object.hasOwn(mannersMutants, id)) return near.manners
  if (id === 'CLI-1') return near.names
  return {
    CLI: near.client,
    SEC: near.security,
    REC: near.books,
    RCV: near.receivers,
    ONB: near.onboarding,
    PAY: near.payouts,
  }[groupOf(id)]
}

/** With `MATRIX=whole` all checks are tried on each mutant, which takes some minutes of the processor: after a change of any check. */
const isWhole = process.env['MATRIX'] === 'whole'
/** `MATRIX=sample` tries one mutant of each group and its own check, and one receiver. */
const isSample = process.env['MATRIX'] === 'sample'

/** What receivers come to, and the numbers of their checks that fail. */
const scores = {
  sloppy: { score: 44, standing: 'not_ready', failed: [2, 3, 4, 5, 6, 7, 9, 10, 11, 13, 16, 17, 23, 25] },
  typical: { score: 72, standing: 'not_ready', failed: [5, 6, 8, 13, 16, 17] },
  careful: { score: 100, standing: 'so_far', failed: [] },
}

/** Those whose fault is made by what a shop does while it is certified. */
const made = (Object.keys(mutants) as CheckId[])
  .filter((id) => id !== 'CLI-14' && (mutants[id].habits || mutants[id].origin))
  .filter((id, index, all) => !isSample || all.findIndex((each) => nearTo(each) === nearTo(id)) === index)

// Tried as a whole, each has the machine for itself: there are shops in it that are only slow.
const describeAll = isWhole ? describe : describe.concurrent

const warnings: string[] = []
process.on('warning', ({ name }) => void warnings.push(name))

describeAll('certification', () => {
  it('passes a correct shop', { timeout: LIMIT }, async () => {
    const certification = await certifyShop()
    expect(seenOf(certification, 'fail', 'inconclusive')).toEqual({})
    expect(certification.summary).toMatchObject({ ready: true, score: 100, fix_first: null })
    expect(withVerdict(certification, 'not_seen')).toEqual(['ONB-9'])
  })

  // Gaps between requests are measured in real time: a machine that stalls for a second hides or adds a fault.
  it.for(made)('%s alone fails its check', { timeout: LIMIT, retry: 2 }, async (id, { expect }) => {
    const { habits, origin } = mutants[id]
    const certification = await certifyShop({
      habits,
      origin,
      only: isWhole ? undefined : isSample ? [id, 'RCV-1'] : nearTo(id),
      // What a receiver got wrong a look-up puts right, on a slow machine before it is seen.
      patience: id.startsWith('CLI') || isWhole ? {} : { firstLook: LIMIT },
    })
    expect(Object.keys(seenOf(certification, 'fail')), JSON.stringify(seenOf(certification, 'fail'))).toEqual(
      [id],
    )
    const { level } = checkOf(id)
    if (level === 'mandatory') expect(certification.summary.ready).toBe(false)
  })

  it.for(isSample ? (['typical'] as const) : (Object.keys(scores) as (keyof typeof receivers)[]))(
    'a receiver that is %s has its score',
    { timeout: LIMIT },
    async (name, { expect }) => {
      const certification = await certifyShop({ habits: receivers[name], only: ['RCV'] })
      const { score, standing } = certification.summary
      const failed = withVerdict(certification, 'fail').map((id) => Number(id.slice('RCV-'.length)))
      expect({ score, standing, failed }).toEqual(scores[name])
    },
  )
})

describe('all of these', () => {
  it('prints no listener leak warning', () => {
    expect(warnings).not.toContain('MaxListenersExceededWarning')
  })
})

const seenOf = ({ checks }: Awaited<ReturnType<typeof certifyShop>>, ...verdicts: readonly string[]) =>
  Object.fromEntries(
    checks
      .filter(({ verdict, because }) => verdicts.includes(verdict) && because === null)
      .map(({ id, observed }) => [id, observed]),
  )
