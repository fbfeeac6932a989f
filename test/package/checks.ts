/** The installed package, tried: checks.ts folder node... The folder has the tarball and `empty/` with it installed. */
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { dirname, join } from 'node:path'
import { answers, check, finish, freePort, payAndBeCalled, until } from '../support/suite.ts'

const [folder, ...nodes] = process.argv.slice(2) as [string, ...string[]]
const installed = join(folder, 'empty')
const launcher = join(installed, 'node_modules/payments-sandbox/bin/payments-sandbox.cjs')

const bare = `require('http').createServer((_, answer) => answer.end('{}')).listen(+process.env.PORT, '127.0.0.1')`

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
  const name = readdirSync(folder).find((each) => each.endsWith('.tgz'))!
  const packages = readdirSync(join(installed, 'node_modules')).filter((each) => !each.startsWith('.'))
  assert.deepEqual(packages, ['payments-sandbox'])
  return `${Math.round(statSync(join(folder, name)).size / 1024)} KB`
})

for (const node of nodes) {
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
  // npx runs the bin by its first line: node is the one that the path leads to.
  const env = { ...process.env, PATH: `${dirname(node)}:${process.env['PATH']}`, PORT: '0' }

  await check(
    `${version}: npx payments-sandbox starts, takes a payment, calls back and shows its documentation`,
    async () => {
      const child = spawn('npx', ['payments-sandbox', '--settle-after', '100ms'], {
        cwd: installed,
        env,
        detached: true,
      })
      try {
        let shown = ''
        child.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text))
        child.stderr.setEncoding('utf8').on('data', (text: string) => (shown += text))
        const url = await until(`the address (${shown})`, () => /listens at (http:\S+)/.exec(shown)?.[1])
        const { status } = await payAndBeCalled(url, 'package-1')
        assert.equal(status, 'success')
        for (const path of ['/docs', '/docs/scalar.js', '/openapi.yaml', '/sandbox/openapi.json'])
          assert.equal((await fetch(`${url}${path}`)).status, 200, path)
      } finally {
        process.kill(-child.pid!, 'SIGTERM')
        await once(child, 'exit')
      }
    },
  )

  await check(`${version}: the description is printed`, () => {
    const { stdout } = spawnSync('npx', ['payments-sandbox', 'openapi', '--json'], {
      cwd: installed,
      env,
      encoding: 'utf8',
    })
    assert.match(JSON.parse(stdout).openapi, /^3\.1/)
  })

  await check(`${version}: start to first 200, at most 4 times a bare node:http server's`, async () => {
    // In turns, and the quickest of each: what else the machine does slows both, so a bad figure is looked at longer.
    let floor = Infinity
    let ours = Infinity
    for (let round = 0; round < 8 || (ours > 4 * floor && round < 20); round++) {
      floor = Math.min(floor, await startTime(node, ['-e', bare]))
      ours = Math.min(ours, await startTime(node, [launcher]))
    }
    const figure = `${Math.round(ours)} ms, bare ${Math.round(floor)} ms, ${(ours / floor).toFixed(1)} times`
    const busy = loadavg()[0]! > 2 * availableParallelism()
    if (busy) return `${figure}; not judged, the machine is busy with other work`
    assert.ok(ours <= 4 * floor, figure)
    return figure
  })
}
finish()
