/** The public register of certifications: shared by processes, with badges that turn grey. */
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { Env } from '../../src/http/exchange.ts'
import { palette } from '../../src/lib/palette.ts'
import { certificationPages } from '../../src/pages/certifications.ts'
import { openRegister, type RegisterEntry } from '../../src/worlds/certification-register.ts'
import { shared } from '../storage/engine/engines.ts'

const DAY = 86_400_000
const BEGAN = Date.parse('2026-06-13T12:00:00Z')

const entry = (id: string, more: Partial<RegisterEntry> = {}): RegisterEntry => ({
  id,
  subject: 'shop',
  shop_version: '2.4.0',
  plan: 'checkout-kes-2026.1',
  standing: 'ready',
  key_id: 'key',
  issued_at: BEGAN,
  expires_at: BEGAN + 180 * DAY,
  world: id,
  ...more,
})

describe.each(shared)('the register of two processes %s', (_, create) => {
  it('is the same in both, and after a restart', async () => {
    const [one, other] = await create()
    const registers = [one, other].map(({ settings }) => openRegister(settings, () => [], true))
    await registers[0]!.add(entry('c-1'))
    await registers[1]!.add(entry('c-2', { issued_at: BEGAN + 1 }))
    // A world and plan have one entry.
    await registers[0]!.add(entry('c-3', { world: 'c-1', issued_at: BEGAN + 2 }))
    const restarted = openRegister(other.settings, () => [], true)
    for (const register of [...registers, restarted])
      expect((await register.list()).map(({ id }) => id)).toEqual(['c-3', 'c-2'])
    await registers[1]!.remove('c-1', 'c-3')
    // The entry of another world cannot be removed.
    await registers[0]!.remove('stranger', 'c-2')
    expect((await registers[0]!.list()).map(({ id }) => id)).toEqual(['c-2'])
  })

  it('has a badge that turns grey on the day of its end', async () => {
    const [{ settings }] = await create()
    const register = openRegister(settings, () => [], true)
    await register.add(entry('c-1'))
    await register.add(entry('c-2', { standing: 'ready_with_waivers' }))
    const app = new Hono<Env>()
    let now = BEGAN
    certificationPages(app, register, () => now)
    const badge = async (id: string) => (await app.request(`/certifications/${id}.svg`)).text()
    expect(await badge('c-1')).toContain('checkout-kes-2026.1: ready until 2026-12-10')
    expect(await badge('c-1')).toContain(palette.good[0])
    expect(await badge('c-2')).toContain(palette.wait[0])
    now = BEGAN + 180 * DAY - 1
    expect(await badge('c-1')).toContain(palette.good[0])
    now++
    for (const id of ['c-1', 'c-2']) {
      expect(await badge(id)).toContain('checkout-kes-2026.1: expired on 2026-12-10')
      expect(await badge(id)).toContain(`fill="${palette.soft[0]}"`)
      expect(await badge(id)).not.toContain(palette.good[0])
    }
  })
})

it('contains no certification that came with an import', async () => {
  const sandbox = await createSandbox({ env: { LOG_LEVEL: 'error' } })
  const world = await sandbox.world()
  const { id } = await world.certifications.make('shop')
  const exported = (await (await world.fetch('/sandbox/export')).json()) as {
    rows: { certifications: object[] }
  }
  const forged = {
    witnessed: true,
    standing: 'ready',
    plan: 'checkout-kes-2026.1',
    key_id: 'key',
    entry: 'c-forged',
  }
  const row = { ...exported.rows.certifications[0], ...forged, expires_at: Date.parse('2099-01-01') }
  const body = JSON.stringify({ ...exported, rows: { ...exported.rows, certifications: [row] } })
  const headers = { 'content-type': 'application/json' }
  expect((await world.fetch('/sandbox/import', { method: 'POST', headers, body })).status).toBe(200)
  await expect(world.certifications.register(id)).rejects.toThrow('the sandbox has witnessed')
  const register = await sandbox.fetch(new Request(`${sandbox.home.url}/certifications`))
  expect(await register.json()).toEqual({ certifications: [] })
  await sandbox.close()
})
