import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../../src/config/config.ts'
import type { Setting } from '../../src/config/setting.ts'
import { settings } from '../../src/config/settings.ts'
import { tracked } from '../support/tracked.ts'

const known = new Set(Object.values<Setting>(settings).map(({ variable }) => variable))

/** Variables of tests and of examples, which no sandbox reads, and those that the changelog says were renamed. */
const others = new Set([
  'SANDBOX_TEST_ENGINE',
  'SANDBOX_URL',
  ...['KEEP', 'JOURNAL_SIZE', 'WORLD_JOURNAL', 'WORLD_CALLBACKS_A_DAY'].map((name) => `SANDBOX_${name}`),
])

const isRead = (path: string) =>
  /(^|\/)Dockerfile$|\.(md|ya?ml|tpl|txt|json)$|^examples\/.*\.(ts|js|py)$/.test(path) &&
  !/^(package|tsconfig|renovate)/.test(path)

const named = tracked().filter(
  (path) => /^([^/]+$|(docs|charts|examples|skills)\/)/.test(path) && isRead(path),
)

describe('settings that are named are settings', () => {
  it.each(named)('%s', (file) => {
    const words = readFileSync(file, 'utf8').match(/\bSANDBOX_[A-Z][A-Z0-9_]*[A-Z0-9]\b(?![*_<])/g) ?? []
    expect([...new Set(words)].filter((word) => !known.has(word) && !others.has(word))).toEqual([])
  })
})

interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly configs?: Readonly<Record<string, unknown>>
  readonly volumes?: Readonly<Record<string, unknown>>
}
interface Service {
  readonly image: string
  readonly build?: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly env_file?: readonly string[]
  readonly ports?: readonly string[]
  readonly configs?: readonly { readonly source: string }[]
  readonly volumes?: readonly string[]
  readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
}

describe.each(['compose.yaml', 'compose.cluster.yaml'])('%s', (file) => {
  const {
    services,
    configs = {},
    volumes = {},
  } = parse(readFileSync(file, 'utf8'), { merge: true }) as Compose
  const each = Object.entries(services)

  it.each(each)('%s names images by a version, and what is there', (_, service) => {
    expect(service.build ?? service.image).toMatch(/^\.$|:v?\d/)
    const needed = Array.isArray(service.depends_on)
      ? service.depends_on
      : Object.keys(service.depends_on ?? {})
    expect(needed.filter((name) => !(name in services))).toEqual([])
    expect((service.configs ?? []).filter(({ source }) => !(source in configs))).toEqual([])
    expect(
      (service.volumes ?? []).map((text) => text.split(':')[0]!).filter((name) => !(name in volumes)),
    ).toEqual([])
  })

  it.each(each)('%s is reached from this machine alone', (_, { ports = [] }) => {
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([])
  })

  it.each(each.filter(([, { build }]) => build !== undefined))(
    '%s has settings that are taken',
    (_, service) => {
      const given = service.environment ?? {}
      const secrets = service.env_file
        ? {
            SANDBOX_API_PASSWORD: 'a-password-of-the-test',
            SANDBOX_ADMIN_TOKEN: 'a-token-of-the-test',
            SANDBOX_DATABASE_URL: 'postgres://sandbox:password@database:5432/sandbox',
          }
        : {}
      expect(() => readConfig({ ...given, ...secrets })).not.toThrow()
      expect(service.read_only).toBe(true)
      expect(service.cap_drop).toEqual(['ALL'])
    },
  )
})
