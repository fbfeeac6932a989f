/** Runs of `certify` in a world that others use, too. */
import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createSandbox, type WorldClient } from '../../src/index.ts'
import { commandLine, ended, listening, until } from './process.ts'

/** A sandbox whose home world is `certify`'s, and the profile of a shop that takes callbacks there. */
async function setUp(more = '') {
  const sandbox = await createSandbox()
  await sandbox.listen(0)
  const shop = await listening(
    createServer((request, answer) => void request.resume().on('end', () => answer.end())),
  )
  const file = join(await mkdtemp(join(tmpdir(), 'certify-')), 'certify.yaml')
  await writeFile(
    file,
    `profile: shop\nsandbox: ${sandbox.url}\nreceiver: { url: 'http://127.0.0.1:${shop.port}/callback' }\n${more}`,
  )
  const home: WorldClient = sandbox.home
  return { sandbox, home, flags: ['certify', '--profile', file] }
}

const steered = async (world: WorldClient) => {
  const [{ settings, clock }, scenarios] = await Promise.all([world.show(), world.scenarios.list()])
  return { settings, speed: clock.speed, on: scenarios.filter(({ on }) => on), scenarios: scenarios.length }
}

it('exits with 4 and names the holder if the world is in use', async () => {
  const { sandbox, home, flags } = await setUp()
  await using _ = sandbox
  const lease = await home.lease({ holder: 'suite "<b>"' })
  const { code, err } = await ended(flags)
  expect({ code, err }).toEqual({
    code: 4,
    err: `The world of "demo" is held by "suite \\"<b>\\"" since ${lease.since}. Wait for it (--wait 10m), or use another world (user in the profile, or --user).\n`,
  })
})

it('waits for the lease with --wait, and restores the world', async () => {
  const { sandbox, home, flags } = await setUp()
  await using _ = sandbox
  await home.clock.speed(3)
  const before = await steered(home)
  const lease = await home.lease({ holder: 'suite' })
  const run = commandLine([...flags, '--only', 'RCV-1', '--wait', '5m'])
  await until(async () => run.printed.err !== '')
  expect(run.printed.err).toBe(
    `The world of "demo" is held by "suite" since ${lease.since}. Waiting up to 5m.\n`,
  )
  await lease.release()
  expect(await run.code).toBe(0)
  expect(run.printed.out).toContain('Only 1 of 69 checks were selected.')
  expect(await home.usedBy()).toBe(null)
  expect(await steered(home)).toEqual(before)
})

it('exits with 2 for an invalid duration', async () => {
  const { sandbox, flags } = await setUp()
  await using _ = sandbox
  expect(await ended([...flags, '--wait', 'long'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('--wait must be a duration'),
  })
})

it('exits with 3 when interrupted, after restoring the world', async () => {
  const { sandbox, home, flags } = await setUp("trigger: { command: 'sleep 60' }\n")
  await using _ = sandbox
  const before = await steered(home)
  const run = commandLine([...flags, '--only', 'RCV-1'])
  await until(async () => (await home.clock.show()).frozen)
  expect(await home.usedBy()).toMatchObject({ holder: 'certify of shop', restore: true })
  run.stop()
  expect(await run.code).toBe(3)
  expect(run.printed.err).toBe('Stopped: the remaining checks are inconclusive. The world is restored.\n')
  expect(run.printed.out).toContain('The run was stopped')
  expect(run.printed.out).not.toContain('Begin with')
  expect(await home.usedBy()).toBe(null)
  expect(await steered(home)).toEqual(before)
})

it('exits with 3 when interrupted while it waits', async () => {
  const { sandbox, home, flags } = await setUp()
  await using _ = sandbox
  await home.lease({ holder: 'suite' })
  const run = commandLine([...flags, '--wait', '5m'])
  await until(async () => run.printed.err !== '')
  run.stop()
  expect(await run.code).toBe(3)
  expect(run.printed.err).toContain('Stopped before the first check.\n')
  expect(await home.usedBy()).toMatchObject({ holder: 'suite' })
})
