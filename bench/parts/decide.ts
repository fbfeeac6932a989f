import { askInside } from '../build.ts'
import { type Section, text, verdict } from '../report.ts'

/** Cost of loaded scenarios for a request that none of them matches. */
export async function measureDecide(): Promise<Section> {
  const costs = (await askInside('decide')) as Record<string, number>
  const [none, few, others] = Object.values(costs) as [number, number, number]
  return {
    title: 'Deciding',
    about:
      'What it costs to decide what a collection will come to when no scenario is in play, by how many scenario files are ' +
      'loaded: none, 30 of those that are shipped, and 1,000, of which 970 are about another operation or about this one.',
    tables: [
      {
        columns: ['', 'ns a request'],
        rows: Object.entries(costs).map(([name, cost]) => [name, text(cost)]),
      },
    ],
    verdicts: [
      verdict(
        'the cost with 970 files of other operations beside 30, over that with 30,',
        others / few,
        1.5,
        false,
      ),
      `With no file a request pays ${text(none)} ns.`,
    ],
  }
}
