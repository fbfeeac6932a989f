import { askInside } from '../build.ts'
import { type Section, text, verdict } from '../report.ts'
import type { Effort } from '../settings.ts'

/** Callbacks per second compared with a bare fetch loop, and their lateness. */
export async function measureCallbacks({ quick }: Effort): Promise<Section> {
  const counts = quick ? ['2000', '1000'] : ['10000', '5000']
  const { bare, own, p50, p99 } = (await askInside('callbacks', ...counts)) as Record<
    'bare' | 'own' | 'p50' | 'p99',
    number
  >
  return {
    title: 'Callbacks',
    about:
      `${text(Number(counts[0]))} callbacks due at the same time to one local receiver, compared with a bare \`fetch\` loop of 64 at a ` +
      'time; then the lateness at 1,000 callbacks per second.',
    tables: [
      {
        columns: ['due at once', 'callbacks/s', 'of bare'],
        rows: [
          ['bare fetch loop', text(bare), text(1, 2)],
          ['payments-sandbox', text(own), text(own / bare, 2)],
        ],
      },
      {
        columns: ['1,000 a second', 'p50 ms late', 'p99 ms late'],
        rows: [['payments-sandbox', text(p50), text(p99)]],
      },
    ],
    verdicts: [
      verdict('callbacks a second over the bare loop', own / bare, 0.7, true),
      verdict('p99 lateness at 1,000 a second, in ms,', p99, 50, false),
    ],
  }
}
