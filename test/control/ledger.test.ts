import { every } from '../support/rows.ts'
import { linesOf, packLines } from '../../src/storage/store/tables.ts'
import { describe, expect, it } from 'vitest'
import { startSandbox, type TestWorld } from '../support/sandbox.ts'
import { collection } from '../support/requests.ts'

const { world } = await startSandbox()

async function paid(w: TestWorld, times: number): Promise<readonly string[]> {
  const references = []
  for (let n = 0; n < times; n++) {
    const { body } = await w.post('/api/v2/payments', collection(w))
    references.push(body.reference)
    await w.settle()
  }
  return references
}

describe('GET /sandbox/ledger', () => {
  it('lists the newest postings first, a page at a time, and those of one transaction', async () => {
    const w = world()
    const [first, second] = await paid(w, 3)
    const all = (await w.get('/sandbox/ledger')).body
    const ids = all.postings.map(({ id }: { id: number }) => id)
    expect(ids).toEqual(ids.toSorted((a: number, b: number) => b - a))
    expect(all.checked_postings).toBe(ids.length)

    const read = []
    for (let before: number | null = Infinity; before !== null;) {
      const query = before === Infinity ? '' : `&before=${before}`
      const { body } = await w.get(`/sandbox/ledger?limit=2${query}`)
      read.push(...body.postings.map(({ id }: { id: number }) => id))
      before = body.next_before
    }
    expect(read).toEqual(ids)

    for (const reference of [first, second]) {
      const { body } = await w.get(`/sandbox/ledger?transaction=${reference}`)
      expect(body.postings.length).toBeGreaterThan(0)
      expect(body.postings.every((each: { transaction: string }) => each.transaction === reference)).toBe(
        true,
      )
    }
  })

  it('lists the postings of one account with its balance after each', async () => {
    const w = world()
    const [reference] = await paid(w, 3)
    for (const account of ['team:63:wallet', 'team:63:wallet:KES']) {
      const { balances, postings } = (await w.get(`/sandbox/ledger?account=${account}`)).body
      expect(postings.length).toBe(4)
      let expected = balances[0].balance
      for (const { balance, lines } of postings) {
        expect(balance).toBeCloseTo(expected)
        expected -= lines.find((line: { account: string }) => line.account === 'team:63:wallet:KES').amount
      }
      expect(expected).toBeCloseTo(0)
    }
    const one = (await w.get(`/sandbox/ledger?account=fees:KES&transaction=${reference}`)).body
    expect(one.postings).toMatchObject([{ transaction: reference }])
    expect(one.postings[0]).not.toHaveProperty('balance')
    expect((await w.get('/sandbox/ledger')).body.postings[0]).not.toHaveProperty('balance')
  })

  it('sums new postings, and detects a changed balance or posting', async () => {
    const w = world()
    await paid(w, 2)
    expect((await w.get('/sandbox/ledger')).body).toMatchObject({ balanced: true })
    await paid(w, 1)
    const { body } = await w.get('/sandbox/ledger')
    expect(body).toMatchObject({ balanced: true, checked_postings: body.postings.length })

    const [old] = await w.world().read(({ rows }) => every(rows, 'postings'))
    const wrong = {
      ...old!,
      lines: packLines(linesOf(old!).map((line) => ({ ...line, amount: line.amount + 1 }))),
    }
    await w.world().change(({ rows }) => rows.put('postings', wrong))
    expect((await w.get('/sandbox/ledger')).body).toMatchObject({ balanced: false })
    await w.world().change(({ rows }) => rows.put('postings', old!))
    expect((await w.get('/sandbox/ledger')).body).toMatchObject({ balanced: true })

    const [balance] = await w.world().read(({ rows }) => rows.all('balances'))
    await w.world().change(({ rows }) => rows.put('balances', { ...balance!, amount: balance!.amount + 1 }))
    expect((await w.get('/sandbox/ledger')).body).toMatchObject({ balanced: false })
  })

  it('still balances when old postings are replaced', async () => {
    const w = world()
    await paid(w, 3)
    await w.get('/sandbox/ledger')
    await w.world().change(({ rows }) => {
      const [first, second] = every(rows, 'postings').filter((each) => each.kind !== 'opening')
      rows.put('postings', { ...first!, lines: [...first!.lines, ...second!.lines] })
      rows.delete('postings', second!.id)
    })
    const { body } = await w.get('/sandbox/ledger')
    expect(body).toMatchObject({ balanced: true, checked_postings: body.postings.length })
  })
})
