import { type Figures, measure, type Measured, type Setup } from '../cluster/contestant.ts'
import { type Database, startDatabase } from '../cluster/database.ts'
import { type Section, text, verdict } from '../report.ts'
import type { Effort } from '../settings.ts'

/** Payments per second and process of the even load, and of the latency goal over three processes. */
const EACH = 150
const STEADY = 500
const MOST_STATEMENTS = 2
const MANY = 50
const AWAY = 2.5

interface Row extends Setup, Measured {}

/** Several processes over one PostgreSQL, compared with one process in memory. */
export async function measureCluster(effort: Effort): Promise<Section> {
  const database = await startDatabase()
  if (!database)
    return { title: 'Cluster', about: ABOUT, tables: [], verdicts: ['Skipped: there is no PostgreSQL.'] }
  const rows: Row[] = []
  try {
    for (const setup of setups(effort, database)) {
      const rate = setup.processes === 3 && setup.worlds === 1 ? STEADY / 3 : EACH
      rows.push({ ...setup, ...(await measure(setup, effort, rate)) })
    }
  } finally {
    await database.stop()
  }
  const of = (wanted: Partial<Setup>) =>
    rows.find((row) => Object.entries(wanted).every(([name, value]) => row[name as keyof Setup] === value))
  const memory = of({ database: undefined, worlds: MANY })
  const one = of({ database, worlds: MANY, processes: 1, away: 0 })
  return {
    title: 'Cluster',
    about: ABOUT,
    tables: [
      tableOf('createCollection', rows, ({ accepted }) => accepted),
      { ...tableOf('settled and called back', rows, ({ whole }) => whole), terminalOnly: true },
      tableOf('even load', rows, ({ steady }) => steady),
    ],
    verdicts: [
      ...(memory && one
        ? [
            verdict(
              `the rate of one process at ${MANY} worlds over that of memory`,
              one.accepted.rate / memory.accepted.rate,
              0.5,
              true,
            ),
          ]
        : []),
      ...rows
        .filter(({ processes, away, database }) => database && processes === 3 && away === 0)
        .map((row) =>
          verdict(
            `p99 at ${text(row.steady.rate)} payments a second, ${nameOf(row)}, in ms,`,
            row.steady.p99,
            50,
            false,
            1,
          ),
        ),
      ...rows
        .filter(({ byWorld }) => byWorld)
        .map((row) =>
          verdict(
            `statements a payment at ${EACH} payments a second and process, ${nameOf(row)},`,
            row.steady.statements,
            MOST_STATEMENTS,
            false,
            2,
          ),
        ),
      ...rows
        .filter((row) => row.accepted.failed + row.whole.failed + row.steady.failed > 0)
        .map(
          (row) =>
            `${nameOf(row)}: ${row.accepted.failed + row.steady.failed} payments were refused, ${row.whole.failed} not called back.`,
        ),
    ],
  }
}

const ABOUT =
  '`createCollection` in one world and in fifty, on one to three processes that share a PostgreSQL with fsync on, next to them or ' +
  `${AWAY} ms away, compared with one process in memory. *By world*: one process serves all requests of a world. The second table shows ` +
  'response times at an even rate. CPU time is per payment; a trip is a wait for the database; a batch is one transaction. The ' +
  'terminal also shows payments until their callback.'

function setups({ quick }: Effort, database: Database): readonly Setup[] {
  const worlds = [1, MANY]
  // CLUSTER=1x50 measures one setup and memory.
  const only = /^(\d)x(\d+)(?:@([\d.]+))?$/.exec(process.env['CLUSTER'] ?? '')
  const [processes, many, away] = only
    ? [[Number(only[1])], [Number(only[2])], [Number(only[3] ?? 0)]]
    : [quick ? [1, 3] : [1, 2, 3], worlds, [0, AWAY]]
  return [
    ...worlds.map((count) => ({ database: undefined, processes: 1, worlds: count, away: 0, byWorld: false })),
    ...away.flatMap((ms) =>
      processes.flatMap((count) =>
        many.flatMap((each) =>
          // With one process or one world, the results are the same.
          (count > 1 && each > 1 ? [false, true] : [false]).map((byWorld) => ({
            database,
            processes: count,
            worlds: each,
            away: ms,
            byWorld,
          })),
        ),
      ),
    ),
  ]
}

const nameOf = ({ database, processes, worlds, away, byWorld }: Setup) =>
  [
    database ? `${processes} ${processes === 1 ? 'process' : 'processes'}` : 'memory',
    `${worlds} ${worlds === 1 ? 'world' : 'worlds'}`,
    ...(away > 0 ? [`${away} ms away`] : []),
    ...(byWorld ? ['by world'] : []),
  ].join(', ')

const tableOf = (title: string, rows: readonly Row[], figures: (row: Row) => Figures) => {
  const rateOfMemory = ({ worlds }: Row) =>
    figures(rows.find((row) => !row.database && row.worlds === worlds)!).rate
  return {
    columns: [
      title,
      'payments/s',
      'of memory',
      'p50 ms',
      'p99 ms',
      'CPU µs',
      'CPU µs, database',
      'trips',
      'statements',
      'changes a batch',
    ],
    rows: rows.map((row) => {
      const { rate, p50, p99, cpu, databaseCpu, trips, statements, batch } = figures(row)
      return [
        nameOf(row),
        text(rate),
        text(rate / rateOfMemory(row), 2),
        text(p50),
        text(p99),
        text(cpu),
        text(row.database ? databaseCpu : Number.NaN),
        text(row.database ? trips : Number.NaN, 2),
        text(row.database ? statements : Number.NaN, 2),
        text(batch, 1),
      ]
    }),
  }
}
