import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readDescription } from '../../openapi/read-description.ts'
import { renderDescription, renderDocument } from '../../openapi/render.ts'

const folder = 'test/openapi/fixtures/generated'

describe('the files made of the fixture', async () => {
  const document = await readDescription('test/openapi/fixtures/description/openapi.yaml')
  const files = new Map([...renderDocument(document), ...(await renderDescription(document, folder))])

  it.each([...files.keys()])('%s is as committed', async (name) => {
    await expect(files.get(name)).toMatchFileSnapshot(`fixtures/generated/${name}`)
  })

  it('are the same in a second run', async () => {
    expect(new Map([...renderDocument(document), ...(await renderDescription(document, folder))])).toEqual(
      files,
    )
  })

  it('are the bundled description in both notations', () => {
    expect(JSON.parse(files.get('openapi.json')!)).toEqual(document)
    expect(parse(files.get('openapi.yaml')!)).toEqual(document)
  })
})
