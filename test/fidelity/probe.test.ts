import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { AcceptedError, probeRequests, sendProbe } from '../../src/fidelity/probe.ts'
import { createSandbox } from '../../src/index.ts'
import { commandLine, ended } from '../cli/process.ts'
import { temporaryFolder } from '../support/folder.ts'
import { listen, recording } from './service.ts'

const user = { username: 'demo', password: 'demo' }

async function sent(url: string) {
  const statuses: (readonly [string, number])[] = []
  const onResponse = ({ name }: { name: string }, status: number) => statuses.push([name, status])
  const run = sendProbe({ url, user, account: 63, every: 0, onResponse })
  const error: unknown = await run.then(
    () => undefined,
    (caught: unknown) => caught,
  )
  return { error, statuses }
}

/** A service that accepts everything. */
const accepting = async () => {
  let requests = 0
  const server = createServer((incoming, outgoing) => {
    requests++
    incoming.resume()
    outgoing.end('{}')
  })
  const url = `http://127.0.0.1:${await listen(server)}`
  return { url, requests: () => requests }
}

describe('a probe', () => {
  it('moves no money, gets the expected responses of a sandbox, and finds no difference to it', async () => {
    const sandbox = await createSandbox({ random: '7' })
    onTestFinished(() => sandbox.close())
    await sandbox.listen()
    const requests = probeRequests({ country: 'KE', account: 63 })
    const proxy = await recording(sandbox.url)
    const before = await sandbox.home.teams.get(63)
    const { error, statuses } = await sent(proxy.url)
    expect(error).toBeUndefined()
    expect(statuses).toHaveLength(requests.length)
    const wrong = statuses.filter(([, status], n) =>
      requests[n]!.mustFail ? status < 400 || status >= 500 : status !== 200,
    )
    expect(wrong).toEqual([])
    expect(await sandbox.home.transactions.list()).toEqual([])
    expect(await sandbox.home.teams.get(63)).toEqual(before)
    await proxy.recorded(requests.length)
    const recorded = join(temporaryFolder(), 'probe.har')
    await writeFile(recorded, JSON.stringify({ log: { entries: proxy.entries } }))
    const { code, out } = await ended(['compare', recorded, '--fail-on', 'any'])
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/: no difference|: 0 differences/) })
  })

  it('stops at the first accepted request that must be rejected', async () => {
    const service = await accepting()
    const requests = probeRequests({ account: 63 })
    const { error, statuses } = await sent(service.url)
    expect(error).toBeInstanceOf(AcceptedError)
    const first = requests.findIndex(({ mustFail }) => mustFail)
    expect(statuses).toHaveLength(first + 1)
    expect(service.requests()).toBe(first + 1)
  })

  it('has only requests for payments without a usable amount', () => {
    const paying = probeRequests({ country: 'KE' }).filter(({ path }) => /payments$|withdraw$/.test(path))
    expect(paying.length).toBeGreaterThan(6)
    for (const { body, mustFail } of paying) {
      expect(mustFail).toBe(true)
      const amount = typeof body === 'object' && 'amount' in body ? body.amount : 0
      expect(typeof amount === 'number' ? amount : 0).toBe(0)
    }
  })
})

describe('the command probe', () => {
  const file = () => join(temporaryFolder(), 'probe.har')

  it('prints the requests, and sends nothing without a confirmation', async () => {
    const service = await accepting()
    const { code, out, err } = await ended([
      'probe',
      '--service',
      service.url,
      '--user',
      'demo:demo',
      '--out',
      file(),
    ])
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/Nothing was sent: .*--yes/) })
    expect(out).toMatch(/GET +\/api\/v2\/payment_channels\?page=1&per=1 +lists payment channels/)
    expect(service.requests()).toBe(0)
  })

  it.each([
    ['no service', ['--user', 'demo:demo'], /--service/],
    ['no key', ['--service', 'http://127.0.0.1:9'], /--user <name:password>/],
    [
      'more than one request a second',
      ['--service', 'http://127.0.0.1:9', '--user', 'demo:demo', '--every', '10ms'],
      /--every must be at least 1s, got 10 ms/,
    ],
    ['a country in words', ['--service', 'http://127.0.0.1:9', '--country', 'Kenya'], /such as KE/],
  ])('rejects %s', async (_, flags, message) => {
    const { code, err } = await ended(['probe', ...flags])
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(message) })
  })

  it('ends with 4 if the service does not respond', async () => {
    const { code, printed } = commandLine(
      ['probe', '--service', 'http://127.0.0.1:9', '--user', 'demo:demo', '--yes', '--out', file()],
      {},
    )
    expect(await code).toBe(4)
    expect(printed.err).toMatch(/http:\/\/127\.0\.0\.1:9 does not respond/)
  })
})
