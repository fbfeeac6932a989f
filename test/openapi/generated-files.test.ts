import { describe, expect, it } from 'vitest'
import { monitoringFiles } from '../../openapi/monitoring.ts'
import { readDescription } from '../../openapi/read-description.ts'
import { renderDescription, renderDocument } from '../../openapi/render.ts'

import { metricHelp } from '../../src/http/metrics.ts'

const folder = 'test/openapi/fixtures/generated'

describe('the files made of the fixture', async () => {
  const document = await readDescription('test/openapi/fixtures/description/openapi.yaml')
  const render = async () =>
    new Map([['openapi.json', renderDocument(document)], ...(await renderDescription(document, folder))])
  const files = await render()

  it.each([...files.keys()])('%s is as committed', async (name) => {
    await expect(files.get(name)).toMatchFileSnapshot(`fixtures/generated/${name}`)
  })

  it('are the same in a second run', async () => {
    expect(await render()).toEqual(files)
  })

  it('contain the bundled description', () => {
    expect(JSON.parse(files.get('openapi.json')!)).toEqual(document)
  })
})

describe('the alert rules and the dashboard', () => {
  it('query only metrics that /metrics has', async () => {
    const queries = [...(await monitoringFiles()).values()].join('\n')
    const names = queries.match(/\bsandbox_\w+/g)!.map((name) => name.replace(/_(bucket|sum|count)$/, ''))
    expect(names.filter((name) => !Object.hasOwn(metricHelp, name))).toEqual([])
    expect(Object.keys(metricHelp).filter((name) => !names.includes(name))).toEqual([])
  })
})
