import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { run } from '../../src/cli/run.ts'
import type { Setting } from '../../src/config/setting.ts'
import { settings } from '../../src/config/settings.ts'
import { commandLine, ended, listening, started, until } from './process.ts'

const escape = String.fromCodePoint(27)

describe('help', () => {
  it('names every command and documents examples and exit codes', async () => {
    const { code, out, err } = await ended(['--help'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    for (const word of [
      'start',
      'healthcheck',
      'openapi',
      'scenarios',
      'trigger',
      'listen',
      'Examples:',
      'Exit codes:',
    ])
      expect(out).toContain(word)
  })

  it('lists a flag for every setting except secrets', async () => {
    const { out } = await ended(['start', '--help', '--all'])
    const listed = [...out.matchAll(/^ {2}--(\S+) <value>/gm)].map((match) => match[1])
    const named = Object.values<Setting>(settings)
      .filter(({ secret }) => !secret)
      .map(({ variable }) => variable.replace('SANDBOX_', '').toLowerCase().replaceAll('_', '-'))
    expect(listed).toEqual(named)
  })

  it('uses colours only where supported', async () => {
    expect((await ended(['--help'], {}, { colours: true })).out).toContain(escape)
    expect((await ended(['--help'])).out).not.toContain(escape)
  })

  it('--version prints the version of the package', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8'))
    expect(await ended(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' })
  })
})

describe('an invalid setting', () => {
  it('stops every command', async () => {
    for (const args of [[], ['healthcheck']]) {
      const { code, err } = await ended(args, { SANDBOX_PORT: 'eighty' })
      expect({ code, err }).toEqual({
        code: 2,
        err: 'SANDBOX_PORT must be a whole number from 0 to 65535, got "eighty"\n',
      })
    }
  })
})

describe('openapi', () => {
  it.each([
    [[], 'service'],
    [['--control'], 'control'],
  ])('%j prints the description of the %s as YAML or JSON', async (args, api) => {
    const text = await readFile(`src/generated/${api}/openapi.json`, 'utf8')
    expect(await ended(['openapi', ...args, '--json'])).toMatchObject({ code: 0, out: text })
    const yaml = stringify(JSON.parse(text), { lineWidth: 0, aliasDuplicateObjects: false })
    expect(await ended(['openapi', ...args])).toMatchObject({ code: 0, out: yaml })
  })
})

describe('output to a full disk', () => {
  it.each([[['openapi']], [['seed']], [['completion', 'bash']]])(
    '%j ends with 1 and says so',
    async (args) => {
      let err = ''
      const code = await run(args, {
        env: {},
        out: {
          write: () => {},
          terminal: false,
          colours: false,
          lost: async () => new Error('ENOSPC: no space'),
        },
        err: { write: (text) => void (err += text), terminal: false, colours: false },
        stopped: () => new Promise(() => {}),
      })
      expect({ code, err }).toEqual({
        code: 1,
        err: expect.stringContaining('is incomplete: ENOSPC: no space.'),
      })
    },
  )
})

describe('scenarios', () => {
  it('check accepts a valid file', async () => {
    const { out } = await ended(['scenarios', 'check', 'scenarios/payer-cancels.yaml'])
    expect(out).toBe('1 scenario file is valid\n')
  })

  it('list names the shipped outcomes, and test runs them', async () => {
    expect((await ended(['scenarios', 'list'])).out).toMatch(/^payer-cancels +07\d+ +The payer cancels/m)
    const { code, out } = await ended(['scenarios', 'test', 'scenarios/payer-cancels.yaml'])
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(/^ok .*payer-cancels.*\n1 of 1 scenario files passed\n$/),
    })
  })

  it('check reports errors in every path', async () => {
    const { code, out } = await ended(['scenarios', 'check', '/nowhere/one', '/nowhere/two'])
    expect(code).toBe(1)
    expect(out).toMatch(/\/nowhere\/one:1:1 [^]*\/nowhere\/two:1:1 /)
  })

  it('check exits with 1 and the position of an error', async () => {
    const { code, out } = await ended(['scenarios', 'check', '/nowhere/at/all'])
    expect({ code, out }).toEqual({
      code: 1,
      out: '/nowhere/at/all:1:1 no such file or folder; give a folder, a file, or YAML\n',
    })
  })

  it('exits with 2 for an unknown subcommand', async () => {
    expect(await ended(['scenarios', 'chekc'])).toMatchObject({
      code: 2,
      err: 'there is no command chekc (did you mean check?). See payments-sandbox scenarios --help.\n',
    })
  })
})

/** The variables that `npm start` sets. */
const checkout = { npm_lifecycle_event: 'start', npm_package_name: 'payments-sandbox' }

describe('start', () => {
  it('listens, shows the first screen, becomes ready, and exits with 0 on a signal', async () => {
    const { base, printed, stop, code } = await started(['--port', '0'], {
      SANDBOX_IN_CONTAINER: 'off',
      ...checkout,
    })
    // In a checkout, no command of its own name is installed.
    expect(printed.out).toContain('npm start -- scenarios list')
    expect(printed.out).toContain('npm start -- start --help')
    expect(printed.out).toContain(`npm start -- pay --outcome payer-cancels --url ${base}\n`)
    expect(printed.out).toContain('demo:demo')
    const unknown = await ended(['explain', '--url', base], checkout, { terminal: true })
    expect(unknown.err).toContain('See npm start -- explain --help.')
    expect((await ended(['explain', '--url', base], checkout)).err).toContain('See payments-sandbox explain')
    const asked = ['healthcheck', '--url', base, '--timeout', '30s']
    expect(await ended(asked)).toEqual({ code: 0, out: `ready: ${base}\n`, err: '' })
    stop()
    expect(await code).toBe(0)
    expect(printed.err).toBe('')
  })

  it('shows docker exec commands inside a container', async () => {
    const { printed, stop, code } = await started(['--port', '0'], { SANDBOX_IN_CONTAINER: 'on' })
    const command = /(?:docker|podman) exec -it (?:[0-9a-f]{12}|CONTAINER) payments-sandbox/
    expect(printed.out).toMatch(new RegExp(`${command.source} scenarios list`))
    expect(printed.out).toMatch(new RegExp(`${command.source} start --help`))
    stop()
    expect(await code).toBe(0)
  })

  it('shows requests that work as printed', async () => {
    const { base, printed, stop, code } = await started(['--port', '0', '--settle-after', '0'])
    const shown = /curl -u (\S+) (\S+\/api\/v2\/payments) -H 'content-type: application\/json' -d '(.*)'/
    const [, user, url, body] = shown.exec(printed.out)!
    expect(url).toBe(`${base}/api/v2/payments`)
    const answer = await fetch(url!, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Basic ${btoa(user!)}` },
      body: body!,
    })
    expect(answer.status).toBe(201)
    stop()
    expect(await code).toBe(0)
  })

  it('prints one JSON line with its address to a program, and no first screen', async () => {
    const { printed, stop, code, shown } = commandLine(['--port', '0'], { SANDBOX_LOG_LEVEL: 'error' })
    await shown('"listening"')
    const { version } = JSON.parse(await readFile('package.json', 'utf8'))
    const line = JSON.parse(printed.out)
    expect(line).toEqual({
      time: expect.any(String),
      level: 'info',
      event: 'listening',
      address: '127.0.0.1',
      port: expect.any(Number),
      url: `http://127.0.0.1:${line.port}`,
      version,
      pid: process.pid,
    })
    expect((await fetch(`${line.url}/readyz`)).status).toBe(200)
    stop()
    expect(await code).toBe(0)
  })

  it.each([true, false])('prints nothing at all when it is silent (at a terminal: %s)', async (terminal) => {
    const { port, close } = await listening(createServer())
    await close()
    const env = { SANDBOX_LOG_LEVEL: 'silent', SANDBOX_PORT: `${port}` }
    const { printed, stop, code } = commandLine([], env, { terminal })
    await until(async () => (await ended(['healthcheck'], env)).code === 0)
    stop()
    expect(await code).toBe(0)
    expect(printed).toEqual({ out: '', err: '' })
  })

  it('logs a line for each value that it assumes to be meant for another program', async () => {
    const env = { LOG_LEVEL: '7', SANDBOX_PORT: 'tcp://10.96.0.7:80', PORT: '0' }
    const { printed, stop, code, shown } = commandLine([], env)
    await shown('"listening"')
    stop()
    expect(await code).toBe(0)
    const ignored = printed.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ event }) => event === 'setting ignored')
    expect(ignored.map(({ level, line }) => `${level} ${line}`)).toEqual([
      'warn LOG_LEVEL is ignored: "7" is not valid for the sandbox; use SANDBOX_LOG_LEVEL for the sandbox only, which must be debug, info, warn, error or silent, or what other tools call one of them, such as warning, trace or off',
    ])
  })

  it('does not print a configured password', async () => {
    const { printed, stop, code } = await started(['--port=0'], { SANDBOX_API_PASSWORD: 'hush-hush' })
    expect(printed.out).not.toContain('hush-hush')
    stop()
    expect(await code).toBe(0)
  })

  it('prefers flags over the environment', async () => {
    const { stop, code, printed } = await started(['--port', '0', '--api-username', 'acme'], {
      SANDBOX_PORT: '1',
      SANDBOX_API_USERNAME: 'other',
    })
    expect(printed.out).toContain('acme:demo')
    stop()
    expect(await code).toBe(0)
  })

  it.each([
    ['a port in use', (port: number) => ['--port', `${port}`], /^port \d+ is in use; set SANDBOX_PORT .*\n$/],
    [
      'an address of another machine',
      () => ['--host', '192.0.2.1', '--port', '0'],
      /^this machine has no address 192\.0\.2\.1; .*\n$/,
    ],
    [
      'a file in a folder that is not there',
      () => ['--db', '/nowhere/at/all.json', '--port', '0'],
      /^Rows cannot be stored in \/nowhere\/at\/all\.json: .*\n$/,
    ],
  ])('%s exits with 3 and one line', async (_, args, line) => {
    const { port } = await listening(createServer())
    const { code, out, err } = await ended(args(port))
    expect({ code, out }).toEqual({ code: 3, out: '' })
    expect(err).toMatch(line)
  })
})

describe('a port that HTTP clients reject', () => {
  const said =
    'http://127.0.0.1:1: port 1 cannot be used because HTTP clients reject it; use another, such as http://127.0.0.1:8080\n'
  it.each([
    [['healthcheck'], 1, `not ready: ${said}`],
    [['trigger', 'payer-cancels'], 4, said],
    [['listen', '--forward-to', 'http://127.0.0.1:9'], 4, said],
  ])('%j suggests another port', async (args, code, err) => {
    expect(await ended([...args, '--url', 'http://127.0.0.1:1'])).toEqual({ code, out: '', err })
  })
})

describe('healthcheck', () => {
  it('exits with 0 if /readyz responds with 200, even if other paths fail', async () => {
    const { port } = await listening(
      createServer(({ url }, answer) => answer.writeHead(url === '/readyz' ? 200 : 404).end()),
    )
    const { code, out } = await ended(['healthcheck'], { PORT: `${port}` })
    expect({ code, out }).toEqual({ code: 0, out: `ready: http://127.0.0.1:${port}\n` })
  })

  it('exits with 1 if nothing listens', async () => {
    const { port, close } = await listening(createServer())
    await close()
    const { code, err } = await ended(['healthcheck'], { PORT: `${port}` })
    expect({ code, err }).toEqual({
      code: 1,
      err: `not ready: nothing listens at http://127.0.0.1:${port}\n`,
    })
  })

  it('exits with 1 for an error response', async () => {
    const { port } = await listening(createServer((_, answer) => answer.writeHead(503).end()))
    const { code, err } = await ended(['healthcheck'], { PORT: `${port}`, HOST: '0.0.0.0' })
    expect({ code, err }).toEqual({ code: 1, err: `not ready: http://127.0.0.1:${port} responds with 503\n` })
  })

  it('exits with 1 without a response in time', async () => {
    const { port } = await listening(createServer(() => {}))
    const { code, err } = await ended(['healthcheck', '--timeout', '50ms'], { PORT: `${port}` })
    expect({ code, err }).toEqual({
      code: 1,
      err: `not ready: http://127.0.0.1:${port} does not respond in time\n`,
    })
  })
})
