import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compare, type Contestant, type Result } from '../load.ts'
import { start } from '../processes.ts'
import { type Section, type Table, text, verdict } from '../report.ts'
import { createCollection, getAccount } from '../requests.ts'
import { oursWith } from '../servers.ts'
import type { Effort } from '../settings.ts'

interface Grown extends Result {
  readonly transactions: number
  /** Bytes of heap per settled transaction, including its ledger rows. */
  readonly each: number
  readonly filled: number
}

/** Rate and memory by number of rows in a world. */
export async function measureGrowth(effort: Effort): Promise<Section> {
  const inMemory = await grow(effort, effort.growth, () => ({}))
  const folder = mkdtempSync(join(tmpdir(), 'bench-db-'))
  try {
    const inFile = await grow(effort, effort.growthInFile, (size) => ({
      SANDBOX_DB: join(folder, `${size}.json`),
    }))
    const first = inMemory[0]!
    const last = inMemory.at(-1)!
    return {
      title: 'Growth',
      about:
        '`createCollection` in a world that already contains settled payments, in memory and with `SANDBOX_DB`. Heap is measured after ' +
        'a garbage collection.',
      tables: [tableOf('in memory', inMemory), tableOf('with SANDBOX_DB', inFile)],
      verdicts: [
        verdict(
          `the rate at ${text(last.transactions)} transactions over the rate at none`,
          last.rate / first.rate,
          0.95,
          true,
        ),
        verdict('memory of a settled transaction with its ledger rows, in bytes,', last.each, 750, false, 0),
      ],
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function grow(
  effort: Effort,
  sizes: readonly number[],
  env: (size: number) => Record<string, string>,
): Promise<Grown[]> {
  const contestants: (Contestant & { memory: { empty: number; filled: number } })[] = []
  try {
    for (const size of sizes) {
      const command = oursWith({
        TRANSACTIONS: String(size),
        SANDBOX_SETTLE_AFTER: '1h',
        SANDBOX_RETENTION: 'off',
        ...env(size),
      })
      const server = await start(command, getAccount.path)
      const memory = (await server.ask('memory')) as { empty: number; filled: number }
      contestants.push({ name: text(size), server, memory })
    }
    const results = await compare(contestants, createCollection, effort)
    return results.map((result, i) => {
      const { empty, filled } = contestants[i]!.memory
      return {
        ...result,
        transactions: sizes[i]!,
        each: (filled - empty) / sizes[i]!,
        filled: filled / 2 ** 20,
      }
    })
  } finally {
    for (const { server } of contestants) await server.stop()
  }
}

function tableOf(where: string, grown: readonly Grown[]): Table {
  const first = grown[0]!.rate
  return {
    columns: [
      `transactions, ${where}`,
      'requests/s',
      'of the first',
      'p99 ms',
      'CPU µs/request',
      'heap MB',
      'bytes each',
    ],
    rows: grown.map((each) => [
      each.name,
      text(each.rate),
      text(each.rate / first, 2),
      text(each.p99),
      text(each.cpu),
      text(each.filled),
      each.transactions < 1000 ? '–' : text(each.each),
    ]),
  }
}
