import { expect, it } from 'vitest'
import { client, startSandbox } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()
const made = async (w: ReturnType<typeof world>) => {
  const { username, password } = (await w.post('/sandbox/api-keys', { account_id: 63 })).body
  const status = async () => (await client(sandbox, username, password).get('/api/v2/account/63')).status
  return { username, status }
}
const snapshot = async (w: ReturnType<typeof world>) => {
  const { id } = (await w.post('/sandbox/snapshots', {})).body
  return async () => expect((await w.post(`/sandbox/snapshots/${id}/restore`)).status).toBe(200)
}

it('a key revoked after a snapshot stays revoked when the snapshot is restored, however often', async () => {
  const w = world()
  const [good, bad] = [await made(w), await made(w)]
  const restore = await snapshot(w)
  await w.delete(`/sandbox/api-keys/${bad.username}`)
  await restore()
  expect([await good.status(), await bad.status()]).toEqual([200, 401])
  // By way of rows that know nothing of the key.
  await w.post('/sandbox/reset')
  expect([await good.status(), await bad.status()]).toEqual([401, 401])
  await restore()
  expect([await good.status(), await bad.status()]).toEqual([200, 401])
  const listed = (await w.get('/sandbox/api-keys')).body.api_keys
  expect(listed.find((key: { username: string }) => key.username === bad.username).revoked_at).not.toBeNull()
})

it('a key created after a snapshot is gone when the snapshot is restored', async () => {
  const w = world()
  await w.get('/sandbox/api-keys')
  const restore = await snapshot(w)
  const late = await made(w)
  await restore()
  expect(await late.status()).toBe(401)
})

it("an export's keys are not imported, so an import revives none", async () => {
  const w = world()
  const bad = await made(w)
  const { body } = await w.get('/sandbox/export')
  await w.delete(`/sandbox/api-keys/${bad.username}`)
  expect((await w.post('/sandbox/import', body)).status).toBe(200)
  expect(await bad.status()).toBe(401)
})

it("a deleted world's inbox address does not lead to the next world of its name", async () => {
  const w = world()
  const inbox = async () => (await w.get('/sandbox/inbox/shop')).body
  const post = async (address: string) =>
    (await sandbox.fetch(new Request(address, { method: 'POST', body: '{}' }))).status
  const { address } = await inbox()
  expect(await post(address)).toBe(200)
  // It outlives a reset and a snapshot.
  await (
    await snapshot(w)
  )()
  await w.post('/sandbox/reset')
  expect((await inbox()).address).toBe(address)
  expect(await post(address)).toBe(200)
  const secret = (await w.get('/sandbox/worlds/current')).body.signing_secret

  expect((await w.delete('/sandbox/worlds/current')).status).toBe(200)
  const next = await inbox()
  expect(next).toMatchObject({ messages: [] })
  expect(next.address).not.toBe(address)
  expect(await post(address)).toBe(401)
  expect(await post(next.address)).toBe(200)
  expect((await inbox()).messages).toHaveLength(1)
  // Derived secrets stay: they are told as stable.
  expect((await w.get('/sandbox/worlds/current')).body.signing_secret).toBe(secret)
})
