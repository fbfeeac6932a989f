import { describe, expect, it, vi } from 'vitest'
import { checkSignatures } from '../src/callbacks/signatures/doctor/check.ts'
import { checkTarget } from '../src/callbacks/target.ts'
import { redactText } from '../src/lib/log/redact.ts'
import { suggest } from '../src/lib/text/suggest.ts'
import { parsePrefer } from '../src/scenarios/prefer.ts'
import { ScenarioError } from '../src/scenarios/file.ts'
import { readFileOf, TEXT_LIMITS } from '../src/scenarios/read.ts'
import { requireSound } from '../src/worlds/seeds.ts'
import { readSeed } from '../src/worlds/read-seed.ts'
import { defaultSeed } from '../src/worlds/default-seed.ts'
import { collection } from './support/requests.ts'
import { client, refused, startSandbox } from './support/sandbox.ts'

const { world } = await startSandbox()

// A million characters: work that grows with their square would not end.
const MANY = 1_000_000

describe('text of a million characters is read in time in proportion to it', () => {
  it.each(['"'.repeat(MANY + 1), '\\"'.repeat(MANY / 2), `a="${'\\'.repeat(MANY)}`, 'a,b,'.repeat(MANY / 4)])(
    'as preferences: %#',
    (header) => {
      expect(parsePrefer(header).has('scenario')).toBe(false)
    },
  )

  it('as thousands of preferences, of which the first of a name counts', () => {
    const header = Array.from({ length: MANY / 10 }, (_, n) => `p${n}`).join(', ')
    expect(parsePrefer(`delay=1s, ${header}, delay=2s`).get('delay')).toBe('1s')
  })

  it('as the value of a signature', () => {
    const settings = {
      profile: 'custom',
      header: 'X-Sign',
      algorithm: 'sha256',
      encoding: 'hex',
      template: '{id}.{timestamp}.{body}',
      format: '{timestamp}a{id}a{signature}b',
    } as const
    const headers = { 'X-Sign': 'a'.repeat(MANY) }
    const received = { headers, body: '{}', url: 'http://x.test/', secret: 's', nowSeconds: 1 }
    expect(checkSignatures({ ...received, signatures: [settings] })).toMatchObject([{ valid: false }])
  })

  it('as a host with a row of dots', () => {
    const address = `http://${'.'.repeat(MANY / 10)}a/`
    expect(() => checkTarget(address, 'hosted')).not.toThrow()
  })

  it.each([
    `?${'&'.repeat(MANY)}`,
    `?${`&${'token'.repeat(8)}`.repeat(MANY / 50)}`,
    `@${'://'.repeat(MANY / 3)}`,
    `basic${' '.repeat(MANY)}`,
    'whsec_'.repeat(MANY / 10),
  ])('where secrets are kept out of logs: %#', (text) => {
    expect(redactText(text).length).toBeGreaterThan(0)
  })

  it('as an unknown word', () => {
    expect(suggest('a'.repeat(MANY), ['amount'])).toBeUndefined()
    expect(suggest('amount', ['a'.repeat(MANY), 'ammount'])).toBe('ammount')
    const names = Array.from({ length: MANY / 10 }, (_, n) => `field-${n}`)
    expect(suggest('amount', names)).toBeUndefined()
  })
})

describe('a body with very many issues', () => {
  it('returns 400 with the first 20 errors and the number of further ones', async () => {
    const costs = Array.from({ length: 900 }, () => ({ cost: 'x' }))
    const { status, body } = await world().patch('/sandbox/worlds/current', { costs })
    expect(status).toBe(400)
    expect(body.error_message).toMatch(/^costs\[0\]\.cost must be .*; and 880 more$/)
    expect(body.error_message.length).toBeLessThan(5_000)
  })

  it('returns 400 with the closest field name among a hundred thousand', async () => {
    const w = world()
    const { amount, ...others } = collection(w) as { amount: number }
    const strange = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`s${n}`, 1]))
    const { body } = await w.post('/api/v2/payments', { ammount: amount, ...others, ...strange })
    expect(body.error_message).toBe('amount is required, got ammount instead')
  })
})

describe('the text of a scenario', () => {
  const repeated = (line: (n: number) => string, most: number) =>
    Array.from({ length: most }, (_, n) => line(n)).join('')
  const issuesOf = async (text: string) => {
    const error = await readFileOf('mine', 'mine.yaml', text, TEXT_LIMITS).catch((thrown: Error) => thrown)
    expect(error).toBeInstanceOf(ScenarioError)
    return (error as ScenarioError).message.split('\n')
  }

  it.each([
    ['keys that there are not', repeated((n) => `k${n}: 1\n`, 1_500), 1_481],
    ['keys that are there twice', repeated(() => 'a: 1\n', 1_500), 1_479],
    [
      'operations that there are not',
      `title: T\nwhen: { operation: [${repeated((n) => `x${n},`, 1_000)}] }`,
      980,
    ],
    ['escapes that are none', `a: "${'\\x'.repeat(1_000)}"`, 480],
  ])('is refused for the first 20 of very many %s', async (_, text, more) => {
    const issues = await issuesOf(text)
    expect(issues).toHaveLength(21)
    expect(issues[20]).toBe(`and ${more} more`)
    expect(issues.join('\n').length).toBeLessThan(10_000)
  })

  it.each([
    [
      'too much in it',
      repeated(() => '- x\n', 16_000),
      /there is too much in the text: more than 12000 lines/,
    ],
    ['brackets in one another', '['.repeat(60_000), /nested too deeply: more than 100 lists and maps/],
    ['lists in one another', '- '.repeat(30_000), /nested too deeply/],
    ['aliases', `a: &a x\nb: [${repeated(() => '*a, ', 51)}]\n`, /too many aliases: more than 50/],
    [
      'conditions',
      `title: T\nwhen:\n${repeated((n) => `  body.f${n}: 1\n`, 51)}`,
      /when must have at most 50/,
    ],
    [
      'characters',
      `title: ${'x'.repeat(70_000)}\n`,
      /too long: it has 70008 characters, and 65536 are the most/,
    ],
  ])('is refused for %s', async (_, text, message) => {
    expect((await issuesOf(text))[0]).toMatch(message)
  })

  it('takes the same time per step for a scenario with thousands of steps', async () => {
    // The operations that a file is for are worked out once, not for each step.
    const flat = vi.spyOn(Array.prototype, 'flatMap')
    const text = (steps: number) =>
      `title: T\nafterLast: none\nsteps:\n${repeated(() => '- then: { delay: 1s }\n', steps)}`
    await readFileOf('mine', 'mine.yaml', text(1), TEXT_LIMITS)
    const few = flat.mock.calls.length
    flat.mockClear()
    await readFileOf('mine', 'mine.yaml', text(500), TEXT_LIMITS)
    expect(flat.mock.calls.length).toBeLessThan(few + 500 * 5)
    vi.restoreAllMocks()
  })

  it('413 over the wire for more than 64 KiB', async () => {
    const text = `title: T\nsummary: ${'x'.repeat(70_000)}\nthen: { delay: 1s }\n`
    expect(
      await world().put('/sandbox/scenarios/mine', text, { 'content-type': 'application/yaml' }),
    ).toMatchObject(refused(413, 'payload_too_large', 'the request body is over the limit of 65536 bytes'))
  })
})

describe('a seed with very many issues', () => {
  const seed = defaultSeed('demo', 'demo')
  const teams = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ ...seed.teams[0]!, id: 1_000 + n, uuid: 'same', members: {} }))

  it('is refused for the first 20, with ten of the ids that there are', () => {
    const channels = Array.from({ length: 8_000 }, (_, n) => ({
      ...seed.channels![0]!,
      id: n,
      account_id: 1,
    }))
    const wrong = { ...seed, teams: [...seed.teams, ...teams(8_000)], channels }
    let message = ''
    try {
      requireSound(wrong)
    } catch (error) {
      ;({ message } = error as Error)
    }
    expect(message).toMatch(/^seed\.teams\[\d+\]\.uuid: same is not unique; .*; and 1\d{4} more$/)
    expect(message.length).toBeLessThan(2_000)
    const one = () =>
      requireSound({ ...wrong, teams: [...teams(1), ...seed.teams], channels: channels.slice(0, 1) })
    expect(one).toThrow(/there is no Team 1; known are 1000, 63/)
    const many = teams(30).map((team) => ({ ...team, uuid: String(team.id) }))
    expect(() =>
      requireSound({ ...seed, teams: [...seed.teams, ...many], channels: channels.slice(0, 1) }),
    ).toThrow(/there is no Team 1; known are (\d+, ){9}\d+ and \d+ more/)
  })

  it('is refused in a file likewise', async () => {
    const lines = Array.from({ length: 1_000 }, (_, n) => `k${n}: 1\n`).join('')
    const { message } = (await readSeed(lines, 'seed.yaml').catch((error: Error) => error)) as Error
    expect(message.split('\n')).toHaveLength(21)
    expect(message).toMatch(/\nand 9\d\d more$/)
    const aliases =
      'a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c]\n'
    await expect(readSeed(aliases, 'seed.yaml')).rejects.toThrow(/^seed\.yaml:1:1: Excessive alias count/)
  })
})

describe('too many worlds', () => {
  it('429 without another look at every world, and room as soon as one is idle', async () => {
    let now = Date.parse('2026-06-13T12:00:00Z')
    let looks = 0
    const wall = () => {
      looks++
      return now
    }
    const { sandbox } = await startSandbox({ SANDBOX_MAX_WORLDS: '40', SANDBOX_WORLD_TTL: '1h' }, { wall })
    const get = (suffix: string) => client(sandbox, `demo+${suffix}`, 'demo').get('/api/v2/account/63')
    for (let n = 1; n < 40; n++) expect((await get(`w${n}`)).status).toBe(200)
    expect((await get('late')).status).toBe(429)
    looks = 0
    expect((await get('late')).status).toBe(429)
    expect(looks).toBeLessThan(20)
    now += 3_600_001
    expect((await get('w1')).status).toBe(200)
    expect((await get('late')).status).toBe(200)
    expect(sandbox.worlds.all().length).toBeLessThan(5)
    expect(sandbox.worlds.get('demo+w1')).toBeDefined()
  })
})
