import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSandbox, SandboxError, type Sandbox, type WorldEvent } from '../../src/index.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await createSandbox({ clock: 'frozen' })
})
afterAll(() => sandbox.close())

describe('a world created by `await using`', () => {
  it('is deleted at the end of its block', async () => {
    let id = ''
    {
      await using world = await sandbox.world()
      id = (await world.show()).id
      expect(await sandbox.home.worlds.show(id)).toMatchObject({ id })
    }
    await expect(sandbox.home.worlds.show(id)).rejects.toMatchObject({ status: 404, operation: 'getWorld' })
  })

  it('may already be deleted', async () => {
    const world = await sandbox.world()
    await world.delete()
    await expect(world[Symbol.asyncDispose]()).resolves.toBeUndefined()
  })

  it('is named by calls after its end', async () => {
    const world = await sandbox.world()
    await world.delete()
    const error = await world.pay().catch((error: unknown) => error)
    expect(error).toMatchObject({
      status: 401,
      message: expect.stringMatching(
        /^POST \/sandbox\/payments\/prepare: the world of demo\+w-[\w-]+ has ended: it was deleted, or not used/,
      ),
    })
  })

  it('is kept if the client only connected to it', async () => {
    await sandbox.home[Symbol.asyncDispose]()
    expect(await sandbox.home.show()).toMatchObject({ id: 'demo' })
  })
})

describe('world.listen', () => {
  it('calls the listener with each event in order and ends with the world', async () => {
    const world = await sandbox.world()
    const told: WorldEvent[] = []
    let busy = 0
    const listening = await world.listen(async (event) => {
      expect(++busy).toBe(1)
      await Promise.resolve()
      told.push(event)
      busy--
    })
    await world.clock.advance('1h')
    await world.delete()
    await listening.ended
    expect(told.map(({ type }) => type)).toContain('clock')
  })

  it('stops calling the listener after stop()', async () => {
    await using world = await sandbox.world()
    const told: string[] = []
    const listening = await world.listen(({ type }) => told.push(type))
    await listening.stop()
    await world.clock.advance('1h')
    await world.settle()
    expect(told).not.toContain('clock')
  })

  it('rejects `ended` with the error of the listener', async () => {
    await using world = await sandbox.world()
    const listening = await world.listen(() => {
      throw new Error('the shop is shut')
    })
    const [, ended] = await Promise.allSettled([world.clock.advance('1h'), listening.ended])
    expect(ended).toMatchObject({ reason: new Error('the shop is shut') })
  })

  it('ends with the sandbox', async () => {
    const other = await createSandbox({ clock: 'frozen' })
    const listening = await (await other.world()).listen(() => {})
    await other.close()
    await expect(listening.ended).resolves.toBeUndefined()
  })

  it('is rejected with a revoked key', async () => {
    const world = await sandbox.world()
    await world.delete()
    await expect(world.listen(() => {})).rejects.toMatchObject({ status: 401, operation: 'streamEvents' })
  })
})

describe('SandboxError', () => {
  it('has the operation and the typed body of its error', async () => {
    await using world = await sandbox.world()
    const refused: unknown = await world.callbacks
      .waitFor({ reference: 'none', timeout: '0' })
      .catch((e: unknown) => e)
    expect(refused).toBeInstanceOf(SandboxError)
    const error = refused as SandboxError
    expect(error.isOf('waitForRequests')).toBe(false)
    expect(error.isOf('waitForCallbacks') && error.body.callbacks).toEqual([])
  })

  it('is thrown for operations of the service, too', async () => {
    await using world = await sandbox.world()
    await expect(world.call('getAccount', { path: { account_id: 4_000_000 } })).rejects.toMatchObject({
      status: 404,
      operation: 'getAccount',
      code: 'resource_not_found',
    })
  })

  it('is replaced by a TypeError for an unknown operation or a missing path parameter', async () => {
    await using world = await sandbox.world()
    // @ts-expect-error no such operation
    await expect(world.call('getClok')).rejects.toThrow(
      'there is no operation getClok (did you mean getClock?)',
    )
    // @ts-expect-error it needs one
    await expect(world.call('getAccount')).rejects.toThrow('getAccount needs { path: { account_id: … } }')
  })
})
