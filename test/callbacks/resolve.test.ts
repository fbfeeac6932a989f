import { createServer } from 'node:http'
import { utimesSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createNameResolver, type NameResolverOptions } from '../../src/callbacks/resolve.ts'
import { createHttpSend } from '../../src/callbacks/http-send.ts'
import { lookupFor } from '../../src/callbacks/target.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startNameServer, type Zone } from '../support/name-server.ts'

const V6 = '2001:db8:0:0:0:0:0:1'
const folder = temporaryFolder()
let made = 0
const fileOf = (text: string) => {
  const path = join(folder, `${++made}`)
  writeFileSync(path, text)
  return path
}

/** Names that a name server on loopback knows; nothing of this machine takes part. */
async function setUp(zone: Zone, options: Partial<NameResolverOptions> = {}, ttl?: number) {
  const time = { now: 0 }
  const { server, requested } = await startNameServer(zone, ttl)
  const system: string[] = []
  const names = createNameResolver({
    mode: 'local',
    limit: 60_000,
    servers: [server],
    hostsFile: fileOf(''),
    resolvFile: fileOf(''),
    wall: () => time.now,
    async system(name) {
      system.push(name)
      throw Object.assign(new Error(name), { code: 'ENOTFOUND' })
    },
    ...options,
  })
  afterAll(() => names.close())
  const find = async (name: string, world = 'a') =>
    (await names.resolve(name, world)).map(({ address }) => address)
  return { names, find, requested, system, time }
}

describe('a name', () => {
  it('resolves to the addresses of its name server, IPv4 first', async () => {
    const { names } = await setUp({ 'shop.test': [V6, '192.0.2.1', '192.0.2.2'] })
    expect(await names.resolve('Shop.Test', 'a')).toMatchObject([
      { address: '192.0.2.1', family: 4 },
      { address: '192.0.2.2', family: 4 },
      { address: '2001:db8::1', family: 6 },
    ])
  })

  it('resolves to the addresses of one family if the query for the other gets no response', async () => {
    const { find } = await setUp({ 'shop.test': ['192.0.2.1'], 'shop.test AAAA': 'silent' })
    expect(await find('shop.test')).toEqual(['192.0.2.1'])
  })

  it('is queried once for concurrent callers of all worlds', async () => {
    const { find, requested } = await setUp({ 'shop.test': ['192.0.2.1'] })
    await Promise.all(['a', 'a', 'b', 'c'].map((world) => find('shop.test', world)))
    expect(requested.toSorted()).toEqual(['shop.test A', 'shop.test AAAA'])
  })

  it.each([
    [5, 5_000],
    [86_400, 30_000],
  ])('with a TTL of %d s is queried again after %d ms', async (ttl, ms) => {
    const zone: Zone = { 'shop.test': ['192.0.2.1'] }
    const { find, time } = await setUp(zone, {}, ttl)
    await find('shop.test')
    zone['shop.test'] = ['192.0.2.2']
    time.now = ms - 1
    expect(await find('shop.test')).toEqual(['192.0.2.1'])
    time.now = ms
    expect(await find('shop.test')).toEqual(['192.0.2.2'])
  })

  it('with a TTL of 0 is queried each time', async () => {
    const { find, requested } = await setUp({ 'shop.test': ['192.0.2.1'] }, {}, 0)
    await find('shop.test')
    await find('shop.test')
    expect(requested).toHaveLength(4)
  })

  it('that does not exist is queried again after 2 s', async () => {
    const zone: Zone = {}
    const { find, time } = await setUp(zone)
    await expect(find('shop.test')).rejects.toMatchObject({ code: 'ENOTFOUND' })
    zone['shop.test'] = ['192.0.2.2']
    time.now = 1_999
    await expect(find('shop.test')).rejects.toMatchObject({ code: 'ENOTFOUND' })
    time.now = 2_000
    expect(await find('shop.test')).toEqual(['192.0.2.2'])
  })

  it('that is local is never sent to a name server', async () => {
    const { find, requested } = await setUp({})
    expect(await find('localhost')).toEqual(['127.0.0.1', '::1'])
    expect(await find('shop.localhost.')).toEqual(['127.0.0.1', '::1'])
    await expect(find('shop.invalid')).rejects.toMatchObject({ code: 'ENOTFOUND' })
    expect(requested).toEqual([])
  })

  it('localhost resolves to both families even if the hosts file contains only one', async () => {
    const { find } = await setUp({}, { hostsFile: fileOf('127.0.0.1 localhost\n127.0.0.1 shop.localhost') })
    expect(await find('localhost')).toEqual(['127.0.0.1', '::1'])
    expect(await find('shop.localhost')).toEqual(['127.0.0.1'])
  })
})

describe('a name server that does not respond', () => {
  it('times out, with an error that says so', async () => {
    const { find } = await setUp({ 'shop.test': 'silent' }, { limit: 1 })
    await expect(find('shop.test')).rejects.toMatchObject({ code: 'DNS_TIMEOUT' })
  })

  it('delays only the world with many of its names', async () => {
    const hanging = Array.from({ length: 100 }, (_, n) => `hangs-${n}.test`)
    const zone = Object.fromEntries([
      ...hanging.map((name) => [name, 'silent']),
      ['shop.test', ['192.0.2.1']],
    ])
    const { find, requested, system } = await setUp(zone as Zone)
    const ended: string[] = []
    for (const name of hanging)
      void find(name)
        .finally(() => ended.push(name))
        .catch(() => {})
    expect(await find('shop.test', 'b')).toEqual(['192.0.2.1'])
    expect(ended).toEqual([])
    expect(
      new Set(requested.filter((each) => each.startsWith('hangs')).map((each) => each.split(' ')[0])).size,
    ).toBe(32)
    expect(system).toEqual([])
  })

  it('does not delay a callback of another world', async () => {
    const receiver = createServer(
      (request, answer) => void request.resume().on('end', () => answer.end('ok')),
    )
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    const { port } = receiver.address() as AddressInfo
    const { names } = await setUp({ 'hangs.test': 'silent', 'shop.test': ['127.0.0.1'] })
    const { send, close } = createHttpSend({
      lookup: (world) => lookupFor('local', (name) => names.resolve(name, world)),
    })
    const post = (world: string, host: string) =>
      send({ world, url: `http://${host}:${port}/`, body: '{}', headers: {} })
    const hanging = post('a', 'hangs.test')
    expect(await post('b', 'shop.test')).toMatchObject({ status: 200, body: 'ok' })
    close()
    expect(await hanging).toBeUndefined()
    receiver.close()
  })
})

describe('this machine', () => {
  it('has a hosts file, which takes precedence and is read again when it changes', async () => {
    const hostsFile = fileOf(
      '# ours\n10.1.2.3  host.docker.internal Other # not this\nfe80::1%eth0 other\nx y\n',
    )
    const { find, requested } = await setUp({ 'host.docker.internal': ['192.0.2.1'] }, { hostsFile })
    expect(await find('HOST.docker.internal')).toEqual(['10.1.2.3'])
    expect(await find('other')).toEqual(['10.1.2.3', 'fe80::1%eth0'])
    expect(requested).toEqual([])
    writeFileSync(hostsFile, '10.3.2.1 host.docker.internal')
    utimesSync(hostsFile, 1, 1)
    expect(await find('host.docker.internal')).toEqual(['10.3.2.1'])
  })

  const cluster = 'search shop.svc.cluster.test cluster.test.\noptions timeout:1 ndots:2\n'

  it.each([
    ['api', ['api.shop.svc.cluster.test']],
    ['api.shop', ['api.shop.shop.svc.cluster.test', 'api.shop.cluster.test']],
    ['api.shop.dev', ['api.shop.dev']],
    ['api.shop.', ['api.shop']],
    ['api.elsewhere', ['api.elsewhere.shop.svc.cluster.test', 'api.elsewhere.cluster.test', 'api.elsewhere']],
  ])('completes %s as configured, in local mode', async (name, expected) => {
    const there = ['192.0.2.1']
    const zone = {
      'api.shop.svc.cluster.test': there,
      'api.shop.cluster.test': there,
      'api.shop.dev': there,
      'api.shop': there,
      'api.elsewhere': there,
    }
    const { find, requested } = await setUp(zone, { resolvFile: fileOf(cluster) })
    expect(await find(name)).toEqual(there)
    expect(requested.filter((each) => each.endsWith(' A')).map((each) => each.slice(0, -2))).toEqual(expected)
  })

  it('does not complete names in hosted mode', async () => {
    const zone = { 'shop.test.cluster.test': ['192.0.2.1'] }
    const { find, system } = await setUp(zone, { mode: 'hosted', resolvFile: fileOf(cluster) })
    await expect(find('shop.test')).rejects.toMatchObject({ code: 'ENOTFOUND' })
    expect(system).toEqual([])
  })

  it('resolves names that no name server knows in local mode, two at a time and one per world', async () => {
    const ends: (() => void)[] = []
    const system = (name: string) =>
      new Promise<{ address: string; family: number }[]>((resolve) => {
        started.push(name)
        ends.push(() => resolve([{ address: '192.0.2.9', family: 4 }]))
      })
    const started: string[] = []
    const { find } = await setUp({}, { system })
    const all = [
      find('printer-1.local', 'a'),
      find('printer-2.local', 'a'),
      find('nas.local', 'b'),
      find('tv.local', 'c'),
    ]
    await expect.poll(() => started.length).toBe(2)
    expect(started.filter((name) => name.startsWith('printer'))).toHaveLength(1)
    while (ends.length > 0 || started.length < 4) {
      ends.shift()?.()
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await Promise.all(all)).toEqual([['192.0.2.9'], ['192.0.2.9'], ['192.0.2.9'], ['192.0.2.9']])
  })
})
