import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isInContainer } from '../../src/callbacks/target.ts'
import { temporaryFolder } from '../support/folder.ts'
import { readableLog } from '../support/log-lines.ts'
import { collection } from '../support/requests.ts'
import { hosted, startSandbox } from '../support/sandbox.ts'

/** What is at each host; who is not named refuses the connection. */
type Hosts = { readonly [host: string]: { status: number } | { code: string; error: string } }

/** A sandbox in a container, as it says itself. */
async function inContainer(hosts: Hosts, env: Record<string, string> = {}) {
  const { log, of } = readableLog()
  const {
    sandbox,
    world: newWorld,
    answerOf,
    received,
  } = await startSandbox(
    { SANDBOX_PORT: '0', SANDBOX_IN_CONTAINER: 'on', SANDBOX_RETRY_PROFILE: 'none', ...env },
    { log },
  )
  const called: string[] = []
  answerOf.next = ({ url }) => {
    called.push(url)
    const found = hosts[new URL(url).hostname]
    if (found && 'status' in found) return { error: '', ...found }
    return { status: null, code: 'ECONNREFUSED', error: 'refused', ...found }
  }
  /** Pays and answers what is on record of the only attempt. */
  const attemptAt = async (callback_url: string) => {
    const world = newWorld()
    await world.post('/api/v2/payments', collection(world, { callback_url }))
    await world.settle()
    return (await world.get('/sandbox/callbacks/1')).body.attempts[0]
  }
  return { sandbox, attemptAt, called, received, of }
}

const MACHINE = 'host.docker.internal'
const UNKNOWN = { code: 'ENOTFOUND', error: 'does not resolve' }

describe('a callback to loopback, from a container', () => {
  it('goes to the host of the container if nothing listens inside, with a matching signature', async () => {
    const { attemptAt, called, received } = await inContainer({ [MACHINE]: { status: 200 } })
    const attempt = await attemptAt('http://127.0.0.1:9000/hook?a=1')
    expect(attempt).toMatchObject({
      url: `http://${MACHINE}:9000/hook?a=1`,
      response: { status: 200 },
      error: '',
    })
    expect(called).toEqual(['http://127.0.0.1:9000/hook?a=1', `http://${MACHINE}:9000/hook?a=1`])
    expect(received.at(-1)!.headers['host']).toBe(`${MACHINE}:9000`)
  })

  it.each(['localhost', '127.0.0.1', '[::1]', '0.0.0.0', 'shop.localhost', '127.1', '[::ffff:127.0.0.1]'])(
    'however it is spelt: %s',
    async (host) => {
      const { attemptAt } = await inContainer({ [MACHINE]: { status: 200 } })
      expect(await attemptAt(`http://${host}:9000/`)).toMatchObject({ url: `http://${MACHINE}:9000/` })
    },
  )

  it('stays in the container if something listens there', async () => {
    const { attemptAt, called } = await inContainer({ localhost: { status: 500 } })
    expect(await attemptAt('http://localhost:9000/')).toMatchObject({ response: { status: 500 } })
    expect(called).toEqual(['http://localhost:9000/'])
  })

  it('explains how to name the host if the container cannot resolve it', async () => {
    const { attemptAt, of } = await inContainer({ [MACHINE]: UNKNOWN })
    const { url, error, advice } = await attemptAt('http://127.0.0.1:9000/')
    expect(url).toBe('http://127.0.0.1:9000/')
    expect(error).toBe(
      `connection refused: nothing listens at 127.0.0.1:9000 in this container, and ${MACHINE} does not resolve`,
    )
    expect(advice).toMatch(/^start the receiver if it runs in this container; for a receiver on/)
    expect(advice).toContain(`--add-host ${MACHINE}:host-gateway`)
    expect(advice).toContain('SANDBOX_CALLBACK_REWRITE=localhost=')
    expect(of('callback given up')).toMatchObject([{ error, advice }])
  })

  it('explains how to listen if nothing listens on the host either', async () => {
    const { attemptAt } = await inContainer({})
    expect(await attemptAt('https://127.0.0.1/')).toMatchObject({
      error: `connection refused: nothing listens at 127.0.0.1 in this container, nor at ${MACHINE}:443`,
      advice: expect.stringContaining('listen on 0.0.0.0'),
    })
  })

  it('goes only to the host in SANDBOX_CALLBACK_REWRITE', async () => {
    const { attemptAt, called } = await inContainer({}, { SANDBOX_CALLBACK_REWRITE: 'localhost=shop' })
    await attemptAt('http://127.0.0.1:9000/')
    expect(called).toEqual(['http://shop:9000/'])
  })

  it.each([
    ['with SANDBOX_CALLBACK_REWRITE=none', { SANDBOX_CALLBACK_REWRITE: 'none' }],
    ['outside a container', { SANDBOX_IN_CONTAINER: 'off' }],
  ])('is not retried on the host %s', async (_, env) => {
    const { attemptAt, called } = await inContainer({ [MACHINE]: { status: 200 } }, env)
    await attemptAt('http://127.0.0.1:9000/')
    expect(called).toEqual(['http://127.0.0.1:9000/'])
  })

  it('does not change other addresses', async () => {
    const { attemptAt, called } = await inContainer({ [MACHINE]: { status: 200 } })
    await attemptAt('http://10.0.0.1:9000/')
    expect(called).toEqual(['http://10.0.0.1:9000/'])
  })
})

describe('the start in a container', () => {
  it.each([
    ['logs the target of callbacks to localhost and the setting', {}, 1],
    ['logs nothing if the setting is set', { SANDBOX_CALLBACK_REWRITE: 'localhost=shop' }, 0],
    ['logs nothing in hosted mode, which never calls localhost', hosted, 0],
    ['logs nothing outside a container', { SANDBOX_IN_CONTAINER: 'off' }, 0],
  ])('%s', async (_, env, lines) => {
    const { sandbox, of } = await inContainer({}, env)
    await sandbox.listen()
    expect(of('runs in a container')).toHaveLength(lines)
    for (const { callbacks } of of('runs in a container'))
      expect(callbacks).toMatch(/SANDBOX_CALLBACK_REWRITE=localhost=NAME/)
  })
})

describe('a container', () => {
  const rootWith = (path: string, text = '') => {
    const root = temporaryFolder()
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
    return root
  }
  it.each([
    ['Docker', rootWith('.dockerenv')],
    ['Podman', rootWith('run/.containerenv')],
    ['Kubernetes', rootWith('var/run/secrets/kubernetes.io/serviceaccount')],
    ['an older Docker', rootWith('proc/self/cgroup', '5:devices:/docker/2037f0f3e9d6\n')],
  ])('is detected by the files of %s', (_, root) => {
    expect(isInContainer(null, root)).toBe(true)
    expect(isInContainer('off', root)).toBe(false)
  })

  it('is not detected without such files', () => {
    expect(isInContainer(null, temporaryFolder())).toBe(false)
    expect(isInContainer(null, rootWith('proc/self/cgroup', '0::/user.slice\n'))).toBe(false)
    expect(isInContainer('on', temporaryFolder())).toBe(true)
  })
})
