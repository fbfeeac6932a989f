import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { compareDescriptions } from '../../src/fidelity/library.ts'
import { ended } from '../cli/process.ts'
import { temporaryFolder } from '../support/folder.ts'

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- any JSON
type Json = any

const folder = temporaryFolder()
const described = readFileSync('src/generated/service/openapi.json', 'utf8')

async function file(change: (api: Json) => void, form: 'json' | 'yaml' = 'json'): Promise<string> {
  const api: Json = JSON.parse(described)
  change(api)
  const path = join(folder, `their.${form}`)
  await writeFile(path, form === 'json' ? JSON.stringify(api) : stringify(api))
  return path
}

const found = async (change: (api: Json) => void) =>
  (await compareDescriptions(await file(change))).differences.map(
    ({ operation, place, field, kind, severity }) => [operation, place, field, kind, severity].join(' '),
  )

const post = (api: Json, path = '/api/v2/payments') => api.paths[path].post
const request = (api: Json) => api.components.schemas.CreateCollectionRequest
const response = (api: Json) => {
  const { $ref } = post(api).responses['201'].content['application/json'].schema
  return api.components.schemas[$ref.replace(/.*[/]/, '')]
}

describe('compare --description', () => {
  it('finds nothing in the same description, in JSON and YAML', async () => {
    expect(await found(() => {})).toEqual([])
    const { code, out } = await ended(['compare', '--description', await file(() => {}, 'yaml')])
    expect([code, out]).toEqual([0, expect.stringContaining('operations compared: no differences')])
  })

  it.each<readonly [string, (api: Json) => void, readonly string[]]>([
    [
      'a removed operation',
      (api) => delete api.paths['/api/v2/payments'],
      ['createCollection operation  missing breaking'],
    ],
    [
      'an additional operation',
      (api) => (api.paths['/api/v3/refunds'] = { post: { operationId: 'refund', responses: {} } }),
      ['refund operation  extra cosmetic'],
    ],
    [
      'a required field that the sandbox does not have',
      (api) => {
        request(api).properties.channel_code = { type: 'string' }
        request(api).required = [...(request(api).required ?? []), 'channel_code']
      },
      ['createCollection request channel_code narrowed breaking'],
    ],
    [
      'a lower maximum in a request',
      (api) => (request(api).properties.amount = { type: 'number', exclusiveMinimum: 0, maximum: 100 }),
      ['createCollection request amount narrowed breaking'],
    ],
    [
      'a removed field of a response',
      (api) => delete response(api).properties.reference,
      ['createCollection 201 reference missing breaking'],
    ],
    [
      'another type in a response',
      (api) => (response(api).properties.success = { type: 'string' }),
      ['createCollection 201 success type breaking'],
    ],
    [
      'an additional status',
      (api) => (post(api).responses['418'] = { description: 'Teapot' }),
      ['createCollection 418  extra cosmetic'],
    ],
  ])('finds %s', async (_, change, differences) => {
    expect(await found(change)).toEqual(expect.arrayContaining([...differences]))
    expect((await found(change)).length).toBeLessThanOrEqual(differences.length + 2)
  })

  it('refuses what is no description, with line and column', async () => {
    const path = join(folder, 'broken.yaml')
    await writeFile(path, 'openapi: 3.1.0\npaths: {\n')
    expect(await ended(['compare', '--description', path])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/broken\.yaml:\d+:\d+: /),
    })
    await writeFile(path, 'swagger: "2.0"\npaths: {}\n')
    await expect(compareDescriptions(path)).rejects.toThrow('is no OpenAPI 3 description')
    expect((await ended(['compare'])).err).toContain('pass a recording, or a description')
  })
})
