/** Makes a client with each generator, compiles it and pays with it: checks.ts folder url-of-a-sandbox. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { check, finish, since } from '../support/suite.ts'
import { go, python, typescript } from './clients.ts'
import * as openapiGenerator from './openapi-generator.ts'
import { descriptions, NotInstalled, release, there } from './tools.ts'

const [work, url] = process.argv.slice(2) as [string, string]

function attempt(client: (work: string, url: string) => string): string | Error {
  try {
    return client(work, url)
  } catch (error) {
    return error as Error
  }
}

/** Where a running sandbox has them; those of /docs are made for the viewer. */
const addresses = {
  service: '/openapi.json',
  control: '/sandbox/openapi.json',
  extensions: '/openapi-extensions.json',
} as const
for (const each of descriptions) {
  const response = await fetch(url + addresses[each])
  assert.equal(response.status, 200)
  writeFileSync(join(work, `${each}.json`), await response.text())
}

const hasGo = there('go', 'version')
const hasJava = there('javac', '-version') && there('mvn', '-version')

const generators = [
  {
    name: `${release('openapi-typescript')} with ${release('openapi-fetch')}`,
    client: typescript,
    has: true,
  },
  { name: release('openapi-python-client'), client: python, has: there('python3', '-c', 'import ensurepip') },
  { name: release('oapi-codegen'), client: go, has: hasGo },
  { name: `${release('openapi-generator')} for Java`, client: openapiGenerator.java, has: hasJava },
  { name: `${release('openapi-generator')} for Go`, client: openapiGenerator.go, has: hasJava && hasGo },
]
for (const { name, client, has } of generators) {
  if (!has) {
    console.log(`skipped ${name}: its language is not on this machine`)
    continue
  }
  const from = performance.now()
  const paid = attempt(client)
  if (paid instanceof NotInstalled) console.log(`skipped ${name}: it could not be installed: ${paid.message}`)
  else
    await check(name, () => {
      if (paid instanceof Error) throw paid
      assert.equal(paid.trim().toLowerCase(), 'success')
      return since(from)
    })
}
finish()
