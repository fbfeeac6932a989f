import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { commandLine, ended, started } from './process.ts'

/** A shop that can go down and come back at the same port. */
async function startShop() {
  const shop = { status: 500, received: [] as string[] }
  let server: Server
  let port = 0
  const up = async () => {
    server = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => {
        shop.received.push(body)
        response.writeHead(shop.status).end()
      })
    })
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  }
  const down = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  await up()
  onTestFinished(down)
  return { shop, up, down, address: () => `127.0.0.1:${port}/callback` }
}

async function dev(address: string) {
  let press = (_keys: string) => {}
  const keys = (onKey: (key: string) => void) => {
    press = (typed) => [...typed].forEach(onKey)
    return () => {}
  }
  const env = { SANDBOX_SETTLE_AFTER: '0', SANDBOX_RETRY_SPEED: '100' }
  const running = commandLine(['dev', '--port', '0', '--forward-to', address], env, { keys })
  onTestFinished(running.stop)
  await running.shown('keys: p pay')
  return { ...running, press: (typed: string) => press(typed) }
}

describe('dev', () => {
  it('prints a line per callback, and survives a shop that fails, restarts and succeeds', async () => {
    const { shop, up, down, address } = await startShop()
    const { press, shown, code, printed } = await dev(address())
    press('p')
    await shown('callback 500')
    await down()
    press('p')
    await shown('is down; its callbacks wait until it is back')
    shop.status = 200
    await up()
    await shown('is back; ')
    await shown('callback 200')
    expect(printed.out.match(/is down/g)).toHaveLength(1)
    expect(printed.out).toMatch(/pay-1 {2}KES 1000 {2}SUCCESS {2}callback 500/)
    press('q')
    expect(await code).toBe(0)
  })

  it('chooses the next outcome by any name, explains, and resends', async () => {
    const { shop, address } = await startShop()
    shop.status = 200
    const { press, shown, code } = await dev(address())
    press('r')
    await shown('no callback has been sent yet')
    press('e')
    await shown('nothing failed')
    press('ocard-denied\r')
    await shown('did you mean card-declined?')
    press('ocancelled\r')
    await shown('next payment: payer-cancels')
    press('p')
    press('t')
    await shown('payer-cancels  FAILED  callback 200')
    press('e')
    await shown('FAILED: cancelled')
    press('r')
    await expect.poll(() => shop.received.length).toBe(2)
    press('q')
    expect(await code).toBe(0)
  })
})

describe('doctor', () => {
  it('finds a frozen clock, a failing callback and a receiver that is down', async () => {
    const { base } = await started(['--port', '0', '--settle-after', '0'])
    expect((await ended(['doctor', '--url', base])).code).toBe(0)
    const gone = 'http://127.0.0.1:9/callback'
    await ended(['pay', '--reference', 'order-1', '--callback-url', gone, '--for', '0', '--url', base])
    await ended(['clock', 'freeze', '--url', base])
    const { code, out } = await ended(['status', '--receiver', '127.0.0.1:9', '--url', base])
    expect(code).toBe(1)
    expect(out).toMatch(/WRONG {2}the clock is frozen with \d+ jobs? pending/)
    expect(out).toContain('receiver: no connection to http://127.0.0.1:9')
    expect(out).toContain('/dashboard#/demo')
  })

  it('notes a frozen clock, a clock far from real time, and a payer that is not automatic', async () => {
    const { base } = await started(['--port', '0', '--settle-after', '0', '--payer', 'manual'])
    await ended(['clock', 'freeze', '--url', base])
    await ended(['clock', 'advance', '72h', '--url', base])
    const { code, out } = await ended(['doctor', '--url', base])
    expect(out).toMatch(
      /note {3}clock: .*, frozen, nothing pending\n +payments wait until you run payments-sandbox settle/,
    )
    expect(out).toMatch(/note {3}the clock is 3d ahead of real time\n/)
    expect(out).toMatch(/note {3}payer: manual; payments wait for you\n/)
    expect(code).toBe(0)
  })
})

describe('init', () => {
  async function project(files: Readonly<Record<string, string>>) {
    const folder = await mkdtemp(join(tmpdir(), 'init-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
    return folder
  }

  it.each([
    [
      { 'package.json': '{"devDependencies":{"vitest":"4"},"dependencies":{"express":"5"},"type":"module"}' },
      'payments/payments.test.js',
    ],
    [{ 'package.json': '{"devDependencies":{"jest":"30"}}' }, 'payments/payments.test.js'],
    [{ 'package.json': '{}' }, 'payments/payments.test.mjs'],
    [{ 'pyproject.toml': '[project]\ndependencies = ["fastapi"]\n' }, 'test_payments.py'],
    [{ 'go.mod': 'module example.com/shop\n' }, 'payments/receiver_test.go'],
    [{ 'pom.xml': '<project />' }, 'src/test/java/shop/PaymentsReceiverTest.java'],
    [{ 'package.json': `{"dependencies":{"next":"16"}}` }, 'payments/payments.test.mjs'],
    [
      {
        'requirements.txt': 'django==6\n',
        'manage.py': `setdefault("DJANGO_SETTINGS_MODULE", "site.settings")`,
      },
      'test_payments.py',
    ],
    [{ 'composer.json': '{}' }, 'tests/PaymentsTest.php'],
  ])('detects the project %j', async (files, test) => {
    const folder = await project(files)
    const { code, out } = await ended(['init', folder])
    expect(code).toBe(0)
    expect(out).toContain(`wrote       ${test}`)
    expect(await readFile(join(folder, test), 'utf8')).toMatch(/twice/i)
    expect(await readdir(folder)).toContain('compose.payments.yml')
  })

  it('writes nothing with --dry-run, and never overwrites', async () => {
    const folder = await project({ 'package.json': '{}' })
    const dry = await ended(['init', folder, '--dry-run'])
    expect(dry.out).toContain('would write payments/receiver.mjs')
    expect(await readdir(folder)).toEqual(['package.json'])
    await ended(['init', folder])
    await writeFile(join(folder, 'payments/receiver.mjs'), '// mine\n')
    const again = await ended(['init', folder])
    expect(again.out).toContain('payments/receiver.mjs (kept; --dry-run shows')
    expect(again.out).toContain('payments/payments.test.mjs (unchanged)')
    expect(await readFile(join(folder, 'payments/receiver.mjs'), 'utf8')).toBe('// mine\n')
  })

  it('names the setting that TypeScript needs for the files', async () => {
    const typed = await ended(['init', await project({ 'package.json': '{}', 'tsconfig.json': '{}' })])
    expect(typed.out).toContain('# set "allowJs": true in the compilerOptions of tsconfig.json')
    expect((await ended(['init', await project({ 'package.json': '{}' })])).out).not.toContain('allowJs')
  })

  it('names the accepted manifests in another folder', async () => {
    const { code, err } = await ended(['init', await project({})])
    expect(code).toBe(1)
    expect(err).toContain('contains none of package.json, pyproject.toml')
    const gradle = await ended(['init', await project({ 'build.gradle.kts': '' })])
    expect(gradle.err).toContain('is built with Gradle, and init writes for Maven')
    const missing = await ended(['init', '/no/such/shop'])
    expect(missing.err).toBe('/no/such/shop does not exist; name the folder of your project\n')
  })
})

describe('short ways', () => {
  it('accept other words, and suggest by meaning', async () => {
    expect((await ended(['version'])).out).toMatch(/^\d+\.\d+\.\d+/)
    expect((await ended(['scenarios', 'show', 'cancelled'])).out).toContain(
      '# payer-cancels, also: cancelled',
    )
    expect((await ended(['scenarios', 'show', 'callback-twise'])).err).toContain(
      'did you mean duplicate-callback?',
    )
    expect((await ended(['clock', 'advance', '3'])).err).toContain('such as 3s, 3m or 3ms')
  })

  it('show ten settings in the help of start, and all with --all', async () => {
    const short = (await ended(['start', '--help'])).out
    expect(short.match(/^ {2}--/gm)!.length).toBeLessThanOrEqual(12)
    expect(short).not.toContain('--callback-timeout')
    expect((await ended(['start', '--help', '--all'])).out).toContain('--callback-timeout')
  })

  it('wait for a sandbox that starts', async () => {
    const { base } = await started(['--port', '0'])
    expect(await ended(['healthcheck', '--wait', '5s', '--url', base])).toMatchObject({ code: 0 })
    expect(await ended(['healthcheck', '--wait', '300ms', '--url', 'http://127.0.0.1:9'])).toMatchObject({
      code: 1,
    })
  })
})
