/** What the image promises, tried: checks.ts base image. Prints a line each and `N passed, N failed`. */
import assert from 'node:assert/strict'
import { mkdtempSync, chmodSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { podman, runImage, runToEnd, tryPodman } from './podman.ts'

const [base, image] = process.argv.slice(2) as [string, string]
const authorization = `Basic ${btoa('demo:demo')}`
const count = { passed: 0, failed: 0 }

/** Prints the check with the figure it returns, or with what is wrong. */
async function check(name: string, work: () => Promise<string | void> | string | void) {
  try {
    const figure = await work()
    count.passed += 1
    console.log(`ok    ${name}${figure ? `: ${figure}` : ''}`)
  } catch (error) {
    count.failed += 1
    console.log(`FAIL  ${name}: ${(error as Error).message}`)
  }
}

const ms = (from: number) => `${Math.round(performance.now() - from)} ms`
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`

async function until<T>(
  what: string,
  look: () => Promise<T | false | undefined> | T | false | undefined,
): Promise<T> {
  for (let round = 0; round < 1000; round++) {
    const seen = await look()
    if (seen) return seen
    await pause(10)
  }
  throw new Error(`${what} did not come within 10 s`)
}

const answers = (url: string) =>
  until(`an answer from ${url}`, () =>
    fetch(`${url}/`).then(
      (each) => each.ok,
      () => false,
    ),
  )

const healthOf = (id: string) => podman('inspect', '--format', '{{.State.Healthcheck.Status}}', id)

function pay(url: string, callback_url: string, external_reference: string) {
  return fetch(`${url}/api/v2/payments`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({
      account_id: 63,
      amount: 100,
      phone_number: '0712345678',
      provider: 'm-pesa',
      network_code: '63902',
      external_reference,
      callback_url,
    }),
  })
}

const statusOf = async (url: string, request_id: string) => {
  const answer = await fetch(`${url}/api/global/transaction-status`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ request_id }),
  })
  return (await answer.json()) as { status?: string }
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
  await answers(sandbox.url)
  return `${ms(sandbox.started)} after podman run began`
})

await check('health becomes healthy', async () => {
  await until('healthy', () => tryPodman('healthcheck', 'run', sandbox.id).status === 0)
  assert.equal(healthOf(sandbox.id), 'healthy')
  return `${ms(sandbox.started)} after podman run began`
})

await check('time from start to listening, inside', () => {
  const from = Date.parse(
    podman('inspect', '--format', '{{.State.StartedAt.Format "2006-01-02T15:04:05.000Z07:00"}}', sandbox.id),
  )
  const log = podman('logs', '--timestamps', sandbox.id)
  const shown = Date.parse(
    log
      .split('\n')
      .find((line) => line.includes('listens at'))
      ?.split(' ')[0] ?? '',
  )
  assert.ok(shown - from < 1000, `${shown - from} ms`)
  return `${shown - from} ms`
})

await check('first payment and its callback', async () => {
  const receiver = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => response.end())
  })
  let body = ''
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const { port } = receiver.address() as AddressInfo
  const asked = performance.now()
  const answer = await pay(sandbox.url, `http://127.0.0.1:${port}/callback`, 'container-1')
  assert.equal(answer.status, 201, await answer.clone().text())
  await until('the callback', () => body.endsWith('}'))
  receiver.close()
  const { status, external_reference } = JSON.parse(body)
  assert.deepEqual({ status, external_reference }, { status: 'success', external_reference: 'container-1' })
  return `${ms(asked)} from request to callback`
})

await check('runs as user 1000, not root', () => {
  assert.equal(podman('exec', sandbox.id, 'id', '-u'), '1000')
  assert.equal(podman('inspect', '--format', '{{.Config.User}}', image), '1000:1000')
})

await check('writes nowhere but in /data, when that is mounted', () => {
  for (const path of ['/app/x', '/tmp/x', '/data/x', '/scenarios/x'])
    assert.match(tryPodman('exec', sandbox.id, 'touch', path).err, /Read-only file system|Permission denied/)
})

await check('SIGTERM ends it with 0 in under a second', () => {
  const { code, took } = terminate(sandbox.id)
  assert.equal(code, 0)
  assert.ok(took < 1000, `${took} ms`)
  return `${Math.round(took)} ms`
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
    await answers(kept.url)
    if (round === 1) assert.equal((await pay(kept.url, 'http://127.0.0.1:9/', 'kept-1')).status, 201)
    await until('the payment', async () => (await statusOf(kept.url, 'kept-1')).status === 'success')
    assert.equal(terminate(kept.id).code, 0)
  }
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

console.log(`${count.passed} passed, ${count.failed} failed`)
process.exitCode = count.failed ? 1 : 0
