/** A certification that was kept in a file, told in another form; what is signed only when it holds. */
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { REPORT_TYPE, reportKey, signJws } from '../../src/callbacks/signatures/report-key.ts'
import type { Certification } from '../../src/certify/certification.ts'
import { reports } from '../../src/certify/reports/reports.ts'
import { ended } from '../cli/process.ts'
import { temporaryFolder } from '../support/folder.ts'
import { FAULTY, HOSTILE, sampleCertification } from './sample.ts'

const folder = temporaryFolder()
const pair = generateKeyPairSync('ed25519')
const der = pair.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
const { kid } = reportKey(der)!.jwk()
const page = join(folder, 'page.html')
const saved = (name: string, value: unknown) => {
  writeFileSync(join(folder, name), JSON.stringify(value))
  return join(folder, name)
}
const keys = saved('jwks.json', { keys: [reportKey(der)!.jwk()] })
const signedBy = (certification: object, key = pair.privateKey) =>
  signJws(JSON.stringify(certification), key, { kid, typ: REPORT_TYPE })

/** Tells it as a page. */
async function told(value: unknown, ...more: readonly string[]) {
  rmSync(page, { force: true })
  const file = saved('report.json', value)
  const given = more.length > 0 ? more : ['--public-key', keys]
  const { code, out, err } = await ended(['certify', 'report', file, '--report', `html=${page}`, ...given])
  return { code, out, err, html: existsSync(page) ? readFileSync(page, 'utf8') : undefined }
}

const text = (html = '') =>
  html
    .slice(html.indexOf('<body>'))
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')

it('renders the JSON of certify as the same report, marked unsigned', async () => {
  const certification = sampleCertification(FAULTY)
  const { code, html, out, err } = await told(certification)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toBe(`${page}: unsigned\n`)
  expect(html).toBe(await reports.html.write(certification))
  expect(text(html)).toContain('It is unsigned')
})

it('names the signer, key and time of verification, and the command to verify again', async () => {
  const { code, html, out } = await told(signedBy(sampleCertification(FAULTY)))
  expect(code).toBe(0)
  expect(out).toBe(`${page}: signed with the key ${kid} of ${keys}\n`)
  expect(text(html)).toContain('Created from a signed report with a valid signature.')
  expect(text(html)).toContain(
    `Signed with the key ${kid} of ${keys}; according to the report, it is from the sandbox at http://127.0.0.1:8080. The signature was verified when this report was created, `,
  )
  expect(text(html)).toContain('The page itself is unsigned: anyone could have changed it.')
  expect(text(html)).toContain(
    'payments-sandbox certify verify report.json --public-key http://127.0.0.1:8080',
  )
  expect(text(html)).not.toContain('It is unsigned')
})

it('marks an invalid signature as unsigned', async () => {
  const payload = Buffer.from(JSON.stringify(sampleCertification())).toString('base64url')
  const { code, html } = await told({ payload, protected: null, signature: null, key_id: kid })
  expect(code).toBe(0)
  expect(text(html)).toContain('It is unsigned')
  expect(html).not.toContain(kid)
})

it.each<[string, () => object, RegExp]>([
  [
    'changed',
    () => ({ ...signedBy(sampleCertification(FAULTY)), payload: signedBy(sampleCertification()).payload }),
    /signature is invalid/,
  ],
  [
    'signed by somebody else',
    () => signedBy(sampleCertification(), generateKeyPairSync('ed25519').privateKey),
    /signature is invalid/,
  ],
])('writes no report of an input that is %s', async (_, made, why) => {
  const { code, html, err } = await told(made())
  expect({ code, html }).toEqual({ code: 1, html: undefined })
  expect(err).toMatch(why)
})

it.each<[string, (whole: Certification) => unknown, RegExp]>([
  ['text', () => 'x', /not JSON/],
  ['half a certification', () => ({ certification: 1, checks: [] }), /not a valid certification: subject/],
  [
    'a verdict that there is not',
    (whole) => ({ ...whole, checks: [{ ...whole.checks[0], verdict: 'good' }] }),
    /checks\.0\.verdict/,
  ],
  ['a time that is none', (whole) => ({ ...whole, started_at: 'yesterday' }), /started_at/],
  ['a field more', (whole) => ({ ...whole, 'evil\u202e\n': 1 }), /Unrecognized key/],
  [
    'a summary of its own',
    (whole) => ({ ...whole, summary: { ...whole.summary, ready: true } }),
    /something else than its checks/,
  ],
])('exits with 2 and writes nothing: %s', async (_, made, why) => {
  const { code, html, err, out } = await told(made(sampleCertification(FAULTY)))
  expect({ code, html, out }).toEqual({ code: 2, html: undefined, out: '' })
  expect(err).toMatch(why)
  expect(err.match(/[^\P{C}\n]/gu) ?? []).toEqual([])
})

it('rejects unknown formats and unavailable keys', async () => {
  const form = await ended([
    'certify',
    'report',
    saved('report.json', sampleCertification()),
    '--report',
    'htm',
  ])
  expect(form).toMatchObject({ code: 2, err: expect.stringContaining('html') })
  const { code, html } = await told(signedBy(sampleCertification()), '--public-key', join(folder, 'none'))
  expect({ code, html }).toEqual({ code: 2, html: undefined })
})

it('rejects a signature of another certification', async () => {
  const { CheckedSignature, readKeys, readReport } = await import('../../src/certify/verify.ts')
  const read = readReport(JSON.stringify(signedBy(sampleCertification())))
  const checked = CheckedSignature.of(read, readKeys(readFileSync(keys, 'utf8')), 'keys', 0)
  if (typeof checked === 'string') throw new Error(checked)
  expect(await reports.html.write(read.certification, checked)).toContain('<h2>Signature</h2>')
  expect(await reports.html.write(sampleCertification(FAULTY), checked)).toContain('It is unsigned')
  expect(await reports.markdown.write(read.certification, checked)).toContain('Signed with the key')
})

it('escapes the address of a sandbox in links and commands', async () => {
  for (const url of [
    'https://pay.example.com/)![x](https://evil.example/',
    'https://pay.example.com/"onclick="alert(1)',
    'https://pay.example.com; rm -rf ~',
    'javascript:alert(1)',
    HOSTILE,
  ]) {
    const certification = sampleCertification(FAULTY, { sandbox: { version: '1', url, world: null } })
    const markdown = await reports.markdown.write(certification)
    expect(markdown).not.toMatch(
      /!\[|\]\((?!https:\/\/pay\.example\.com\/[^\s()[\]]*\/docs\/guides\/[^\s()[\]]*\))/,
    )
    const { html } = await told(signedBy(certification))
    expect(html).not.toMatch(/href="javascript|"onclick="/)
    expect(html).not.toMatch(/--public-key [^<\n]*(rm -rf|onclick|evil)/)
  }
})
