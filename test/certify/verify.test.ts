import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, sign } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { jwkOf, reportKey } from '../../src/callbacks/signatures/report-key.ts'
import { ended, listening } from '../cli/process.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startSandbox } from '../support/sandbox.ts'

const folder = temporaryFolder()
const pair = generateKeyPairSync('ed25519')
const der = pair.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
const key = reportKey(der)!
const { world } = await startSandbox({ SANDBOX_CERTIFICATION_KEY: der })
const plain = await startSandbox()

type Report = Record<string, string | null>
let report: Report = {}

const encoded = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
const saved = (name: string, content: unknown) => {
  const file = join(folder, name)
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}
const keySet = () => saved('jwks.json', { keys: [key.jwk()] })
const verified = (content: unknown, ...more: readonly string[]) =>
  ended([
    'certify',
    'verify',
    saved('report.json', content),
    ...(more.length > 0 ? more : ['--public-key', keySet()]),
  ])

/** As the report, with another header, signed by a key. */
function forged(header: object, by = pair.privateKey, payload = report['payload']!): Report {
  const head = encoded(header)
  const signature = sign(null, Buffer.from(`${head}.${payload}`), by).toString('base64url')
  return { ...report, protected: head, payload, signature }
}

beforeAll(async () => {
  const w = world()
  report = (await w.post('/sandbox/certifications', { subject: 'shop' })).body
})

describe('a signed report', () => {
  it('is valid, with its subject, time and summary', async () => {
    const { code, out, err } = await verified(report)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain('The signature is valid')
    expect(out).toMatch(/Shop +shop\n/)
    expect(out).toMatch(/Sandbox +http:\/\/sandbox\.test, world demo\+t1\n/)
    expect(out).toMatch(/Created +2026-06-13T12:00:00\.000Z\n/)
    expect(out).toMatch(/Verdict +Undecided/)
  })

  it('is rejected for another expected subject', async () => {
    const by = ['--public-key', keySet()]
    expect((await verified(report, ...by, '--subject', 'shop')).code).toBe(0)
    const { code, out } = await verified(report, ...by, '--subject', 'other')
    expect(code).toBe(1)
    expect(out).toContain('The signature is valid')
    expect(out).toContain('The report is about "shop", not "other".')
    const json = JSON.parse((await verified(report, ...by, '--subject', 'other', '--json')).out)
    expect(json).toMatchObject({ valid: true, fault: 'The report is about "shop", not "other".' })
  })

  it('is rejected below the required standing, and when it is too old', async () => {
    const by = ['--public-key', keySet()]
    expect((await verified(report, ...by, '--require', 'ready')).out).toContain(
      'The standing is undecided, and ready is required.',
    )
    const { code, out } = await verified(report, ...by, '--max-age', '1s')
    expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining('which is more than 1s ago') })
  })

  it.each([
    ['a JWK', () => saved('key.json', key.jwk())],
    ['PEM', () => saved('key.pem', pair.publicKey.export({ format: 'pem', type: 'spki' }).toString())],
  ])('is valid with %s', async (_, file) => {
    expect((await verified(report, '--public-key', file())).code).toBe(0)
  })

  it('is valid with the key that a sandbox publishes', async () => {
    const requested: string[] = []
    const server = await listening(
      createServer((request, response) => {
        requested.push(request.url!)
        response.end(readFileSync(keySet()))
      }),
    )
    const { code } = await verified(report, '--public-key', `http://127.0.0.1:${server.port}`)
    expect({ code, requested }).toEqual({ code: 0, requested: ['/.well-known/jwks.json'] })
  })

  it('is an object with --json', async () => {
    const { out } = await verified(report, '--public-key', keySet(), '--json')
    expect(JSON.parse(out)).toMatchObject({ kind: 'report', valid: true, fault: null, subject: 'shop' })
  })

  it('is verified by the commands of the guide', () => {
    const page = readFileSync('docs/certification.md', 'utf8')
    const program = /```js verify\n(.*?)```/s.exec(page)![1]!
    saved('report.json', report)
    keySet()
    const file = saved('verify.mjs', program)
    const printed = execFileSync(process.execPath, [file], { cwd: folder, encoding: 'utf8' })
    expect(printed).toMatch(/^true Undecided/)
  })
})

describe('a report that proves nothing', () => {
  const header = (more: object = {}) => ({
    alg: 'EdDSA',
    kid: key.jwk().kid,
    typ: 'certification+json',
    ...more,
  })
  const other = generateKeyPairSync('ed25519')
  const theirs = () => jwkOf(other.publicKey)
  const changed = () => {
    const text = Buffer.from(report['payload']!, 'base64url').toString().replace('"shop"', '"shep"')
    return { ...report, payload: encoded(text) }
  }
  it.each<[string, () => Report, RegExp]>([
    ['with one letter changed', changed, /signature is invalid: the report was changed/],
    [
      'signed by somebody else who names our key',
      () => forged(header(), other.privateKey),
      /signature is invalid/,
    ],
    ['of another key', () => forged(header({ kid: 'theirs' })), /key "theirs", which is not among/],
    [
      'with the algorithm none',
      () => ({ ...report, protected: encoded(header({ alg: 'none' })), signature: '' }),
      /algorithm "none"/,
    ],
    ['with HS256', () => forged(header({ alg: 'HS256' })), /algorithm "HS256"/],
    ['that signs something else', () => forged(header({ typ: 'JWT' })), /not that of a report \(typ "JWT"\)/],
    ['with an extension', () => forged(header({ crit: ['b64'], b64: false })), /crit/],
    ['without a signature', () => ({ ...report, signature: '' }), /signature is invalid/],
    [
      'that brings its own key along',
      () =>
        forged(header({ kid: theirs().kid, jwk: theirs(), jku: 'https://evil.example' }), other.privateKey),
      /is not among/,
    ],
    [
      'that names our key and brings its own along',
      () => forged(header({ jwk: theirs(), x5c: ['MIIB'] }), other.privateKey),
      /signature is invalid/,
    ],
    ['without a key id', () => forged({ alg: 'EdDSA', typ: 'certification+json' }), /the key nothing/],
    [
      'whose signature has a byte more',
      () => ({ ...report, signature: `${report['signature']!.slice(0, -2)}AAAA` }),
      /signature is invalid/,
    ],
  ])('exits with 1: %s', async (_, made, why) => {
    const { code, out } = await verified(made())
    expect(code).toBe(1)
    expect(out).toMatch(why)
    expect(out).toContain('Unverified content')
  })

  it('is described by its signed payload only', async () => {
    const beside = {
      subject: 'another-shop',
      ready: true,
      text: 'Ready: all.',
      score: 100,
      header: { alg: 'none' },
    }
    const { code, out } = await verified({ ...report, ...beside })
    expect(code).toBe(1)
    expect(out).toContain('The report was changed: ')
    expect(out).toMatch(/Shop +shop\n/)
    expect(out.split('Unverified content')[1]).not.toMatch(/another-shop|Ready: all/)
  })

  it('is valid with an older key and with one of several keys', async () => {
    const newer = jwkOf(other.publicKey)
    const both = saved('both.json', { keys: [newer, key.jwk()] })
    expect((await verified(report, '--public-key', both)).code).toBe(0)
    const only = saved('newer.json', { keys: [newer] })
    const { code, out } = await verified(report, '--public-key', only)
    expect(code).toBe(1)
    expect(out).toContain(`not among ${newer.kid}`)
  })

  it('only requests the key of the sandbox it names', async () => {
    const requested: string[] = []
    const server = await listening(
      createServer((request, response) => {
        requested.push(request.url!)
        response.end(readFileSync(keySet()))
      }),
    )
    const text = JSON.parse(Buffer.from(report['payload']!, 'base64url').toString())
    const url = `http://user:pass@127.0.0.1:${server.port}/pay/?file=x.json#jwks`
    const payload = encoded({ ...text, sandbox: { ...text.sandbox, url } })
    const { code, out } = await ended([
      'certify',
      'verify',
      saved('report.json', forged(header(), pair.privateKey, payload)),
    ])
    expect({ code, requested }).toEqual({ code: 0, requested: ['/pay/.well-known/jwks.json'] })
    expect(out).toContain(`with the key of http://127.0.0.1:${server.port}/pay.`)
    expect(out).toContain('The address comes from the report')
  })

  it('exits with 1 if it is unsigned, without requesting a key', async () => {
    const w = plain.world()
    const { body } = await w.post('/sandbox/certifications', {})
    const { code, out } = await verified(body, '--public-key', join(folder, 'nothing-here'))
    expect({ code }).toEqual({ code: 1 })
    expect(out).toContain('It is unsigned')
  })

  it('is printed on one line without control characters', async () => {
    const text = JSON.parse(Buffer.from(report['payload']!, 'base64url').toString())
    const payload = encoded({ ...text, subject: 'a\n\u001b[31mThe signature is valid\u202e' })
    const { out } = await verified({ ...report, payload })
    for (const text of ['\u001b', '\u202e', '\nThe signature']) expect(out).not.toContain(text)
    expect(out).toContain('a \\u001b[31mThe signature')
  })
})

describe('invalid input exits with 2', () => {
  it.each<[string, () => unknown, RegExp]>([
    ['text', () => 'hello', /report\.json: it is not JSON/],
    ['a list', () => [], /not JSON with fields/],
    ['another object', () => ({}), /it has no payload/],
    ['a certification', () => ({ certification: 1 }), /unsigned/],
    ['no base64url', () => ({ ...report, payload: '+/+=' }), /payload is not base64url/],
    [
      'another payload',
      () => ({ ...report, payload: encoded({ certification: 2 }) }),
      /not a valid certification/,
    ],
    [
      'checks of nothing',
      () => ({ ...report, payload: encoded({ certification: 1, checks: [null] }) }),
      /not a valid certification/,
    ],
    [
      'several signatures',
      () => ({ payload: report['payload'], signatures: [report, report] }),
      /list of signatures/,
    ],
    ['half a signature', () => ({ ...report, protected: null }), /must both be text/],
    [
      'a header of no JSON',
      () => ({ ...report, protected: encoded('x') }),
      /header \(protected\) is not JSON/,
    ],
    ['a header without end', () => ({ ...report, protected: encoded('{"alg":'.repeat(100_000)) }), /header/],
    ['more than 1 MiB', () => ({ ...report, unsigned: 'x'.repeat(1_048_576) }), /larger than 1 MiB/],
  ])('%s', async (_, content, why) => {
    const { code, out, err } = await verified(content())
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(why)
  })

  it('a missing file and a folder', async () => {
    expect(await ended(['certify', 'verify', join(folder, 'no')])).toMatchObject({
      code: 2,
      err: expect.stringContaining('there is no such file'),
    })
    expect(await ended(['certify', 'verify', folder])).toMatchObject({ code: 2 })
  })

  it('a missing, invalid or unsupported key', async () => {
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey
    const closed = await listening(createServer())
    await closed.close()
    const keys = [
      saved('empty.json', { keys: [] }),
      saved('nulls.json', { keys: [null, 1, { kty: 'OKP' }] }),
      saved('ec.pem', ec.export({ format: 'pem', type: 'spki' }).toString()),
      saved('text', 'hello'),
      `http://127.0.0.1:${closed.port}`,
    ]
    for (const file of keys) {
      const { code, out, err } = await verified(report, '--public-key', file)
      expect({ code, out }).toEqual({ code: 2, out: '' })
      expect(err).toContain(file)
    }
  })
})

describe('a valid signature', () => {
  const whole = () => JSON.parse(Buffer.from(report['payload']!, 'base64url').toString())
  const resigned = (change: object) => {
    const certification = { ...whole(), ...change }
    const { plan, witness, expires_at } = certification
    return {
      ...forged(
        { alg: 'EdDSA', kid: key.jwk().kid, typ: 'certification+json' },
        pair.privateKey,
        encoded(certification),
      ),
      plan: plan?.name ?? null,
      witnessed: witness !== null,
      expires_at,
    }
  }
  const plan = {
    name: 'checkout-kes-2026.1',
    title: 'Collect',
    hash: `sha256:${'0'.repeat(64)}`,
    waivers: false,
    checks: 52,
  }

  it.each([
    ['standing', 'ready'],
    ['subject', 'another-shop'],
    ['plan', 'checkout-kes-2026.1'],
    ['witnessed', true],
    ['expires_at', '2036-01-01T00:00:00.000Z'],
    ['issued_at', '2036-01-01T00:00:00.000Z'],
    ['score', 100],
  ])('does not cover a changed %s next to the payload', async (field, value) => {
    const { code, out } = await verified({ ...report, [field]: value })
    expect(code).toBe(1)
    expect(out).toContain(`The report was changed: ${field} is ${JSON.stringify(value)} next to the payload`)
  })

  it('is refused after the certification has expired', async () => {
    const { code, out } = await verified(
      resigned({ expires_at: '2026-01-01T00:00:00.000Z' }),
      '--public-key',
      keySet(),
    )
    expect({ code, out }).toEqual({
      code: 1,
      out: expect.stringContaining('The certification expired on 2026-01-01T00:00:00.000Z.'),
    })
  })

  it('is refused for another plan, and without a witness', async () => {
    const by = ['--public-key', keySet(), '--plan', 'payouts-kes-2026.1']
    expect((await verified(report, ...by)).out).toContain(
      'The report follows no plan, and payouts-kes-2026.1 is required.',
    )
    expect((await verified(resigned({ plan }), ...by)).out).toContain(
      'The report follows the plan checkout-kes-2026.1, and payouts-kes-2026.1 is required.',
    )
    by[3] = plan.name
    expect((await verified(resigned({ plan }), ...by)).out).toContain('No sandbox witnessed the run')
    expect((await verified(resigned({ plan, witness: { run: 1, claimed: [] } }), ...by)).code).toBe(0)
  })

  it('is refused if a required check did not pass', async () => {
    const by = ['--public-key', keySet(), '--checks']
    expect((await verified(report, ...by, 'RCV-2')).out).toContain(
      'The report does not show that RCV-2 passed.',
    )
    expect((await verified(report, ...by, 'RCV-99')).code).toBe(2)
  })
})
