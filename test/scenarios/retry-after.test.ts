import { expect, it, onTestFinished } from 'vitest'
import { createSandbox } from '../../src/index.ts'

const file = (error_code: string) => ({
  title: 'Come back later',
  then: { respond: { error_code, error_message: 'come back later', retryAfter: '1500ms' } },
})

async function openWorld() {
  const sandbox = await createSandbox({ clock: 'frozen' })
  onTestFinished(() => sandbox.close())
  return sandbox.world()
}

it.each(['resource_exhausted', 'unavailable'])(
  'sends Retry-After in whole seconds with status %s',
  async (error_code) => {
    const world = await openWorld()
    await world.scenarios.put('later', JSON.stringify(file(error_code)))
    await world.scenario('later')
    const { headers } = await world.fetch('/api/v2/account/63')
    expect(headers.get('retry-after')).toBe('2')
  },
)

it('is rejected with other statuses', async () => {
  const world = await openWorld()
  await expect(world.scenarios.put('later', JSON.stringify(file('internal')))).rejects.toThrow(
    'retryAfter is for 429 and 503, not 500',
  )
})
