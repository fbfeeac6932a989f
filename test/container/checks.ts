/** What the image promises, tried: checks.ts base image. Prints a line each and `N passed, N failed`. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { answers, check, finish, pay, payAndBeCalled, post, since, until } from '../support/suite.ts'
import { startMailbox } from './mailbox.ts'
import { podman, runImage, runToEnd, tryPodman } from './podman.ts'

const [base, image] = process.argv.slice(2) as [string, string]
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`

const healthOf = (id: string) => podman('inspect', '--format', '{{.State.Healthcheck.Status}}', id)

/** Milliseconds: what is slower hangs, on any machine. What is meant on a quiet one is said beside the figure. */
const HANGS = 30_000

/** A figure that no machine need reach, for whoever reads the log. */
function soon(took: number) {
  assert.ok(took < HANGS, `${Math.round(took)} ms`)
  return `${Math.round(took)} ms; under 1 s is meant on a quiet machine`
}

/** Stops it as an orchestrator does; returns the exit code and how long that took. */
function terminate(id: string) {
  const asked = performance.now()
  podman('kill', '--signal', 'TERM', id)
  const code = Number(podman('wait', id))
  return { code, took: performance.now() - asked }
}

const sandbox = await runImage(image)

await check('first answer, with no argument and no mount, on a read-only root', async () => {
  await answers(`${sandbox.url}/`)
  return `${since(sandbox.started)} after podman run began`
})

await check('health becomes healthy', async () => {
  await until('healthy', () => tryPodman('healthcheck', 'run', sandbox.id).status === 0)
  assert.equal(healthOf(sandbox.id), 'healthy')
  return `${since(sandbox.started)} after podman run began`
})

await check('time from start to listening, inside', () => {
  const from = Date.parse(
    podman('inspect', '--format', '{{.State.StartedAt.Format "2006-01-02T15:04:05.000Z07:00"}}', sandbox.id),
  )
  const log = podman('logs', '--timestamps', sandbox.id)
  const shown = Date.parse(
    log
      .split('\n')
      .find((line) => line.includes('"listening"'))
      ?.split(' ')[0] ?? '',
  )
  return soon(shown - from)
})

await check('first payment and its callback', async () => {
  const asked = performance.now()
  const { status, external_reference } = await payAndBeCalled(sandbox.url, 'container-1')
  assert.deepEqual({ status, external_reference }, { status: 'success', external_reference: 'container-1' })
  return `${since(asked)} from request to callback`
})

await check(
  "the quick start's payment over HTTP, with nothing but a shell and curl, shows its callback",
  () => {
    const [, lines] = /^## Pay over HTTP\n[^]*?```sh\n([^]*?)```/m.exec(
      readFileSync('docs/quick-start.md', 'utf8'),
    )!
    const here = lines!.replaceAll('http://127.0.0.1:8080', sandbox.url)
    const shown = execFileSync('bash', ['-euo', 'pipefail', '-c', here], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    assert.match(shown, /"status":"QUEUED"/)
    assert.match(shown, /"state": "delivered"[^]*\\"status\\":\\"success\\"/)
  },
)

await check('serves its guides and its skill', async () => {
  const answer = await fetch(`${sandbox.url}/docs/guides/receive-callbacks`, {
    headers: { accept: 'text/html' },
  })
  assert.match(await answer.text(), /<h1>Receive callbacks<\/h1>/)
  assert.equal((await fetch(`${sandbox.url}/docs/skill.md`)).status, 200)
})

await check('has nothing that installs packages, and says what it is made of', () => {
  for (const name of ['npm', 'npx', 'corepack', 'yarn'])
    assert.notEqual(tryPodman('exec', sandbox.id, 'sh', '-c', `command -v ${name}`).status, 0, name)
  const bill = JSON.parse(podman('exec', sandbox.id, 'cat', '/app/dist/sbom.cdx.json'))
  assert.equal(bill.bomFormat, 'CycloneDX')
  return `${bill.components.length} components`
})

await check('runs as user 1000, not root', () => {
  assert.equal(podman('exec', sandbox.id, 'id', '-u'), '1000')
  assert.equal(podman('inspect', '--format', '{{.Config.User}}', image), '1000:1000')
})

await check('docker exec finds payments-sandbox on the PATH', () => {
  assert.match(podman('exec', sandbox.id, 'payments-sandbox', '--version'), /^\d+\.\d+\.\d+/)
})

await check('writes nowhere but in /data, when that is mounted', () => {
  for (const path of ['/app/x', '/tmp/x', '/data/x', '/scenarios/x'])
    assert.match(tryPodman('exec', sandbox.id, 'touch', path).err, /Read-only file system|Permission denied/)
})

await check('SIGTERM ends it with 0 soon', () => {
  const { code, took } = terminate(sandbox.id)
  assert.equal(code, 0)
  return soon(took)
})

await check('SANDBOX_DB in /data outlives the container', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-data-'))
  chmodSync(folder, 0o777)
  const options = [
    '--volume',
    `${folder}:/data`,
    '--env',
    'SANDBOX_DB=/data/sandbox.json',
    '--env',
    'SANDBOX_SETTLE_AFTER=0',
  ]
  for (const round of [1, 2]) {
    const kept = await runImage(image, options)
    await answers(`${kept.url}/`)
    if (round === 1) assert.equal((await pay(kept.url, 'kept-1', 'http://127.0.0.1:9/')).status, 201)
    await until('the payment', async () => {
      const { body } = await post(`${kept.url}/api/global/transaction-status`, { request_id: 'kept-1' })
      return body.status === 'success'
    })
    assert.equal(terminate(kept.id).code, 0)
  }
})

await check('scenario files in /scenarios are read; a wrong one stops the start with its line', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-scenarios-'))
  chmodSync(folder, 0o755)
  const options = ['--volume', `${folder}:/scenarios:ro`]
  writeFileSync(
    join(folder, 'my-own.yaml'),
    'title: Mine\nthen:\n  settle: { status: failed, reason: cancelled }\n',
  )
  const own = await runImage(image, options)
  await answers(`${own.url}/`)
  const answer = await pay(own.url, 'own-1', 'http://127.0.0.1:9/', { prefer: 'scenario=my-own' })
  assert.equal(answer.headers.get('sandbox-scenario'), 'my-own')
  assert.equal(terminate(own.id).code, 0)
  writeFileSync(join(folder, 'my-own.yaml'), 'title: Mine\nthen:\n  setle: { status: failed }\n')
  const { status, err } = runToEnd(image, options)
  assert.equal(status, 3)
  assert.match(err, /my-own\.yaml:3:/)
  return err
})

await check('a seed file in /seeds is what worlds start with, once SANDBOX_SEED_FILE names it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-seeds-'))
  chmodSync(folder, 0o755)
  const seed = readFileSync('seeds/default.yaml', 'utf8')
  const mine = seed.replace('username: demo', 'username: shop')
  assert.notEqual(mine, seed)
  writeFileSync(join(folder, 'mine.yaml'), mine)
  const mount = ['--volume', `${folder}:/seeds:ro`]
  const statusOf = async (options: readonly string[]) => {
    const { id, url } = await runImage(image, [...mount, ...options])
    await answers(`${url}/readyz`)
    const headers = { authorization: `Basic ${btoa('shop:demo')}` }
    const { status } = await fetch(`${url}/sandbox/ledger`, { headers })
    assert.equal(terminate(id).code, 0)
    return status
  }
  assert.equal(await statusOf(['--env', 'SANDBOX_SEED_FILE=/seeds/mine.yaml']), 200)
  assert.equal(await statusOf([]), 401)
  const { status, err } = runToEnd(image, ['--env', 'SANDBOX_SEED_FILE=/seeds/mine.yaml'])
  assert.equal(status, 3)
  assert.match(err, /^\/seeds\/mine\.yaml/)
  return err
})

await check('mails reach the server of SANDBOX_SMTP_URL', async () => {
  const mailbox = await startMailbox()
  const sandbox = await runImage(image, ['--env', `SANDBOX_SMTP_URL=smtp://127.0.0.1:${mailbox.port}`])
  await answers(`${sandbox.url}/readyz`)
  const email = 'new@shop.example'
  const invitation = { organization_id: 1, account_id: 63, email, role_id: 3 }
  const { status } = await post(`${sandbox.url}/api/v2/account_invites`, invitation)
  assert.equal(status, 200)
  await until('the mail', () => mailbox.text().includes(`RCPT TO:<${email}>`))
  assert.equal(terminate(sandbox.id).code, 0)
  mailbox.close()
})

await check('a setting with a wrong value: one line and exit code 2', () => {
  const { status, err } = runToEnd(image, ['--env', 'SANDBOX_SETTLE_AFTER=soon'])
  assert.deepEqual({ status, lines: err.split('\n').length }, { status: 2, lines: 1 })
  return err
})

await check('other commands run by their name', () => {
  assert.match(runToEnd(image, [], ['openapi', '--json']).out, /^\{\s*"openapi": ?"3\.1/)
})

await check('port, health check, entry point and labels are declared', () => {
  const [{ Config, Healthcheck }] = JSON.parse(podman('image', 'inspect', image))
  assert.deepEqual(Object.keys(Config.ExposedPorts), ['8080/tcp'])
  assert.deepEqual(Healthcheck.Test, ['CMD', 'node', '/app/bin/payments-sandbox.cjs', 'healthcheck'])
  assert.deepEqual(Config.Entrypoint, ['node', '/app/bin/payments-sandbox.cjs'])
  assert.equal(Config.Labels['org.opencontainers.image.title'], 'payments-sandbox')
  assert.equal(Config.Labels['org.opencontainers.image.licenses'], 'MIT')
})

await check('size', () => {
  const size = (name: string) => JSON.parse(podman('image', 'inspect', name))[0].Size as number
  const added = size(image) - size(base)
  assert.ok(added < 20e6, `adds ${megabytes(added)}`)
  return `${megabytes(size(image))}, of which ${megabytes(added)} on top of the base`
})

finish()
