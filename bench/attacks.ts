/** Attacks by one API key on the memory of a process, each measured separately. */
import http from 'node:http'

/** The password of the API key; a hosted sandbox does not start with a documented password. */
export const PASSWORD = 'a password of the benchmark'

/** Number of responses per status, with the reason of the first 413 or 429; `ended` counts broken connections. */
export interface Tally {
  readonly answers: Map<number | 'ended', number>
  refusal: string
}

export interface Attacker {
  /** Sends a request and counts the response. */
  ask(method: string, path: string, body?: unknown, username?: string): Promise<void>
  /** Sends a request and never reads the body; resolves when the response head has arrived. */
  ignore(path: string): Promise<void>
  readonly tally: Tally
  close(): void
}

export function attacker(port: number): Attacker {
  const tally: Tally = { answers: new Map(), refusal: '' }
  const agent = new http.Agent({ keepAlive: true })
  const ignored = new Set<http.ClientRequest>()
  const count = (answer: number | 'ended') => tally.answers.set(answer, (tally.answers.get(answer) ?? 0) + 1)
  const request = (method: string, path: string, username: string, length: number | undefined) =>
    http.request({
      host: '127.0.0.1',
      port,
      method,
      path,
      agent: length === undefined ? false : agent,
      headers: {
        authorization: `Basic ${Buffer.from(`${username}:${PASSWORD}`).toString('base64')}`,
        'content-type': 'application/json',
        'content-length': length ?? 0,
      },
    })
  return {
    tally,
    ask: (method, path, body, username = 'demo') =>
      new Promise((resolve) => {
        const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body))
        const asked = request(method, path, username, bytes.length)
        const ended = () => {
          count('ended')
          resolve()
        }
        asked.on('error', ended)
        asked.on('response', (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', ended)
          response.on('end', () => {
            const status = response.statusCode!
            count(status)
            if (status === 429 || status === 503)
              tally.refusal ||= (
                JSON.parse(Buffer.concat(chunks).toString()) as { error_message: string }
              ).error_message
            resolve()
          })
        })
        asked.end(bytes)
      }),
    ignore: (path) =>
      new Promise((resolve) => {
        const asked = request('GET', path, 'demo', undefined)
        ignored.add(asked)
        asked.on('error', () => resolve())
        asked.on('response', (response) => {
          const status = response.statusCode!
          count(status)
          if (status === 429) response.on('data', (text: Buffer) => (tally.refusal ||= messageIn(text)))
          resolve()
        })
        asked.end()
      }),
    close() {
      for (const asked of ignored) asked.destroy()
      agent.destroy()
    },
  }
}

const messageIn = (text: Buffer) => (JSON.parse(text.toString()) as { error_message: string }).error_message

/** Runs `work` for 0 to `times - 1`, eight at a time. */
async function many(times: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < times) await work(next++)
  }
  await Promise.all(Array.from({ length: 8 }, worker))
}

const MB = 'x'.repeat(1_000_000)
const payment = (changes: object) => ({
  amount: 2,
  phone_number: '254712345678',
  provider: 'm-pesa',
  network_code: '63902',
  account_id: 63,
  ...changes,
})

/** Approximately the longest URL that is accepted. */
const address = (n: number | string) => `https://shop.example/${n}?${'x'.repeat(2_000)}`
/** About 2.4 KB; a world's budget counts 10 KB for it. */
const longPayment = (n: number | string) =>
  payment({ callback_url: address(n), external_reference: `${n}`.padEnd(250, 'x') })
/** How many of them fill a megabyte of a world's budget. */
const IN_A_MB = 100

/** @param size - Approximate megabytes to send or to store */
type Attack = (attacker: Attacker, size: number) => Promise<void>

export const attacks: { readonly [name: string]: Attack } = {
  'refused requests of 1 MB': ({ ask }, size) =>
    many(size, () => ask('POST', '/api/v2/payments', payment({ amount: -1, external_reference: MB }))),

  'external references of 1 MB': ({ ask }, size) =>
    many(size, (n) => ask('POST', '/api/v2/payments', payment({ external_reference: `${n}${MB}` }))),

  'the longest payments': ({ ask }, size) =>
    many(size * IN_A_MB, (n) => ask('POST', '/api/v2/payments', longPayment(n))),

  'snapshots of a world of 10 MB': async ({ ask }, size) => {
    for (let n = 0; n < size / 10; n++) {
      await many(10 * IN_A_MB, (m) => ask('POST', '/api/v2/payments', longPayment(`${n}-${m}`)))
      await ask('POST', '/sandbox/snapshots', {})
      await ask('POST', '/sandbox/reset')
    }
  },

  'invitations with the longest links': ({ ask }, size) =>
    many(size * IN_A_MB, (n) =>
      ask('POST', '/api/v2/account_invites', {
        organization_id: 1,
        account_id: 63,
        email: `${n}@shop.example`,
        base_url: address(n),
      }),
    ),

  'scenario files of 60 KB': ({ ask }, size) =>
    many(size * 4, (n) =>
      ask('PUT', `/sandbox/scenarios/made-${n}`, {
        title: 'A made-up customer',
        summary: `${n}${MB.slice(0, 60_000)}`,
        when: { operation: 'createCollection' },
        then: { delay: '1s' },
      }),
    ),

  'event streams that nobody reads': async ({ ask, ignore }, size) => {
    await many(200, () => ignore('/sandbox/events'))
    await many((size / 10) * IN_A_MB, (n) => ask('POST', '/api/v2/payments', longPayment(n)))
  },

  'requests that wait': async ({ ask }) => {
    const waiting = Array.from({ length: 2_000 }, () =>
      ask('GET', '/sandbox/requests/wait?reference=never&timeout=5s'),
    )
    await Promise.all(waiting)
  },

  'the longest payments, a world for every megabyte': ({ ask }, size) =>
    many(size * IN_A_MB, (n) =>
      ask('POST', '/api/v2/payments', longPayment(n), `demo+world-${Math.floor(n / IN_A_MB)}`),
    ),
}
