import * as z from 'zod'
import { ADDS, scenarioName, tool, ToolError } from './tool.ts'
import type { Incident } from '../client/types.ts'

export const incidents = tool({
  name: 'incidents',
  title: 'Start an incident, or list them',
  description:
    'Incidents are timelines of what goes wrong at an operator or at the service, such as m-pesa-stalls or callback-storm. They apply to all payments of the world, whatever their origin. Without turn, lists them; start begins one, step goes to its next entry, stop ends it. The guide game-days explains incident files.',
  input: z.strictObject({
    turn: z.enum(['list', 'start', 'step', 'stop']).default('list'),
    name: scenarioName.optional().describe('The incident; required except for list.'),
    file: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('For start: an incident file; the shipped incident by default.'),
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
