/** What changed between two certifications, and the archive of the evidence. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Certification } from '../../src/certify/certification.ts'
import { bundleOf } from '../../src/cli/certify-bundle.ts'
import { differenceOf } from '../../src/certify/reports/diff.ts'
import { reports } from '../../src/certify/reports/reports.ts'
import { ended } from '../cli/process.ts'
import { temporaryFolder } from '../support/folder.ts'
import { FAULTY, HOSTILE, sampleCertification } from './sample.ts'

const folder = temporaryFolder()
const saved = (name: string, certification: Certification) => {
  const file = join(folder, name)
  writeFileSync(file, JSON.stringify(certification))
  return file
}
const diff = (before: Certification, after: Certification, ...more: readonly string[]) =>
  ended(['certify', 'diff', saved('before.json', before), saved('after.json', after), ...more])

describe('a comparison', () => {
  const good = sampleCertification()
  const faulty = sampleCertification(FAULTY)

  it('lists what is worse, the most severe first, and exits with 1', async () => {
    const { code, out } = await diff(good, faulty)
    expect(code).toBe(1)
    expect(out).toContain('shop-checkout: not ready, before: ready')
    expect(out).toMatch(/worse +RCV-11 .* \(mandatory\): pass → fail/)
    expect(differenceOf(good, faulty).changes[0]).toMatchObject({ id: 'RCV-11', kind: 'worse' })
  })

  it('exits with 0 for a better one', async () => {
    const { code, out } = await diff(faulty, good)
    expect(code).toBe(0)
    expect(out).toMatch(/better +RCV-11 .*: fail → pass/)
    expect(out).not.toContain('worse')
  })

  it('finds nothing between equal ones', async () => {
    const { code, out } = await diff(good, good)
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('69 checks as before.') })
  })

  it.each([
    ['fail', 'worse'],
    ['inconclusive', 'worse'],
    ['not_seen', 'worse'],
    ['waived', 'worse'],
  ] as const)('counts a verdict of %s after a pass as %s', (verdict, kind) => {
    const { changes, worse } = differenceOf(good, sampleCertification({ 'RCV-2': { verdict } }))
    expect({ changes, worse }).toMatchObject({ changes: [{ id: 'RCV-2', kind }], worse: true })
  })

  it('does not count a check whose meaning changed as worse', () => {
    const after = sampleCertification({ 'SEC-5': { verdict: 'fail', version: 9 } })
    expect(differenceOf(good, after)).toMatchObject({ worse: false, changes: [{ kind: 'redefined' }] })
  })

  it('lists new and removed checks, and lost coverage', () => {
    const { checks, ...whole } = good
    const less = { ...whole, checks: checks.slice(1) }
    const met = { ...good.coverage, reasons: { met: ['cancelled'], missing: [] } }
    expect(differenceOf({ ...good, coverage: met }, less)).toMatchObject({
      changes: [{ id: 'RCV-1', kind: 'removed' }],
      coverage: { lost: ['reasons cancelled'], gained: [] },
    })
    expect(differenceOf(less, good).changes).toMatchObject([{ id: 'RCV-1', kind: 'added' }])
  })

  it('is a comment for a pull request that foreign text does not break', async () => {
    const after = sampleCertification({ 'RCV-2': { verdict: 'fail', observed: HOSTILE } })
    const { out } = await diff(good, after, '--markdown')
    expect(out).toContain('### ❌ shop-checkout: not ready, before: ready')
    expect(out).toContain('| **RCV-2** ')
    expect(out).not.toMatch(/<script>|\u202e/)
    expect(out.split('\n').filter((line) => line.startsWith('|'))).toHaveLength(3)
  })

  it('is JSON, and refuses other files', async () => {
    expect(JSON.parse((await diff(good, faulty, '--json')).out)).toMatchObject({
      kind: 'difference',
      worse: true,
    })
    writeFileSync(join(folder, 'other.json'), '{}')
    const { code, err } = await ended(['certify', 'diff', join(folder, 'other.json'), saved('b.json', good)])
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('it has no payload') })
  })
})

describe('SARIF', () => {
  it('has a rule and a result per check, with failures as errors', async () => {
    const { runs } = JSON.parse(await reports.sarif.write(sampleCertification(FAULTY)))
    const { results, tool } = runs[0]
    expect(tool.driver.rules).toHaveLength(69)
    expect(results).toHaveLength(69)
    const of = (id: string) => results.find((each: { ruleId: string }) => each.ruleId === id)
    expect(of('RCV-11')).toMatchObject({ kind: 'fail', level: 'error', locations: [{}] })
    expect(of('RCV-1')).toMatchObject({ kind: 'pass', level: 'none' })
    expect(tool.driver.rules[of('RCV-11').ruleIndex].id).toBe('RCV-11')
  })

  it('suppresses waived failures', async () => {
    const waiver = { until: '2026-12-31', by: 'Jane', ticket: 'SHOP-1', because: 'later' }
    const of = sampleCertification({ 'RCV-22': { verdict: 'waived', waiver } })
    const { results } = JSON.parse(await reports.sarif.write(of)).runs[0]
    const found = results.find((each: { ruleId: string }) => each.ruleId === 'RCV-22')
    expect(found.suppressions).toEqual([
      { kind: 'external', justification: 'SHOP-1, Jane, until 2026-12-31: later' },
    ])
  })
})

it('packs the evidence with the hashes of its files, the same each time', async () => {
  const certification = sampleCertification(FAULTY)
  const bundle = await bundleOf(certification, { profile: 'profile: shop\n' })
  expect(Buffer.compare(bundle, await bundleOf(certification, { profile: 'profile: shop\n' }))).toBe(0)
  writeFileSync(join(folder, 'evidence.tar.gz'), bundle)
  execFileSync('tar', ['-xzf', 'evidence.tar.gz'], { cwd: folder })
  const read = (name: string) => readFileSync(join(folder, 'certification', name), 'utf8')
  const { files, standing, checks } = JSON.parse(read('manifest.json'))
  expect(Object.keys(files).toSorted()).toEqual([
    'certification.csv',
    'certification.html',
    'certification.json',
    'exchanges.har',
    'profile.yaml',
    'summary.md',
  ])
  for (const [name, hash] of Object.entries(files))
    expect(hash).toBe(`sha256:${createHash('sha256').update(read(name)).digest('hex')}`)
  expect({ standing, checks: checks.length }).toEqual({ standing: 'not_ready', checks: 69 })
  expect(JSON.parse(read('exchanges.har')).log.entries[0]).toMatchObject({ request: { method: 'POST' } })
  expect(JSON.parse(read('certification.json'))).toEqual(certification)
})

it('writes the archive from a stored certification', async () => {
  const file = saved('whole.json', sampleCertification())
  const target = join(folder, 'from-file.tar.gz')
  const { code } = await ended(['certify', 'report', file, '--bundle', target])
  expect(code).toBe(0)
  expect(String(execFileSync('tar', ['-tzf', target]))).toContain('certification/manifest.json')
})
