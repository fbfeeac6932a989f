import * as z from 'zod'
import { ADDS, described, listOf, LOOKS, scenarioName, SETS, tool, ToolError } from './tool.ts'

/** Which outcomes there are. */
export const scenarios = tool({
  name: 'scenarios',
  title: 'List outcomes, or show one',
  description:
    'Lists the scenarios, each an outcome that requests can be given: by name, or by the magic phone number whose ending it has. With a name: its file, and the requests that show it.',
  input: z.strictObject({
    name: scenarioName.optional(),
    search: z
      .string()
      .max(100)
      .optional()
      .describe('Only those with this text in their name, title or summary.'),
  }),
  output: z.object({
    scenarios: listOf('With name, title, outcome, magic ending, and whether they are on.'),
    file: z.string().nullable().describe('Its YAML, when a name was given.'),
    samples: listOf('Requests that show it, when a name was given.'),
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
      text: all.map(lineOf).join('\n') || `No scenario has ${search} in it; call without search for all.`,
      facts: { scenarios: all.map(brief), file: null, samples: [] },
    }
  },
})

type Listed = {
  readonly name: string
  readonly title: string
  readonly magic: string | null
  readonly on: boolean
  readonly queued: number
  readonly operations: readonly string[]
}

const lineOf = ({ name, title, magic, on, queued }: Listed) =>
  `${name}: ${title}${magic ? ` (magic number ending ${magic})` : ''}${on ? ' [on]' : ''}${queued > 0 ? ` [next ${queued}]` : ''}`

const brief = ({ name, title, magic, on, queued, operations }: Listed) => ({
  name,
  title,
  magic,
  on,
  queued,
  operations,
})

/** A scenario of the world's own. */
export const writeScenario = tool({
  name: 'write_scenario',
  title: 'Write a scenario',
  description:
    'Checks a scenario file and puts it into the world; a mistake is told with its line and the nearest right word, and nothing is put then. The guide scenario-files has every word, and the tool scenarios shows files to begin with. It meets requests that fit its `when`, or all that it is switched on for.',
  input: z.strictObject({
    name: scenarioName.regex(
      /^[a-z\d][a-z\d-]*$/,
      'must be small letters, digits and hyphens, such as slow-cancel',
    ),
    file: z
      .string()
      .min(1)
      .max(65_536)
      .describe(
        'YAML, such as "title: The payer cancels late\\nthen:\\n  settle: { after: 50s, status: failed, reason: cancelled }".',
      ),
    check_only: z.boolean().default(false).describe('Whether to check it without putting it.'),
  }),
  output: z.object({
    valid: z.boolean(),
    put: z.boolean(),
    scenario: described('As it was put; null when it was only checked.').nullable(),
  }),
  hints: SETS,
  async run(world, { name, file, check_only }) {
    const { valid, issues, more } = await world.scenarios.check(file, name)
    if (!valid)
      throw new ToolError(
        [
          `The file was not put; it has ${issues.length + more} mistakes:`,
          ...issues.map((each) => `line ${each.line}, column ${each.column}: ${each.message}`),
          'The guide scenario-files has every word (tool docs, read: scenario-files).',
        ].join('\n'),
        { valid, put: false, issues, more },
      )
    if (check_only)
      return { text: 'The file is right; it was not put.', facts: { valid, put: false, scenario: null } }
    const scenario = await world.scenarios.put(name, file)
    return {
      text: `${name} was put. ${scenario.outcome} Try it: pay with scenario ${name}, or use_scenario to have requests meet it.`,
      facts: { valid, put: true, scenario },
    }
  },
})

/** Which outcome requests meet. */
export const useScenario = tool({
  name: 'use_scenario',
  title: 'Have requests meet a scenario',
  description:
    'Sets what requests of the integration meet from now on: a scenario for all requests that fit (on, off), for the next so many (next), or none any more (none).',
  input: z.strictObject({
    turn: z.enum(['on', 'off', 'next', 'none']),
    name: scenarioName.optional().describe('The scenario; for all but none.'),
    times: z.int().min(1).max(100).default(1).describe('For next: how many requests.'),
  }),
  output: z.object({ on: z.array(z.string()), queued: described('How many requests each still decides.') }),
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
