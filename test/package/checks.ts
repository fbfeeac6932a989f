/** The installed package, tried: checks.ts folder node... The folder has the tarball and `empty/` with it installed. */
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { exportsOf } from '../client/examples.ts'
import { answers, check, finish, freePort, payAndBeCalled, until } from '../support/suite.ts'

const [folder, ...nodes] = process.argv.slice(2) as [string, ...string[]]
const installed = join(folder, 'empty')
const tarball = join(
  folder,
  readdirSync(folder).find((each) => each.endsWith('.tgz'))!,
)
const pinned = JSON.parse(readFileSync(join(import.meta.dirname, '../../viewer/pinned.json'), 'utf8')) as {
  readonly fileIntegrity: string
}
const launcher = join(installed, 'node_modules/payments-sandbox/bin/payments-sandbox.cjs')

const bare = `require('http').createServer((_, answer) => answer.end('{}')).listen(+process.env.PORT, '127.0.0.1')`

/** Runs a program in the folder that has the package installed. @throws Error with what it printed when it fails */
function run(command: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: installed, encoding: 'utf8' })
  assert.equal(status, 0, `${stdout}${stderr}`)
  return stdout
}

const payment = `
async function pay() {
  const sandbox = await createSandbox({ clock: 'frozen' })
  const world = await sandbox.world()
  const body = JSON.stringify({
    account_id: 63,
    amount: 100,
    phone_number: '0712345678',
    provider: 'm-pesa',
    network_code: '63902',
    external_reference: 'order-1',
    callback_url: await world.inbox.url(),
  })
  const headers = { 'content-type': 'application/json' }
  const { status } = await world.fetch('/api/v2/payments', { method: 'POST', headers, body })
  await world.settle()
  const [message] = await world.inbox.messages()
  const listening = process.getActiveResourcesInfo().includes('TCPServerWrap')
  await sandbox.close()
  return { status, state: JSON.parse(message.body).status, listening }
}
`

const tools = `
async function list() {
  const sandbox = await createSandbox()
  const answer = await sandbox.home.fetch('/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  })
  const text = await answer.text()
  await sandbox.close()
  return text.includes('"name":"explain"')
}
`

/** Milliseconds from start to the first answer. */
async function startTime(node: string, args: readonly string[]): Promise<number> {
  const port = await freePort()
  const env = { ...process.env, PORT: `${port}`, LOG_LEVEL: 'silent' }
  const started = performance.now()
  const child = spawn(node, args, { env, stdio: 'ignore' })
  await answers(`http://127.0.0.1:${port}/`)
  const took = performance.now() - started
  // Not killed: at its end Node writes the compile cache that the next start reads.
  child.kill('SIGTERM')
  await once(child, 'exit')
  return took
}

await check('the tarball installs itself alone', () => {
  const packages = readdirSync(join(installed, 'node_modules')).filter((each) => !each.startsWith('.'))
  assert.deepEqual(packages, ['payments-sandbox'])
  return `${Math.round(statSync(tarball).size / 1024)} KB`
})

const tsc = join(import.meta.dirname, '../../node_modules/.bin/tsc')

/** Gives the installed folder packages that the tools have. */
function lend(...names: readonly string[]) {
  for (const name of names) {
    const at = join(installed, 'node_modules', name)
    if (!existsSync(at)) symlinkSync(join(folder, 'tools/node_modules', name), at)
  }
}

const tool = (name: string, ...args: readonly string[]) =>
  run(join(folder, 'tools/node_modules/.bin', name), args)

await check('publint finds nothing', () => void tool('publint', '--strict', tarball))

await check('the types are found as the code is, by import and by require', () => {
  const look = (...args: readonly string[]) =>
    tool('attw', '--no-emoji', '--format', 'ascii', tarball, ...args)
  // Vitest has only ES modules.
  look('--profile', 'node16', '--exclude-entrypoints', './vitest')
  look('--profile', 'esm-only', '--entrypoints', './vitest')
})

await check('it is under 3 MB', () => {
  const { size } = statSync(tarball)
  assert.ok(size < 3_000_000, `${size} bytes`)
})

const uses = readFileSync(join(import.meta.dirname, 'every-export.txt'), 'utf8')
/** DOM is what most programs have beside it: it is tried with each kind of module, and so is to be without. */
const compilers = [
  ['nodenext', 'nodenext', ['consumer.mts', 'consumer.cts'], ['es2023', 'es2023,dom']],
  ['node16', 'node16', ['consumer.cts'], ['es2023']],
  ['esnext', 'bundler', ['consumer.ts'], ['es2023,dom']],
] as const
const types = ['--typeRoots', join(import.meta.dirname, '../../node_modules/@types'), '--types', 'node']
for (const [module, resolution, programs, libs] of compilers)
  await check(
    `tsc --strict of a program that uses every export: ${resolution}, ${programs.join(' and ')}`,
    () => {
      for (const file of programs) writeFileSync(join(installed, file), uses)
      const strict = ['--strict', '--skipLibCheck', 'false', '--exactOptionalPropertyTypes', '--noEmit']
      const target = ['--module', module, '--moduleResolution', resolution, '--target', 'es2022']
      for (const lib of libs)
        run(tsc, ['--ignoreConfig', ...strict, ...target, '--lib', lib, ...types, ...programs])
    },
  )

await check('openapi-fetch takes sandbox.fetch, in its types and as it runs', () => {
  lend('openapi-fetch', 'openapi-typescript-helpers')
  const program = readFileSync(join(import.meta.dirname, 'openapi-fetch.txt'), 'utf8')
  writeFileSync(join(installed, 'client.mts'), program)
  const target = ['--module', 'nodenext', '--target', 'es2022', '--lib', 'es2023']
  run(tsc, ['--ignoreConfig', '--strict', '--outDir', 'compiled', ...target, ...types, 'client.mts'])
  run(process.execPath, ['compiled/client.mjs'])
})

await check('the program uses every export', () => {
  const exported = execFileSync(
    process.execPath,
    [
      '-p',
      `['', '/matchers', '/receivers', '/certify', '/fidelity'].flatMap((entry) => Object.keys(require('payments-sandbox' + entry))).join(' ')`,
    ],
    { cwd: installed, encoding: 'utf8' },
  )
  const missing = [...exported.trim().split(' '), ...exportsOf().map(({ name }) => name)].filter(
    (name) => !uses.includes(name),
  )
  assert.deepEqual(missing, [])
})

await check('import and require give the same code', () => {
  const program = `
    import * as imported from 'payments-sandbox'
    import { createRequire } from 'node:module'
    const required = createRequire(process.cwd() + '/x')('payments-sandbox')
    console.log(JSON.stringify([Object.keys(imported).filter((name) => imported[name] === required[name]), Object.keys(required)]))`
  const [same, all] = JSON.parse(run(process.execPath, ['--input-type=module', '--eval', program]))
  assert.deepEqual(same.toSorted(), all.toSorted())
})

await check('stock Jest 30 requires it, pays, sees the callback and says what is wrong', () => {
  writeFileSync(join(installed, 'pay.test.js'), readFileSync(join(import.meta.dirname, 'jest.txt'), 'utf8'))
  run(join(import.meta.dirname, '../../examples/jest/node_modules/.bin/jest'), [
    '--rootDir',
    installed,
    '--ci',
    '--testTimeout',
    '60000',
    'pay.test.js',
  ])
})

for (const node of nodes) {
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
  // npx runs the bin by its first line: node is the one that the path leads to.
  const env = { ...process.env, PATH: `${dirname(node)}:${process.env['PATH']}`, PORT: '0' }

  await check(
    `${version}: npx --no -- payments-sandbox starts, takes a payment, calls back and shows its documentation`,
    async () => {
      const child = spawn('npx', ['--no', '--', 'payments-sandbox', '--settle-after', '100ms'], {
        cwd: installed,
        env,
        detached: true,
      })
      try {
        let shown = ''
        child.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text))
        child.stderr.setEncoding('utf8').on('data', (text: string) => (shown += text))
        const url = await until(
          `the address (${shown})`,
          () => /"event":"listening".*"url":"(http:[^"]+)"/.exec(shown)?.[1],
        )
        const { status } = await payAndBeCalled(url, 'package-1')
        assert.equal(status, 'success')
        const texts = ['/llms.txt', '/docs/skill.md', '/docs/operations/createCollection.md']
        for (const path of ['/docs', '/docs/scalar.js', '/openapi.yaml', '/sandbox/openapi.json', ...texts])
          assert.equal((await fetch(`${url}${path}`)).status, 200, path)
        for (const encoding of ['br', 'gzip', 'identity']) {
          const headers = { 'accept-encoding': encoding }
          const viewer = await (await fetch(`${url}/docs/scalar.js`, { headers })).arrayBuffer()
          const hash = createHash('sha512').update(Buffer.from(viewer)).digest('base64')
          assert.equal(`sha512-${hash}`, pinned.fileIntegrity, encoding)
        }
      } finally {
        process.kill(-child.pid!, 'SIGTERM')
        await once(child, 'exit')
      }
    },
  )

  await check(`${version}: payments-sandbox mcp talks over standard input and output`, async () => {
    const hello = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    }
    const child = spawn(node, [launcher, 'mcp'], { cwd: installed })
    let shown = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text))
    child.stdin.write(`${JSON.stringify(hello)}\n`)
    await until(`an answer (${shown})`, () => shown.includes('"name":"payments-sandbox"'))
    child.stdin.end()
    const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode]
    assert.equal(code, 0)
  })

  for (const [way, name, load] of [
    ['import', 'pays.mjs', `import { createSandbox } from 'payments-sandbox'`],
    ['require', 'pays.cjs', `const { createSandbox } = require('payments-sandbox')`],
  ] as const) {
    let seen: { readonly paid?: unknown; readonly hasTools?: boolean } = {}
    await check(`${version}: ${way} and pay in process, no port open`, () => {
      const both = 'pay().then(async (paid) => console.log(JSON.stringify({ paid, hasTools: await list() })))'
      writeFileSync(join(installed, name), [load, payment, tools, both].join('\n'))
      seen = JSON.parse(run(node, [name]))
      assert.deepEqual(seen.paid, { status: 201, state: 'success', listening: false })
    })

    await check(`${version}: ${way} and have tools for agents`, () => assert.equal(seen.hasTools, true))

    await check(`${version}: node:test by ${way}`, () => {
      const test = name.replace('pays', 'tested')
      const runner = way === 'import' ? `import test from 'node:test'` : `const test = require('node:test')`
      const paid = `test('pays', async () => { if ((await pay()).status !== 201) throw new Error('not paid') })`
      writeFileSync(join(installed, test), [load, runner, payment, paid].join('\n'))
      run(node, ['--test', test])
    })
  }

  await check(`${version}: an uncaught error prints under 1 KB`, () => {
    const wrong = `import('payments-sandbox').then(({ createSandbox }) => createSandbox({ clock: 'late' }))`
    const { stderr } = spawnSync(node, ['--eval', wrong], { cwd: installed, encoding: 'utf8' })
    assert.match(stderr, /clock must be frozen or real/)
    assert.ok(stderr.length < 1024, `${stderr.length} characters: ${stderr}`)
    return `${stderr.length} characters`
  })

  await check(
    `${version}: what is loaded only when it is set runs too: seed file, metrics, mail, calendar`,
    async () => {
      const seed = readFileSync(join(installed, 'node_modules/payments-sandbox/seeds/default.yaml'), 'utf8')
      writeFileSync(join(installed, 'seed.yaml'), seed.replace('username: demo', 'username: shop'))
      const port = await freePort()
      const settings = {
        LOG_LEVEL: 'warn',
        PORT: `${port}`,
        SANDBOX_SEED_FILE: 'seed.yaml',
        SANDBOX_METRICS: 'on',
        SANDBOX_SMTP_URL: 'smtp://127.0.0.1:1',
        SANDBOX_RESET_CRON: '0 3 * * *',
      }
      const child = spawn(node, [launcher], { cwd: installed, env: { ...process.env, ...settings } })
      let shown = ''
      child.stderr.setEncoding('utf8').on('data', (text: string) => (shown += text))
      try {
        await answers(`http://127.0.0.1:${port}/readyz`).catch(() => assert.fail(shown))
        const headers = { authorization: `Basic ${btoa('shop:demo')}` }
        assert.equal((await fetch(`http://127.0.0.1:${port}/sandbox/ledger`, { headers })).status, 200)
        assert.match(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text(), /^# HELP process_/m)
      } finally {
        child.kill('SIGTERM')
        if (child.exitCode === null) await once(child, 'exit')
      }
    },
  )

  await check(`${version}: the description is printed`, () => {
    const { stdout } = spawnSync(node, [launcher, 'openapi', '--json'], {
      cwd: installed,
      encoding: 'utf8',
    })
    assert.match(JSON.parse(stdout).openapi, /^3\.1/)
  })

  // A figure for whoever reads the log; npm run bench holds it against its goal.
  await check(`${version}: start to first 200, beside a bare node:http server`, async () => {
    let floor = Infinity
    let ours = Infinity
    for (let round = 0; round < 2; round++) {
      floor = Math.min(floor, await startTime(node, ['-e', bare]))
      ours = Math.min(ours, await startTime(node, [launcher]))
    }
    return `${Math.round(ours)} ms, bare ${Math.round(floor)} ms, ${(ours / floor).toFixed(1)} times`
  })
}
finish()
