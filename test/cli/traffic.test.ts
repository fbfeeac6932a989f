import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { TrafficRun } from '../../src/client/types.ts'
import { play } from '../traffic/shops.ts'
import { reports } from '../../src/traffic/reports.ts'
import { ended } from './process.ts'
import { temporaryFolder } from '../support/folder.ts'

const folder = temporaryFolder()
const file = async (name: string, text: string) => {
  await writeFile(join(folder, name), text)
  return join(folder, name)
}
const PROFILE = `profile: shop
port: 0
trigger: { command: 'true' }
probe: { command: 'echo {}', read: { state: $.state } }
`
const PLAN = 'for: 2s\nrate: 1/s\nclock: compressed\n'

describe('traffic', () => {
  it.each([
    ['no plan', PROFILE, undefined, [], /plan\.yaml: there is no such file/],
    [
      'an unknown incident',
      PROFILE,
      `${PLAN}incidents: [storm]\n`,
      [],
      /plan\.yaml:4:13 "storm" is not an incident/,
    ],
    [
      'a missing incident file',
      PROFILE,
      `${PLAN}incidents: [./own.yaml]\n`,
      [],
      /own\.yaml: there is no such file/,
    ],
    [
      'an unknown limit',
      PROFILE,
      PLAN,
      ['--fail-on', 'wrongs=0'],
      /"wrongs" is not a limit \(did you mean wrong\?\)/,
    ],
    ['an unknown report', PROFILE, PLAN, ['--report', 'pdf'], /--report pdf: "pdf" is not a format/],
    [
      'no probe',
      "profile: shop\nport: 0\ntrigger: { command: 'true' }\n",
      PLAN,
      [],
      /profile shop needs a probe/,
    ],
    [
      'a manual trigger',
      'profile: shop\nport: 0\ntrigger: { manual: true }\n',
      PLAN,
      [],
      /needs a trigger that a program can use/,
    ],
  ])('rejects %s', async (_, profile, plan, flags, message) => {
    const at = await file('certify.yaml', profile)
    const planned = plan === undefined ? join(folder, 'no-plan.yaml') : await file('plan.yaml', plan)
    const { code, err } = await ended(['traffic', '--profile', at, '--plan', planned, ...flags])
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(message) })
  })

  it('plays against the sandbox of PAYMENTS_SANDBOX_URL if the profile names none', async () => {
    const flags = ['--profile', await file('certify.yaml', PROFILE), '--plan', await file('plan.yaml', PLAN)]
    const env = { PAYMENTS_SANDBOX_URL: 'http://127.0.0.1:1024' }
    expect(await ended(['traffic', ...flags], env)).toMatchObject({
      code: 4,
      err: expect.stringContaining('nothing listens at http://127.0.0.1:1024'),
    })
  })

  it('starts a sandbox, plays a shop that does nothing, and writes record and reports', async () => {
    const [at, planned] = [await file('certify.yaml', PROFILE), await file('plan.yaml', PLAN)]
    const record = join(folder, 'record.jsonl')
    const html = join(folder, 'day.html')
    const { code, out } = await ended([
      'traffic',
      '--profile',
      at,
      '--plan',
      planned,
      '--json',
      '--record',
      record,
      '--report',
      `html=${html}`,
    ])
    expect(code).toBe(3)
    expect(JSON.parse(out)).toMatchObject({
      kind: 'traffic',
      title: 'Traffic',
      complete: true,
      verdict: { result: 'inconclusive' },
    })
    expect(await readFile(record, 'utf8')).toMatch(/^\{"kind":"plan"/)
    expect(await readFile(html, 'utf8')).toMatch(/<h1>Inconclusive<\/h1>/)
  })
})

describe('the reports', () => {
  let right: TrafficRun
  let wrong: TrafficRun
  beforeAll(async () => {
    const plan = { for: '3m', rate: '10/m', incidents: ['wrong-amounts'], title: 'A <b>day</b> | off' }
    right = await play(plan)
    wrong = await play(plan, () => ({ watch: async () => {}, isSignedWith: () => false }))
  })

  it('list the wrong orders, and escape what a plan says', () => {
    expect(wrong.wrong.count).toBeGreaterThan(5)
    const html = reports.html.write(wrong)
    expect(html).toContain('A &lt;b&gt;day&lt;/b&gt;')
    expect(html).not.toContain('<b>day')
    expect(html).toContain(wrong.wrong.orders[0]!.order)
    expect(html.match(/<svg/g)).toHaveLength(3)
    expect(html).not.toMatch(/https?:\/\//)
    expect(reports.markdown.write(wrong)).toContain(
      `| ${wrong.wrong.orders[0]!.order} | paid but not fulfilled |`,
    )
    expect(reports.junit.write(wrong)).toMatch(
      /failures="1"[^]*<failure message="\d+, at most 0">\d+ paid but not fulfilled/,
    )
    expect(reports.junit.write(right)).toContain('failures="0"')
  })

  it('are compared: exit code 1 if the second run is worse', async () => {
    const before = await file('before.json', reports.json.write(right))
    const after = await file('after.json', reports.json.write(wrong))
    const worse = await ended(['traffic', 'compare', before, after])
    expect(worse.code).toBe(1)
    expect(worse.out).toMatch(/wrong orders +0 +\d+/)
    expect((await ended(['traffic', 'compare', after, before])).code).toBe(0)
    const strange = await ended(['traffic', 'compare', before, await file('strange.json', '{}')])
    expect(strange).toMatchObject({
      code: 2,
      err: expect.stringMatching(
        /strange\.json must be the output of traffic --json: traffic is required; title is required/,
      ),
    })
    const text = await file('text.json', 'orders')
    expect((await ended(['traffic', 'compare', text, before])).err).toMatch(/text\.json .*must be JSON/)
  })
})
