import * as z from 'zod'
import { ADDS, scenarioName, tool, ToolError } from './tool.ts'
import type { Incident } from '../client/types.ts'

export const incidents = tool({
  name: 'incidents',
  description:
    'Incidents are timelines of failures at an operator or at the service, such as m-pesa-stalls, for all payments of the world. Lists them, starts one, goes to its next entry (step), or stops it. The guide game-days explains incident files.',
  input: z.strictObject({
    turn: z.enum(['list', 'start', 'step', 'stop']).default('list'),
    name: scenarioName.optional().describe('Required except for list.'),
    file: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('For start: an incident file instead of a shipped one.'),
  }),
  hints: ADDS,
  async run(world, { turn, name, file }) {
    if (turn !== 'list') {
      if (name === undefined) throw new ToolError(`turn ${turn} needs the name of an incident`)
      if (turn === 'start') await world.incidents.start(name, { file })
      else await world.incidents[turn](name)
    }
    const all = await world.incidents.list()
    const shown = turn === 'list' ? all : all.filter((each) => each.name === name)
    return { text: shown.map(textOf).join('\n') || `${name} stopped.`, facts: { incidents: shown } }
  },
})

const textOf = ({ name, title, state, entries }: Incident): string =>
  [
    `${name} [${state}]: ${title}`,
    ...entries.map(({ at, what, state: each }) => `  ${at} ${what} [${each}]`),
  ].join('\n')
