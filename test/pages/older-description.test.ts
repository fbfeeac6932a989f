import { describe, expect, it } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { Part } from '../../src/pages/viewer/description.ts'
import { startSandbox } from '../support/sandbox.ts'

const { sandbox } = await startSandbox({ SANDBOX_EXTENSIONS: 'on' })
const { sandbox: plain } = await startSandbox()
const get = (path: string, of = sandbox) => of.fetch(new Request(`http://sandbox.test${path}`))
const json = async (path: string): Promise<Part> => (await get(path)).json() as Promise<Part>
const described = () => json('/openapi-extensions.json')

describe('the description of the previous API generation', () => {
  it('is served and shown with the others if the endpoints are on', async () => {
    const { info, paths } = await described()
    expect([info.title, Object.keys(paths).length]).toEqual(["The API's older generation (sandbox)", 10])
    expect(await (await get('/openapi-extensions.yaml')).text()).toContain('/api/v2/bank_paybills:')
    expect(await (await get('/docs')).text()).toContain('/docs/extensions.json')
    expect((await json('/docs/service.json')).info.description).toContain('?reference=extensions#extensions')
    const shown = await json('/docs/extensions.json?operation=getWallet')
    expect(Object.keys(shown.paths)).toEqual(['/api/v2/wallets'])
  })

  it('marks the provenance of every operation, parameter and field', async () => {
    const { paths, components } = await described()
    const fields = Object.entries<{ properties: object }>(components.schemas)
      // These are of the service's own description.
      .filter(([name]) => name !== 'Error' && name !== 'Pagination')
      .flatMap(([name, { properties }]) =>
        Object.entries(properties).map(([field, part]) => ({ name: `${name}.${field}`, part })),
      )
    const operations = Object.values<
      Record<string, { operationId: string; parameters?: { name: string }[] }>
    >(paths)
      .flatMap((item) => Object.values(item))
      .flatMap((each) => [
        { name: each.operationId, part: each },
        ...(each.parameters ?? []).map((part) => ({ name: `${each.operationId} ${part.name}`, part })),
      ])
    const parts: { name: string; part: object }[] = [...fields, ...operations]
    expect(parts.length).toBeGreaterThan(80)
    const silent = parts.filter(
      ({ part }) => !/"x-provenance":"(observed|assumed)"/.test(JSON.stringify(part)),
    )
    expect(silent.map(({ name }) => name)).toEqual([])
  })

  it('is not served if the endpoints are off', async () => {
    expect(await (await get('/docs', plain)).text()).not.toContain('extensions.json')
    for (const path of ['/docs/extensions.json', '/openapi-extensions.json'])
      expect((await get(path, plain)).status).toBe(404)
  })
})

it('is served by the library if the option is set', async () => {
  const own = await createSandbox({ extensions: 'on' })
  const w = await own.world()
  const answer = await own.fetch(`${w.url}/api/v2/bank_paybills`, {
    headers: { authorization: w.authorization },
  })
  expect(answer.status).toBe(200)
  const { paths = {} } = own.app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'All', version: '1' },
  })
  expect(Object.keys(paths)).toContain('/api/v2/bank_paybills')
  await own.close()
})
