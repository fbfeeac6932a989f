import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Recording } from '../../src/fidelity/har.ts'
import { FidelityComparison, FidelityReport } from '../../src/generated/control/schemas.ts'
import { compare, record } from '../../src/fidelity/library.ts'
import { readOverlay } from '../../src/fidelity/overlay.ts'
import { replay } from '../../src/fidelity/replay.ts'
import { readConfig } from '../../src/config/config.ts'
import { createLog } from '../../src/lib/log/log.ts'
import { createSandbox } from '../../src/sandbox/sandbox.ts'
import { reportOf } from '../../src/fidelity/report.ts'
import { createSandbox as start } from '../../src/index.ts'
import { ended } from '../cli/process.ts'
import { cpuTime } from '../support/cpu-time.ts'
import { temporaryFolder } from '../support/folder.ts'
import { recordingOf } from './drifting-service.ts'
import { drifts } from './drifts.ts'

const folder = temporaryFolder()
const save = async (name: string, recording: Recording) => {
  const path = join(folder, name)
  await writeFile(path, JSON.stringify({ log: { entries: recording.entries } }))
  return path
}
const found = async (recording: Recording, env = {}) => {
  const { differences } = reportOf('session.har', recording, await replay(recording, { createSandbox, env }))
  return [
    ...new Set(
      differences.map(({ operation, place, field, kind }) => `${operation} ${place} ${field} ${kind}`),
    ),
  ].toSorted()
}

describe('compare', () => {
  it('finds nothing in the traffic of a service that does not drift', async () => {
    expect(await found(await recordingOf([]))).toEqual([])
  })
})

describe('the commands compare and learn', () => {
  it('report differences with an exit code, and in JSON by its schema', async () => {
    const path = await save('drift.har', await recordingOf([drifts[0]!, drifts[13]!], 2))
    const text = await ended(['compare', path])
    expect([text.code, text.out]).toEqual([1, expect.stringContaining('missing field CheckoutRequestID')])
    const json = await ended([
      'compare',
      path,
      '--json',
      '--fail-on',
      'breaking',
      '--report',
      `html=${join(folder, 'r.html')}`,
    ])
    expect(FidelityReport().parse(JSON.parse(json.out)).differences).toHaveLength(3)
    expect(await readFile(join(folder, 'r.html'), 'utf8')).toContain('CheckoutRequestID')
    const overlay = join(folder, 'observed.yaml')
    const learned = await ended(['learn', path, '--out', overlay])
    expect([learned.code, learned.out]).toEqual([0, `3 differences are in ${overlay}\n`])
    const again = await ended(['compare', path], { SANDBOX_OBSERVED: overlay })
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('no differences')])
  })
})

describe('a recording with nothing to compare', () => {
  it('exits with 3', async () => {
    const path = join(folder, 'empty.har')
    await writeFile(path, '{"log":{"entries":[]}}')
    const { code, out } = await ended(['compare', path])
    expect([code, out]).toEqual([3, expect.stringContaining('nothing was compared')])
    const report = join(folder, 'none', 'r.html')
    expect(await ended(['compare', path, '--report', `html=${report}`])).toMatchObject({
      code: 2,
      err: `${report} cannot be written: its folder does not exist\n`,
    })
  })
})

describe('a recording of the sandbox itself', () => {
  it('contains no personal data or credentials, is verified, and has no differences', async () => {
    const sandbox = await start({ env: { SANDBOX_PORT: '0' } })
    await sandbox.listen({ port: 0 })
    const out = join(folder, 'own.har')
    const recording = await record({ service: sandbox.url, out })
    const headers = {
      authorization: `Basic ${btoa('demo:demo')}`,
      'content-type': 'application/json',
      'x-auth': 'my-long-secret-key-12345',
      'x-goog-iap-jwt-assertion': 'an-assertion-of-someone-67890',
    }
    const call = async (method: string, path: string, body?: object) => {
      const response = await fetch(recording.url + path, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      })
      await response.text()
    }
    await call('GET', '/api/v2/user_profile/1')
    await call('POST', '/api/v2/accounts', {
      organization_id: 1,
      name: 'Kamau Traders',
      dial_code: '254',
      number: '798765432',
    })
    await call('POST', '/api/v2/payments', {
      amount: 100,
      phone_number: '254712345678',
      provider: 'm-pesa',
      network_code: '63902',
      external_reference: 'order-1',
      callback_url: 'http://127.0.0.1:9/paid?key=Zm9vYmFyYmF6',
      note: JSON.stringify({ password: 'BSTR30' }),
    })
    await recording.close()
    await sandbox.close()
    const file = await readFile(out, 'utf8')
    for (const secret of ['798765432', 'my-long-secret', 'an-assertion', 'Zm9vYmFy', 'BSTR30', 'Kamau'])
      expect(file).not.toContain(secret)
    const verified = await ended(['record', '--verify', out])
    expect([verified.out, verified.code]).toEqual(['3 entries, 0 sensitive values\n', 0])
    expect((await compare(out)).differences).toEqual([])
  })
})

it('the exported request log of a sandbox has nothing that differs', async () => {
  await using sandbox = await start({ clock: 'frozen' })
  await using world = await sandbox.world()
  await world.call('createCollection', {
    body: {
      amount: 1_000,
      phone_number: '0712345678',
      provider: 'm-pesa',
      network_code: '63902',
      account_id: 63,
    },
  })
  await world.fetch('/api/v2/payments', {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' },
  })
  const path = join(folder, 'own.har')
  await writeFile(path, JSON.stringify(await world.requests.har()))
  const { requests, differences } = await compare(path)
  expect({ requests, differences }).toEqual({ requests: 2, differences: [] })
})

describe('a comparison ends', () => {
  it('when its caller abandons it', async () => {
    const path = join(folder, 'abandoned.har')
    await writeFile(path, JSON.stringify({ log: { entries: (await recordingOf([], 2)).entries } }))
    const caller = new AbortController()
    const comparison = compare(path, { signal: caller.signal })
    setImmediate(() => caller.abort())
    await expect(comparison).rejects.toThrow('aborted')
  })

  it('when its client disconnects, and another one begins', async () => {
    const { entries } = await recordingOf([], 2)
    const most = Array.from({ length: 2_000 }, (_, n) => entries[n % entries.length])
    const statuses: unknown[] = []
    const own = await createSandbox({
      config: readConfig({ PORT: '0', SANDBOX_IN_CONTAINER: 'off' }),
      log: createLog({
        level: 'info',
        write: (line) => statuses.push((JSON.parse(line) as { status?: number }).status),
        terminal: false,
        now: () => 0,
      }),
    })
    const { port } = await own.listen()
    const url = `http://127.0.0.1:${port}/sandbox/fidelity/compare`
    const send = (log: object, signal?: AbortSignal) =>
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Basic ${btoa('demo:demo')}` },
        body: JSON.stringify({ log }),
        signal: signal ?? null,
      })
    const { budget } = own.worlds.get('demo')!
    const client = new AbortController()
    const sent = send({ entries: most }, client.signal)
    await expect.poll(() => budget.atOnce('waiters')).toBe(1)
    client.abort()
    await expect(sent).rejects.toThrow('aborted')
    await expect.poll(() => statuses).toEqual([503])
    expect(budget.atOnce('waiters')).toBe(0)
    expect((await send({ entries: entries.slice(0, 1) })).status).toBe(200)
    await own.close()
  })
})

describe('POST /sandbox/fidelity/compare', async () => {
  const sandbox = await start({ clock: 'frozen' })
  afterAll(() => sandbox.close())
  const har = (recording: Recording) => JSON.stringify({ log: { entries: recording.entries } }, null, 2)
  const send = async (text: string, query = '', user = 'demo:demo') => {
    const response = await sandbox.fetch(`http://sandbox.localhost/sandbox/fidelity/compare${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Basic ${btoa(user)}` },
      body: text,
    })
    return {
      status: response.status,
      body: FidelityComparison()
        .partial()
        .loose()
        .parse(await response.json()),
    }
  }
  const configure = (observed: string) =>
    sandbox.fetch('http://sandbox.localhost/sandbox/worlds/current', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', authorization: `Basic ${btoa('demo:demo')}` },
      body: JSON.stringify({ observed }),
    })
  const text = har(await recordingOf([drifts[0]!, drifts[13]!], 2))

  it('returns the report of the command, and the overlay after which nothing differs', async () => {
    const path = join(folder, 'same.har')
    await writeFile(path, text)
    const { report, learned } = (await send(text, `?learn=true&file=${encodeURIComponent(path)}`)).body
    expect(report).toEqual(JSON.parse((await ended(['compare', path, '--json'])).out))
    expect(learned).toMatchObject({ differences: 3, not_expressed: [] })
    await configure(learned!.overlay)
    const again = (await send(text)).body
    expect([again.report!.file, again.report!.differences, again.learned]).toEqual(['recording', [], null])
    await configure('')
  })

  it('uses the complete entries of a cut recording', async () => {
    const cut = text.slice(0, text.lastIndexOf('"startedDateTime"'))
    const { notes, entries } = (await send(cut)).body.report!
    expect([notes, entries]).toEqual([
      expect.arrayContaining([`the file is cut: ${entries} complete entries are used`]),
      entries,
    ])
  })

  it.each([
    ['{"log":{"entries":[\n  {"a":1},\n  {"a":}\n]}}', /^recording:3:3: entry 1: Unexpected token/],
    ['hello', /^recording: is neither JSON nor a recording/],
    ['{}', /^recording: has no log.entries/],
    [`{"log":{"entries":[${'{},'.repeat(2_000)}{}]}}`, /^recording: has more than 2000 entries/],
    [
      `{"log":{"entries":[{"a":"${'x'.repeat(5 << 20)}"}]}}`,
      /^recording:1:20: entry 0: an item of log.entries is over/,
    ],
  ])('returns 400 with line and column for a bad recording', async (bad, message) => {
    const { status, body } = await send(bad)
    expect([status, (body as Record<string, unknown>)['error_message']]).toEqual([
      400,
      expect.stringMatching(message),
    ])
  })

  it('returns 429 for a second comparison of a world at the same time', async () => {
    const both = await Promise.all([send(text), send(text)])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 429])
  })

  it('takes time in proportion to long texts', async () => {
    const entry = (text: string) => ({
      request: { method: 'GET', url: 'http://a.example/api/v2/payment_channels?per=none', headers: [] },
      response: { status: 400, headers: [], content: { text: JSON.stringify({ error_message: text }) } },
    })
    const entries = ['.'.repeat(1_000_000), 'a.'.repeat(500_000)].map(entry)
    const began = cpuTime()
    expect((await send(JSON.stringify({ log: { entries } }), '?learn=true')).status).toBe(200)
    expect(cpuTime() - began).toBeLessThan(10_000)
  })

  it('compares only the status of an entry without its text, and says so', async () => {
    const content = { size: 512, mimeType: 'application/json' }
    const entries = [
      {
        request: { method: 'GET', url: 'http://a.example/api/v2/payment_channels?per=2' },
        response: { status: 200, content },
      },
    ]
    const { differences, notes } = (await send(JSON.stringify({ log: { entries } }))).body.report!
    expect([differences, notes]).toEqual([
      [],
      expect.arrayContaining(['entry 0 has no text of its 512 bytes; only the status is compared']),
    ])
  })

  it('takes the type of a response from its content, and learns no form without drawn characters', async () => {
    const headers = [{ name: 'x-request-id', value: 'a' }]
    const entry = (text: object, status = 200) => ({
      request: { method: 'GET', url: 'http://a.example/api/v2/user_profile/1' },
      response: { status, headers, content: { mimeType: 'application/json', text: JSON.stringify(text) } },
    })
    const own = await sandbox.fetch('http://sandbox.localhost/api/v2/user_profile/1', {
      headers: { authorization: `Basic ${btoa('demo:demo')}` },
    })
    const profile = (await own.json()) as { user_profile: { roles: object } }
    profile.user_profile.roles = { 63: 'pusoyer' }
    const recording = JSON.stringify({ log: { entries: [entry(profile)] } })
    const { report, learned } = (await send(recording, '?learn=true')).body
    expect(report!.differences.map(({ field }) => field)).not.toContain('header content-type')
    await expect(readOverlay(learned!.overlay)).resolves.toBeDefined()
  })

  it('notes where unusable entries are', async () => {
    const { notes } = (await send('{"log":{"entries":[\n{"request":{}}]}}')).body.report!
    expect(notes[0]).toBe('recording:2:1: entry 0 has no usable request.url, and is not used')
  })
})
