import { describe, expect, it } from 'vitest'
import type { Part } from '../../src/pages/viewer/description.ts'
import { hosted, startSandbox } from '../support/sandbox.ts'

const sandboxes = {
  'with nothing set': await startSandbox(),
  'in hosted mode': await startSandbox(hosted),
  lenient: await startSandbox({ SANDBOX_VALIDATION: 'lenient' }),
}

const tried = [
  { operation: 'createCollection', path: '/api/v2/payments', example: 'wallet' },
  { operation: 'createWithdrawal', path: '/api/v2/withdraw', example: undefined },
  { operation: 'createGlobalPayment', path: '/api/global/payments', example: undefined },
]

describe.each(Object.entries(sandboxes))('an example of /docs, %s', (_, { sandbox, world, received }) => {
  const shown = async (path: string) => {
    const answer = await sandbox.fetch(new Request(`http://pay.test:8080${path}`))
    expect(answer.status).toBe(200)
    return (await answer.json()) as Part
  }

  it.each(tried)(
    'of $operation can be sent, and its callback arrives in the reader’s inbox',
    async (each) => {
      for (const query of ['', `?operation=${each.operation}`]) {
        const { paths } = await shown(`/docs/service.json${query}`)
        const { examples } = paths[each.path].post.requestBody.content['application/json']
        const body = (each.example ? examples[each.example] : Object.values<Part>(examples)[0]).value
        const mine = world()
        const answer = await mine.post(each.path, body)
        expect(answer.status).toBeLessThan(300)
        await mine.settle()
        const inbox = await mine.get('/sandbox/inbox/default')
        expect(inbox.body.messages).toHaveLength(1)
        expect(inbox.body.messages[0]).toMatchObject({ response_status: 200, signature_valid: true })
      }
      expect(received).toEqual([])
    },
  )

  it('has the reader’s address, unlike /openapi.json', async () => {
    const served = JSON.stringify(await shown('/docs/service.json'))
    expect(served).toContain('http://pay.test:8080/sandbox/inbox/default?key=own')
    expect(served).not.toContain('https://shop.example/payments/callback')
    const raw = JSON.stringify(await shown('/openapi.json'))
    expect(raw).toContain('https://shop.example/payments/callback')
    expect(raw).not.toContain('pay.test')
  })
})
