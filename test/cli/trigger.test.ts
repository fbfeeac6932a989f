import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { listeningAt } from '../support/process.ts'
import { commandLine, ended, listening, started } from './process.ts'

let url = ''
beforeAll(async () => {
  const running = commandLine(['--port', '0'], { SANDBOX_LOG_LEVEL: 'warn' })
  await running.shown('"listening"')
  url = listeningAt(running.printed.out)!
  return async () => {
    running.stop()
    await running.code
  }
})

/** What it prints, without the times. */
const triggered = (...args: readonly string[]) => triggeredAt(url, ...args)

async function triggeredAt(address: string, ...args: readonly string[]) {
  const { code, out, err } = await ended([
    'trigger',
    ...args,
    ...(args.includes('--user') ? [] : ['--isolated']),
    '--url',
    address,
    '--for',
    '0',
  ])
  return { code, err, lines: out.split('\n').map((line) => line.replace(/^ +\d\d:\d\d:\d\d\.\d+ +/, '')) }
}

/** A server that answers in the place of a sandbox. */
async function standIn(answer: (path: string) => object) {
  const server = createServer(({ url: path }, response) => {
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify(path === '/__admin/version' ? { name: 'payments-sandbox' } : answer(path!)))
  })
  const { port, close } = await listening(server)
  return { base: `http://127.0.0.1:${port}`, close }
}

describe('trigger', () => {
  it('plays an outcome in a fresh world and shows it to the end', async () => {
    const { code, err, lines } = await triggered('payer-cancels')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(lines[0]).toMatch(
      /^The payer cancels the prompt, as demo\+trigger-\w+ {2}http:.*\/dashboard#\/demo%2Btrigger-\w+$/,
    )
    expect(lines[1]).toBe('POST /api/v2/payments')
    expect(lines[2]).toMatch(/^ +201 \{.*"status":"QUEUED"/)
    const story = lines
      .slice(3)
      .filter((line) => !line.startsWith('        '))
      .map((line) => line.replace(/ (to|for http|\{).*/, ''))
    expect(story).toEqual([
      'request   createCollection: 201',
      'state     QUEUED',
      '    the clock advances',
      'state     FAILED: cancelled',
      'callback  callback 1',
      'attempt   answered 200',
      '',
    ])
  })

  it('shows the headers and body of each callback attempt', async () => {
    const { lines } = await triggered('payer-cancels')
    const sent = lines.slice(lines.indexOf('attempt   answered 200') + 1).map((line) => line.trim())
    expect(sent[0]).toMatch(/^POST http.*\/sandbox\/inbox\/trigger\?key=/)
    expect(sent).toContain('content-type: application/json')
    expect(sent.some((line) => line.startsWith('webhook-signature: v1,'))).toBe(true)
    expect(JSON.parse(sent.find((line) => line.startsWith('{'))!)).toMatchObject({ status: 'failed' })
  })

  it('--json prints one object per line with requests and results', async () => {
    const { code, out } = await ended([
      'trigger',
      'payer-cancels',
      '--isolated',
      '--json',
      '--url',
      url,
      '--for',
      '0',
    ])
    const facts = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(code).toBe(0)
    expect(facts.map(({ kind }) => kind)).toEqual([
      'scenario',
      'sent',
      'request',
      'state',
      'leap',
      'state',
      'callback',
      'attempt',
    ])
    expect(facts[1]).toMatchObject({ path: '/api/v2/payments', response: '201', body: { status: 'QUEUED' } })
    const { sent } = facts.at(-1)
    expect(JSON.parse(sent.body)).toMatchObject({ status: 'failed' })
    expect(sent.headers['webhook-id']).toBeTruthy()
    expect(sent.response.status).toBe(200)
  })

  it('shows the end of a payment that ends between two polls', async () => {
    const asked: string[] = []
    const { base, close } = await standIn((path) => {
      asked.push(path)
      // It ends when the clock is asked, as under load: a look before that saw it queued.
      const over = asked.some((each) => each === '/sandbox/clock')
      if (path === '/sandbox/clock') return { next: null }
      if (path.startsWith('/sandbox/inbox')) return { address: 'http://127.0.0.1/inbox' }
      if (!path.startsWith('/sandbox/transactions')) return { reference: 'A1', status: 'QUEUED' }
      const queued = { at: '2026-06-13T12:00:00.000Z', kind: 'state', summary: 'QUEUED', callback: null }
      const events = over ? [queued, { ...queued, summary: 'FAILED: cancelled' }] : [queued]
      return { transaction: 'A1', status: over ? 'FAILED' : 'QUEUED', events }
    })
    const { code, lines } = await triggeredAt(base, 'payer-cancels')
    await close()
    expect(code).toBe(0)
    expect(lines.filter((line) => line.startsWith('state'))).toEqual([
      'state     QUEUED',
      'state     FAILED: cancelled',
    ])
  })

  it('shows events that happen much later', async () => {
    const { lines } = await triggered('late-success')
    expect(lines.filter((line) => line.startsWith('state'))).toEqual([
      'state     QUEUED',
      'state     FAILED: expired',
      'state     SUCCESS',
      'state     QUEUED',
      'state     FAILED: expired',
      'state     SUCCESS',
    ])
  })

  it('continues when the outcome cuts the connection', async () => {
    const { code, lines } = await triggered('lost-response')
    expect(code).toBe(0)
    expect(lines).toContain(`    no response: ${url} closed the connection`)
    expect(lines).toContain('state     SUCCESS')
  })

  it('amends its own submission', async () => {
    const { lines } = await triggered('kyc-document-required')
    expect(lines.filter((line) => /^\w+ \/api/.test(line))).toEqual([
      'POST /api/v2/account_kycs',
      'PUT /api/v2/account_kycs/501',
    ])
    expect(lines.filter((line) => line.startsWith('    200'))).toHaveLength(2)
  })

  const afterAnswer = (lines: readonly string[]) =>
    lines
      .slice(lines.findIndex((line) => line.startsWith('    200')) + 1)
      .map((line) => line.replace(/ to .*/, ''))

  it('shows the states of a review to the end, with reasons', async () => {
    const { code, lines } = await triggered('kyc-rejected')
    expect(code).toBe(0)
    expect(afterAnswer(lines)).toEqual([
      'state     pending',
      '    the clock advances',
      'state     in_review',
      '    the clock advances',
      'state     rejected: The name does not match the document. The selfie is not legible.',
      '',
    ])
  })

  it('reports a review that never ends', async () => {
    const { lines } = await triggered('kyc-stays-pending')
    expect(lines.slice(-3)).toEqual([
      'state     pending',
      '    KYC 501 stays pending: no review is scheduled; POST /sandbox/kyc/501/review completes it',
      '',
    ])
  })

  it('reports when there is nothing more to follow', async () => {
    for (const name of ['insufficient-balance', 'connection-reset'])
      expect((await triggered(name)).lines.at(-2)).toMatch(
        /^ {4}done: create\w+ created no payment or KYC submission to follow$/,
      )
  })

  it('follows the payment by the reference of the outcome', async () => {
    const file = join(temporaryFolder(), 'own-reference.yaml')
    const bodies = ['external_reference: order-1', "external_reference: ''"]
    const requests = bodies.map((body) => `  - request: { operation: createCollection, body: { ${body} } }\n`)
    await writeFile(file, `title: T\nthen: { delay: 1 }\nexpect:\n${requests.join('')}`)
    const { base } = await started(['--port', '0'], { SANDBOX_SCENARIOS: file })
    const { code, lines } = await triggeredAt(base, file)
    expect(code).toBe(0)
    expect(lines.filter((line) => line.startsWith('state'))).toEqual([
      'state     QUEUED',
      'state     SUCCESS',
      'state     QUEUED',
      'state     SUCCESS',
    ])
  })

  it('does not move the clock of the user’s own world', async () => {
    const { lines } = await triggered('payer-cancels', '--user', 'demo+own:demo')
    expect(lines[0]).toMatch(/as demo\+own {2}http/)
    expect(lines.at(-2)).toMatch(
      /^ +settle is due at .*; to have it now: payments-sandbox settle --url http:\S+ --user demo\+own:demo$/,
    )
  })

  it('exits with 2 for an unknown outcome, with the closest name', async () => {
    expect(await ended(['trigger', 'payer-cancls', '--url', url])).toEqual({
      code: 2,
      out: '',
      err: 'there is no outcome payer-cancls (did you mean payer-cancels?). See payments-sandbox scenarios list.\n',
    })
  })

  it('exits with 1 if the credentials are rejected', async () => {
    const { code, err } = await ended(['trigger', 'payer-cancels', '--url', url, '--user', 'demo:no'])
    expect({ code, err }).toEqual({
      code: 1,
      err: `${url} rejects the user "demo" with this password.\n`,
    })
  })

  it('exits with 4 if no sandbox answers', async () => {
    const { port, close } = await listening(createServer())
    await close()
    const { code, err } = await ended(['trigger', 'payer-cancels', '--url', `http://127.0.0.1:${port}`])
    expect({ code, err }).toEqual({
      code: 4,
      err: `nothing listens at http://127.0.0.1:${port}; start a sandbox there, or pass its address with --url\n`,
    })
  })
})
