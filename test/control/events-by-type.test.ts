import { describe, expect, it } from 'vitest'
import { eventStream } from '../support/event-stream.ts'
import { collection } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()

describe('streamEvents of one type', () => {
  it('returns 200 with events of that type only, with their original ids', async () => {
    const w = world()
    await w.post('/api/v2/payments', collection(w))
    await w.settle()
    const { read, stop } = await eventStream(sandbox, w.world().name, {}, '?after=0&type=attempt')
    const [event] = await read(1)
    await stop()
    expect(event).toMatchObject({ type: 'attempt', data: { callback_id: 1, status: 200 } })
  })

  it('returns 400 for an unknown type, with the nearest', async () => {
    const { status, body } = await world().get('/sandbox/events?type=atempt')
    expect(status).toBe(400)
    expect(body.error_message).toContain('attempt')
  })
})
