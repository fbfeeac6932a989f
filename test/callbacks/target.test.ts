import { createServer, request } from 'node:http'
import type { AddressInfo, LookupFunction } from 'node:net'
import { describe, expect, it } from 'vitest'
import {
  applyRewrites,
  checkTarget,
  lookupFor,
  parseRewrites,
  type ResolvedAddress,
  TargetRefused,
} from '../../src/callbacks/target.ts'

/** Spellings of places that a hosted sandbox must not call. */
const FORBIDDEN = [
  // loopback
  'http://127.0.0.1/',
  'http://127.0.0.1:8080/hook',
  'http://127.255.255.254/',
  'http://127.1/',
  'http://127.0.1/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.0.0.1/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://017700000001/',
  'http://0177.0x0.0.1/',
  'http://127.0.0.1./',
  'http://%31%32%37.0.0.1/',
  'http://127。0。0。1/',
  'http://①②⑦.0.0.1/',
  'http://１２７.0.0.1/',
  'http:\\\\127.0.0.1\\',
  'http:127.0.0.1',
  'HTTP://LOCALHOST/',
  'http://localhost./',
  'http://localhost:3000/',
  'http://shop.localhost/',
  'http://ⓛocalhost/',
  'http://[::1]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[0000::0001]:8443/',
  // unspecified
  'http://0/',
  'http://0.0.0.0/',
  'http://0.1.2.3/',
  'http://[::]/',
  // private
  'http://10.0.0.1/',
  'http://167772161/',
  'http://012.0.0.1/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.168.1.1/',
  'http://0xc0a80101/',
  'http://192.168.257/',
  'http://[fc00::1]/',
  'http://[fd12:3456:789a::1]/',
  'http://[fec0::1]/',
  // link-local and metadata
  'http://169.254.169.254/latest/meta-data/',
  'http://2852039166/',
  'http://0xa9fea9fe/',
  'http://0251.0376.0251.0376/',
  'http://169.254.43518/',
  'http://169.254.170.2/v2/credentials',
  'http://100.100.100.200/',
  'http://168.63.129.16/',
  'http://[fd00:ec2::254]/',
  'http://[fe80::1]/',
  'http://[febf::1]/',
  'http://metadata.google.internal/',
  'http://metadata/',
  // carrier-grade NAT, multicast, broadcast, reserved, documentation
  'http://100.64.0.1/',
  'http://100.127.255.255/',
  'http://224.0.0.1/',
  'http://239.255.255.250/',
  'http://[ff02::1]/',
  'http://240.0.0.1/',
  'http://255.255.255.255/',
  'http://4294967295/',
  'http://192.0.0.192/',
  'http://192.0.2.1/',
  'http://198.18.0.1/',
  'http://198.51.100.1/',
  'http://203.0.113.1/',
  'http://192.88.99.1/',
  'http://[2001:db8::1]/',
  'http://[100::1]/',
  'http://[4000::1]/',
  // IPv4 inside IPv6
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[0:0:0:0:0:ffff:169.254.169.254]/',
  'http://[::ffff:8.8.8.8]/',
  'http://[::127.0.0.1]/',
  'http://[::ffff:0:127.0.0.1]/',
  'http://[64:ff9b::127.0.0.1]/',
  'http://[64:ff9b:1::a00:1]/',
  'http://[2002:7f00:1::]/',
  'http://[2002:a9fe:a9fe::1]/',
  'http://[2001:0:7f00:1::]/',
  // zone ids
  'http://[fe80::1%25eth0]/',
  'http://[::1%251]/',
  // credentials
  'http://user:secret@example.com/',
  'http://example.com@127.0.0.1/',
  'http://127.0.0.1@example.com/',
  // inner names
  'http://printer.local/',
  'http://host.docker.internal:3000/',
  'http://router.home.arpa/',
  'http://redis:6379/',
]

/** Not http, or nothing at all: refused in either mode. */
const NOT_HTTP = [
  'ftp://example.com/',
  'file:///etc/passwd',
  'gopher://example.com/',
  'ws://example.com/',
  'javascript:alert(1)',
  'data:text/plain,a',
  'example.com/hook',
  'http://',
  '',
  '//example.com/',
]

const PUBLIC = [
  'https://example.com/callbacks?order=1',
  'http://example.com:8080/',
  'https://EXAMPLE.com./',
  'https://münchen.example/',
  'https://8.8.8.8/',
  'http://134744072/',
  'https://1.1.1.1/',
  'http://11.0.0.1/',
  'http://172.15.255.255/',
  'http://172.32.0.1/',
  'http://192.167.255.255/',
  'http://192.169.0.1/',
  'http://169.253.255.255/',
  'http://169.255.0.1/',
  'http://100.63.255.255/',
  'http://100.128.0.1/',
  'http://126.255.255.255/',
  'http://128.0.0.1/',
  'http://223.255.255.1/',
  'https://[2606:4700:4700::1111]/',
  'https://[2a00:1450:4001:81b::200e]/',
  'https://localhost.example.com/',
  'https://internal.example.com/',
  'https://127.0.0.1.example.com/',
]

describe('hosted mode', () => {
  it.each(FORBIDDEN)('refuses %s', (address) => {
    expect(() => checkTarget(address, 'hosted')).toThrow(TargetRefused)
  })

  it.each(NOT_HTTP)('refuses "%s"', (address) => {
    expect(() => checkTarget(address, 'hosted')).toThrow(TargetRefused)
  })

  it.each(PUBLIC)('calls %s', (address) => {
    expect(() => checkTarget(address, 'hosted')).not.toThrow()
  })

  it.each([
    ['http://0x7f.1/', '127.0.0.1 is a loopback address', 'SANDBOX_MODE=local'],
    ['http://0xa9fea9fe/', '169.254.169.254 is a cloud metadata address', 'SANDBOX_MODE=local'],
    ['http://[2002:7f00:1::]/', '2002:7f00:1:: is a 6to4 address', 'SANDBOX_MODE=local'],
    ['http://0.0.0.0/', '0.0.0.0 is an unspecified address', 'SANDBOX_MODE=local'],
    ['http://100.64.0.1/', 'is a carrier-grade NAT address', 'SANDBOX_MODE=local'],
    ['http://redis/', '"redis" is a name of an inner network', 'use an address the internet can reach'],
    ['http://a:b@example.com/', 'on example.com contains credentials', 'remove the part before the @'],
    ['ftp://example.com/', 'has the scheme ftp:', 'use http: or https:'],
    ['example.com', 'is not a URL', 'use http://… or https://…'],
  ])('rejects %s with the reason and the remedy', (address, what, change) => {
    expect(() => checkTarget(address, 'hosted')).toThrow(what)
    expect(() => checkTarget(address, 'hosted')).toThrow(change)
  })

  it.each([
    ['http://example.com:25/', 25],
    ['https://example.com:22/', 22],
    ['http://example.com/', 80],
  ])('rejects the port of %s unless it is allowed, and names the setting', (address, port) => {
    expect(() => checkTarget(address, 'hosted', [443, 8443])).toThrow(
      `has the port ${port}, which this sandbox does not call: use 443, 8443, or have its operator add ${port} to SANDBOX_CALLBACK_PORTS`,
    )
    expect(() => checkTarget(address, 'hosted', [port])).not.toThrow()
  })

  it('does not repeat a password in the message', () => {
    expect(() => checkTarget('http://user:hunter2@example.com/', 'hosted')).not.toThrow('hunter2')
  })
})

describe('local mode', () => {
  it.each([
    'http://localhost:3000/',
    'http://127.0.0.1/',
    'http://[::1]/',
    'http://10.0.0.1/',
    'http://redis/',
  ])('calls %s', (address) => {
    expect(() => checkTarget(address, 'local')).not.toThrow()
  })

  it.each(NOT_HTTP)('refuses "%s"', (address) => {
    expect(() => checkTarget(address, 'local')).toThrow(TargetRefused)
  })
})

const v4 = (address: string) => ({ address, family: 4 })
const v6 = (address: string) => ({ address, family: 6 })

type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>

type Looked = Parameters<Parameters<LookupFunction>[2]>

function look(resolve: Resolve, options: Parameters<LookupFunction>[1] = { all: true }): Promise<Looked> {
  return new Promise((done) => {
    lookupFor('hosted', resolve)('shop.example', options, (...result) => done(result))
  })
}

describe('a name in hosted mode', () => {
  it.each([
    ['a public address', [v4('93.184.215.14')]],
    ['two public addresses', [v4('93.184.215.14'), v6('2606:4700::1111')]],
  ])('that resolves to %s is called at this address', async (_, addresses) => {
    expect(await look(async () => addresses)).toEqual([null, addresses])
  })

  it.each([
    ['127.0.0.1', [v4('127.0.0.1')]],
    ['::1', [v6('::1')]],
    ['169.254.169.254', [v4('169.254.169.254')]],
    ['::ffff:10.0.0.1', [v6('::ffff:10.0.0.1')]],
    ['fe80::1%eth0', [v6('fe80::1%eth0')]],
    ['192.168.0.9', [v4('93.184.215.14'), v4('192.168.0.9')]],
  ])('that resolves to %s is rejected', async (address, addresses) => {
    const [error] = await look(async () => addresses)
    expect(error).toBeInstanceOf(TargetRefused)
    expect(error?.message).toContain(`callback host shop.example resolves to ${address}, which is a`)
  })

  it('that changes its address is rejected once the address is forbidden', async () => {
    const answers = [[v4('93.184.215.14')], [v4('127.0.0.1')]]
    const resolve: Resolve = async () => answers.shift() ?? []
    expect((await look(resolve))[1]).toEqual([v4('93.184.215.14')])
    expect((await look(resolve))[0]).toBeInstanceOf(TargetRefused)
  })

  it('resolves to one address of the requested family', async () => {
    const resolve: Resolve = async () => [v4('93.184.215.14'), v6('2606:4700::1111')]
    expect(await look(resolve, {})).toEqual([null, '93.184.215.14', 4])
    expect(await look(resolve, { family: 6 })).toEqual([null, '2606:4700::1111', 6])
    expect(await look(resolve, { family: 'IPv6', all: true })).toEqual([null, [v6('2606:4700::1111')]])
  })

  it('without an address results in an error, as does a failing resolver', async () => {
    expect((await look(async () => []))[0]?.code).toBe('ENOTFOUND')
    const failure = Object.assign(new Error('no resolver'), { code: 'EAI_AGAIN' })
    expect((await look(() => Promise.reject(failure)))[0]).toBe(failure)
  })

  it('is not reached by a real request if it resolves to loopback', async () => {
    let connections = 0
    const server = createServer((_, answer) => answer.end('ok'))
    server.on('connection', () => (connections += 1))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    const call = (lookup: LookupFunction) =>
      new Promise<unknown>((done) => {
        const sent = request({ host: 'shop.example', port, lookup, agent: false }, (answer) => {
          answer.resume().on('end', () => done(answer.statusCode))
        })
        sent.on('error', done).end()
      })
    const loopback: Resolve = async () => [v4('127.0.0.1')]
    const open: LookupFunction = (_, options, callback) =>
      options.all ? callback(null, [v4('127.0.0.1')]) : callback(null, '127.0.0.1', 4)
    expect(await call(lookupFor('hosted', loopback))).toBeInstanceOf(TargetRefused)
    expect(connections).toBe(0)
    expect(await call(open)).toBe(200)
    await new Promise((done) => server.close(done))
  })
})

describe('rewrites', () => {
  const rewrites = parseRewrites(
    'localhost=host.docker.internal, shop.test:443=127.0.0.1:8443, [::1]=10.0.0.2',
  )

  it.each([
    ['http://localhost:3000/hook?a=1&b=%20', 'http://host.docker.internal:3000/hook?a=1&b=%20'],
    ['http://LOCALHOST./hook', 'http://host.docker.internal/hook'],
    ['https://shop.test/hook', 'https://127.0.0.1:8443/hook'],
    ['http://shop.test/hook', 'http://shop.test/hook'],
    ['http://[::1]:80/', 'http://10.0.0.2/'],
    ['http://mylocalhost/', 'http://mylocalhost/'],
    ['not a url', 'not a url'],
  ])('%s becomes %s', (address, expected) => {
    expect(applyRewrites(address, rewrites)).toBe(expected)
  })

  it.each(['127.0.0.1', '127.8.9.1', '0.0.0.0', '[::]', 'shop.localhost', '[::ffff:127.0.0.1]'])(
    'of localhost hold for %s, where that has none of its own',
    (host) => {
      expect(applyRewrites(`http://${host}:3000/hook`, rewrites)).toBe(
        'http://host.docker.internal:3000/hook',
      )
      const own = parseRewrites('localhost=a, 127.0.0.1=b, localhost:80=c')
      expect(applyRewrites('http://127.0.0.1/', own)).toBe('http://b/')
      expect(applyRewrites('http://0.0.0.0/', own)).toBe('http://a/')
    },
  )

  it.each(['', 'none'])('are empty for "%s"', (text) => {
    expect(parseRewrites(text)).toEqual([])
  })

  it.each(['localhost', 'localhost=', '=a', 'a=b=c', 'http://a=b', 'a=b/c', 'a=b:99999'])(
    '%s is refused',
    (text) => {
      expect(() => parseRewrites(text)).toThrow('SANDBOX_CALLBACK_REWRITE has')
    },
  )
})
