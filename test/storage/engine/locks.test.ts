import { expect, it } from 'vitest'
import { createMemoryLocks } from '../../../src/storage/engine/memory/shared-state.ts'
function setUp() {
  const lock = createMemoryLocks()
  const done: string[] = []
  const run = (name: string, due_at: number) =>
    lock.runOnce(name, due_at, async () => void done.push(`${name} of ${due_at}`))
  return { lock, run, done }
}

it('work runs once for each time that it is due', async () => {
  const { run, done } = setUp()
  expect(await Promise.all([run('reset', 1), run('reset', 1), run('sweep', 1)])).toEqual([true, false, true])
  expect(await run('reset', 1)).toBe(false)
  expect(await run('reset', 2)).toBe(true)
  expect(await run('reset', 1)).toBe(false)
  expect(done).toEqual(['reset of 1', 'sweep of 1', 'reset of 2'])
})

it('failed work rejects for the process that started it, and runs again when it is next due', async () => {
  const { lock, run, done } = setUp()
  const broken = () => Promise.reject(new Error('broken'))
  await expect(lock.runOnce('reset', 1, broken)).rejects.toThrow('broken')
  expect(await run('reset', 1)).toBe(false)
  expect(await run('reset', 2)).toBe(true)
  expect(done).toEqual(['reset of 2'])
})
