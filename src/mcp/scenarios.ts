import * as z from 'zod'
import type { Scenario } from '../client/types.ts'
import { ADDS, LOOKS, scenarioName, SETS, tool, ToolError } from './tool.ts'

export const scenarios = tool({
  name: 'scenarios',
  description:
    'Lists the scenarios: outcomes that requests select by name or by the ending of a phone number. With name: its file, and sample requests.',
  input: z.strictObject({
    name: scenarioName.optional(),
    search: z.string().max(100).optional().describe('Text in name, title or summary.'),
  }),
  hints: LOOKS,
  async run(world, { name, search }) {
    if (name !== undefined) {
      const [scenario, file, samples] = await Promise.all([
        world.scenarios.get(name),
        world.scenarios.source(name),
        world.scenarios.samples(name),
      ])
      return {
        text: `${scenario.title}. ${scenario.outcome}\n\n${file}`,
        facts: { scenarios: [scenario], file, samples },
      }
    }
    const wanted = search?.toLowerCase() ?? ''
    const all = (await world.scenarios.list()).filter((each) =>
      `${each.name} ${each.title} ${each.summary}`.toLowerCase().includes(wanted),
    )
    return {
      text: all.map(lineOf).join('\n') || `No scenario contains ${search}; call without search for all.`,
      facts: { scenarios: all.map(brief), file: null, samples: [] },
    }
  },
})

const lineOf = ({ name, title, ending, on, queued }: Scenario) =>
  `${name}: ${title}${ending ? ` (phone numbers ending in ${ending})` : ''}${on ? ' [on]' : ''}${queued > 0 ? ` [next ${queued}]` : ''}`

const brief = ({ name, title, ending, on, queued, operations }: Scenario) => ({
  name,
  title,
  ending,
  on,
  queued,
  operations,
})

export const writeScenario = tool({
  name: 'write_scenario',
  description:
    'Validates a scenario file and adds it to the world; mistakes are reported with their lines. The guide scenario-files has all words, the tool scenarios has examples. It applies to requests that match its `when`, or to all requests while it is on.',
  input: z.strictObject({
    name: scenarioName.regex(
      /^[a-z\d][a-z\d-]*$/,
      'must consist of lower-case letters, digits and hyphens, such as slow-cancel',
    ),
    file: z
      .string()
      .min(1)
      .max(65_536)
      .describe(
        'YAML, such as "title: Cancels late\\nthen: { settle: { after: 50s, status: failed, reason: cancelled } }".',
      ),
    check_only: z.boolean().default(false).describe('Validate only.'),
  }),
  hints: SETS,
  async run(world, { name, file, check_only }) {
    const { valid, issues, more } = await world.scenarios.check(file, name)
    if (!valid)
      throw new ToolError(
        [
          `The file was not added; it has ${issues.length + more} mistakes:`,
          ...issues.map((each) => `line ${each.line}, column ${each.column}: ${each.message}`),
          'The guide scenario-files explains every word (tool docs, read: scenario-files).',
        ].join('\n'),
        { valid, put: false, issues, more },
      )
    if (check_only)
      return { text: 'The file is valid; it was not added.', facts: { valid, put: false, scenario: null } }
    const scenario = await world.scenarios.put(name, file)
    return {
      text: `${name} was added. ${scenario.outcome} To try it, call pay with outcome ${name}, or use_scenario to apply it to requests.`,
      facts: { valid, put: true, scenario },
    }
  },
})

export const useScenario = tool({
  name: 'use_scenario',
  description:
    'Applies scenarios to requests of the integration: to all matching requests (on, off), to the next ones (next), or to none.',
  input: z.strictObject({
    turn: z.enum(['on', 'off', 'next', 'none']),
    name: scenarioName.optional().describe('Required except for none.'),
    times: z.int().min(1).max(100).default(1).describe('For next.'),
  }),
  hints: ADDS,
  async run(world, { turn, name, times }) {
    if (turn === 'none') await world.scenarios.reset()
    else if (name === undefined) throw new ToolError(`turn ${turn} needs the name of a scenario`)
    else if (turn === 'next') await world.scenarios.next(name, times)
    else await world.scenarios[turn](name)
    const all = await world.scenarios.list()
    const on = all.filter((each) => each.on).map((each) => each.name)
    const queued = Object.fromEntries(
      all.filter((each) => each.queued > 0).map((each) => [each.name, each.queued]),
    )
    const next = Object.entries(queued).map(([each, count]) => `${each} (${count})`)
    return {
      text: `On: ${on.join(', ') || 'none'}. For the next requests: ${next.join(', ') || 'none'}.`,
      facts: { on, queued },
    }
  },
})
