/** The description's own examples, sent to a sandbox: each answer is what the sandbox says, and every message. */
import { describe, expect, it } from 'vitest'
import { readDescribed, served } from '../../openapi/described.ts'
import { tryCallback, tryRequest } from '../../openapi/example-run.ts'
import { sharedRefusals, trySharedRefusal } from '../../openapi/shared-refusals.ts'
import { renderDocument } from '../../openapi/render.ts'
import { loadPath } from '../../src/scenarios/read.ts'
import { descriptions } from '../support/descriptions.ts'
import { callbackExamples, requestExamples, responseExamples } from '../support/examples.ts'

const scenarios = await loadPath('scenarios')

describe.each(served)('an example of $source', async (of) => {
  const env = 'env' in of ? of.env : {}
  const { document: source, requests, callbacks, shared } = await readDescribed(of, scenarios)
  const { document } = descriptions.find(({ folder }) => folder === of.folder)!
  const answers = responseExamples(document)
  const bodies = callbackExamples(document)
  const named = requests.map((each) => ({ ...each, where: `${each.route.id} ${each.request.name}` }))

  it.each(named)('is answered as it says: $where', async ({ route, request }) => {
    const { status, response } = await tryRequest(source, route, request, env)
    const shown = answers.find(({ where }) => where === `${route.id} ${status} ${request.name}`)
    expect(response).toEqual(shown?.value)
  })

  it.each(callbacks.map((each) => ({ ...each, where: `${each.route.id} ${each.request.name}` })))(
    'leads to the callback that it says: $where',
    async ({ route, request }) => {
      const shown = bodies.find(({ where }) => where === `${route.id} transactionResult ${request.name}`)
      expect(await tryCallback(source, route, request)).toEqual(shown?.value)
    },
  )

  it.each(shared)('is answered as it says, whatever the operation: %s', async (name) => {
    const { status } = sharedRefusals[name]!
    const refusal = await trySharedRefusal(name)
    const shown = answers.filter((each) => each.status === String(status))
    expect(shown.map(({ value }) => value)).toContainEqual(refusal)
  })

  it('is made by being tried, each of them', () => {
    const tried = new Set(named.map(({ where }) => where))
    const own = answers.filter(
      ({ status }) => !Object.values(sharedRefusals).some((each) => String(each.status) === status),
    )
    expect(own.map(({ where }) => where.replace(/ \d+ /, ' ')).filter((where) => !tried.has(where))).toEqual(
      [],
    )
  })

  it('pairs: a request has an answer under the same name', () => {
    const lonely = requestExamples(document).filter(({ route, where }) => {
      const name = where.split(' ').at(-1)
      return !answers.some(
        (response) => response.route.id === route.id && response.where.endsWith(` ${name}`),
      )
    })
    expect(lonely.map(({ where }) => where)).toEqual([])
  })

  it('stands in the description', async () => {
    await expect(renderDocument(document)).toMatchFileSnapshot(`../../${of.folder}/openapi.json`)
  })
})
