import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { billOf, type Pinned } from '../../build/sbom.ts'

const viewer = JSON.parse(readFileSync('viewer/pinned.json', 'utf8')) as Pinned
const component = (name: string, dev: boolean) => ({
  'bom-ref': `${name}@1.0.0`,
  type: 'library',
  name,
  version: '1.0.0',
  scope: 'optional',
  licenses: [{ license: { id: 'MIT' } }],
  externalReferences: [{ type: 'distribution', url: 'https://mirror.example/x.tgz' }],
  ...(dev && { properties: [{ name: 'cdx:npm:package:development', value: 'true' }] }),
})
const all = {
  bomFormat: 'CycloneDX',
  serialNumber: 'urn:uuid:1',
  metadata: { timestamp: '2026-01-01T00:00:00Z', component: component('folder-name', false) },
  components: [component('hono', true), component('@scope/inner', true), component('vitest', true)],
  dependencies: [
    { ref: 'hono@1.0.0', dependsOn: ['@scope/inner@1.0.0', 'vitest@1.0.0'] },
    { ref: '@scope/inner@1.0.0', dependsOn: [] },
    { ref: 'vitest@1.0.0', dependsOn: ['hono@1.0.0'] },
  ],
}
const bundled = new Set(['hono@1.0.0', '@scope/inner@1.0.0'])

it('lists bundled packages and the viewer with licences, and no build tools', () => {
  const bill = billOf(all, bundled, viewer)
  expect(bill.components.map((each) => each['bom-ref'])).toEqual([
    'hono@1.0.0',
    '@scope/inner@1.0.0',
    `${viewer.name}@${viewer.version}`,
  ])
  for (const each of bill.components) expect(each).toMatchObject({ scope: 'required', licenses: [{}] })
  expect(bill.dependencies[1]).toEqual({ ref: 'hono@1.0.0', dependsOn: ['@scope/inner@1.0.0'] })
})

it('is reproducible', () => {
  const text = JSON.stringify(billOf(all, bundled, viewer))
  expect(text).not.toMatch(/mirror\.example|2026-01-01|urn:uuid|development/)
})

it('fails for an unknown bundled file', () => {
  expect(() => billOf(all, new Set(['other@1.0.0']), viewer)).toThrow('npm sbom does not list other@1.0.0')
})
