import { askInside } from '../build.ts'
import { type Section, text, verdict } from '../report.ts'

/** Cost of loaded scenarios for a request that none of them matches. */
export async function measureDecide(): Promise<Section> {
  const costs = (await askInside('decide')) as Record<string, number>
  const [none, few, others] = Object.values(costs) as [number, number, number]
  return {
    title: 'Deciding',
    about:
      'Cost of deciding the outcome of a collection when none applies, by number of scenario files: none, 30 shipped ones, and 970 ' +
      'more for another operation or for this one.',
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
