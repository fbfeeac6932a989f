import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { routesOf } from '../../openapi/document.ts'
import { OPERATOR, roles, rolesOf } from '../../openapi/roles.ts'
import { needOf, type Role, whyNot } from '../../dashboard/core/needs.ts'
import { descriptions } from '../support/descriptions.ts'

const all = descriptions.flatMap(({ name, document }) =>
  routesOf(document)
    .filter((route) => !rolesOf(route).includes(OPERATOR))
    .map((route) => ({ ...route, ofSandbox: name.includes('control') })),
)
const isSent = (role: Role, method: string, path: string) =>
  whyNot(role, needOf(method.toUpperCase(), path.replace(/\{\w+\}/g, 'current'))) === undefined

describe('the permissions that the dashboard knows', () => {
  it.each(all.filter(({ ofSandbox }) => ofSandbox))('match the description: $method $path', (operation) => {
    const allowed = rolesOf(operation)
    // A user without a role sees no Team, which is answered with 404 rather than 403.
    const asked = roles.filter((role) => role !== 'none' || !allowed.includes('viewer'))
    expect(asked.filter((role) => isSent(role, operation.method, operation.path))).toEqual(
      asked.filter((role) => allowed.includes(role)),
    )
  })

  it("allow every service request that a viewer's key may send, and no other", () => {
    const other = all.filter(
      (operation) =>
        !operation.ofSandbox &&
        isSent('viewer', operation.method, operation.path) !== rolesOf(operation).includes('viewer'),
    )
    expect(other.map(({ id }) => id)).toEqual([])
  })
})

describe('a page of the dashboard', () => {
  const pages = readdirSync('dashboard/pages').filter((name) => name.endsWith('.tsx'))

  it.each(pages)('has buttons that check the key’s permission: %s', (name) => {
    expect(readFileSync(`dashboard/pages/${name}`, 'utf8')).not.toMatch(/<button\b/)
  })

  it.each(pages)('has links that keep the path of the sandbox: %s', (name) => {
    expect(readFileSync(`dashboard/pages/${name}`, 'utf8')).not.toMatch(/href=(\{`|")\/|`\/docs\//)
  })
})
