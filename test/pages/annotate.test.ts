import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { annotate, narrowTo, operationsOf } from '../../src/pages/viewer/description.ts'

const service = JSON.parse(readFileSync('src/generated/service/openapi.json', 'utf8'))

const withSchema = (schema: object, components: object = {}) => ({
  openapi: '3.1.1',
  info: { title: 'Test' },
  paths: {},
  components: { schemas: { Thing: schema, ...components } },
})

const shown = (schema: object, components?: object) =>
  annotate(withSchema(schema, components)).components.schemas.Thing

describe('annotate', () => {
  it.each(['observed', 'assumed'])('adds a badge %s before the text of a field', (word) => {
    const field = shown({ properties: { page: { description: 'Page, from 1.', 'x-provenance': word } } })
    expect(field.properties.page.description).toBe(
      `<span class="provenance provenance-${word}">${word}</span> Page, from 1.`,
    )
  })

  it('adds the reason below, escaped', () => {
    const thing = shown({ description: 'A.', 'x-provenance': 'assumed', 'x-provenance-note': 'a < b & c' })
    expect(thing.description).toMatch(/A\.\n\n<span class="provenance-note">a &lt; b &amp; c<\/span>$/)
  })

  it('adds nothing to documented parts', () => {
    const plain = { description: 'Name.', type: 'string', 'x-provenance': 'documented' }
    expect(shown(plain)).toEqual(plain)
  })

  it('marks parts with only a note as documented', () => {
    expect(shown({ description: 'A.', 'x-provenance-note': 'But.' }).description).toMatch(
      /^<span[^>]*>documented</,
    )
  })

  it('puts a table on its own line after the badge', () => {
    const { description } = shown({ description: '| a |\n|---|\n| b |', 'x-provenance': 'assumed' })
    expect(description).toMatch(/<\/span>\n\n\| a \|/)
  })

  it('keeps the text of a referenced schema', () => {
    const field = { $ref: '#/components/schemas/Other', 'x-provenance': 'assumed' }
    const thing = shown({ properties: { other: field } }, { Other: { description: 'The other.' } })
    expect(thing.properties.other.description).toMatch(/The other\.$/)
  })

  it('lists the values with a scripted outcome', () => {
    const values = [
      { value: '254700000001', scenario: 'insufficient-funds', title: 'The payer has too little | 1' },
      { value: 1032 },
    ]
    const { description } = shown({ description: 'Phone.', 'x-sandbox-values': values })
    expect(description).toContain('Phone.\n\n<details class="sandbox-values">')
    expect(description).toContain('2 values')
    expect(description).toContain(
      '| `254700000001` | The payer has too little \\| 1 · `insufficient-funds` |',
    )
    expect(description).toContain('| `1032` |  |')
  })

  it('leaves examples, defaults and fields named like keywords unchanged', () => {
    const data = { description: 'said', 'x-provenance': 'assumed' }
    const schema = {
      example: data,
      examples: [data],
      default: data,
      enum: [data],
      properties: {
        properties: { type: 'string' },
        example: { description: 'E.', 'x-provenance': 'observed' },
      },
    }
    const { properties, ...rest } = shown(schema)
    expect(rest).toEqual({ example: data, examples: [data], default: data, enum: [data] })
    expect(properties.properties).toEqual({ type: 'string' })
    expect(properties.example.description).toMatch(/observed<\/span> E\.$/)
  })

  it('marks every observed or assumed operation, parameter, status, field and callback of the service', () => {
    const marks = JSON.stringify(service).match(/"x-provenance":"(observed|assumed)"/g)!.length
    const badges = JSON.stringify(annotate(service)).match(
      /provenance provenance-(observed|assumed)/g,
    )!.length
    expect(marks).toBeGreaterThan(100)
    expect(badges).toBe(marks)
  })

  it('does not change its input', () => {
    const before = JSON.stringify(service)
    annotate(service)
    expect(JSON.stringify(service)).toBe(before)
  })
})

describe('narrowTo', () => {
  it('keeps one operation with its tag and everything it references', () => {
    const narrowed = narrowTo(service, 'createCollection')
    expect(operationsOf(narrowed.paths).map(({ operation }) => operation.operationId)).toEqual([
      'createCollection',
    ])
    expect(narrowed.tags.map((tag: { name: string }) => tag.name)).toEqual(['Legacy payments'])
    expect(Object.keys(narrowed.components.schemas)).toContain('CollectionResponse')
    expect(Object.keys(narrowed.components.schemas)).not.toContain('UserProfile')
    expect(narrowed.components.securitySchemes).toEqual(service.components.securitySchemes)
    expect(narrowed.info.description).toBeUndefined()
  })

  it('returns undefined for an unknown operation', () => {
    expect(narrowTo(service, 'createcollection')).toBeUndefined()
  })
})
