import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { describe, expect, it } from 'vitest'
import { lintDescription } from '../../openapi/read-description.ts'
import { operationsOf } from '../../src/pages/viewer/description.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startSandbox } from '../support/sandbox.ts'

const { sandbox } = await startSandbox({ SANDBOX_SETTLE_AFTER: '0' })
const origin = 'http://127.0.0.1:8080'
const get = async (path: string) => {
  const answer = await sandbox.fetch(new Request(`${origin}${path}`))
  expect(answer.status).toBe(200)
  return answer.text()
}

interface Written {
  readonly name: string
  readonly method: string
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string | undefined
}

/** The requests of a file in the form that JetBrains IDEs and the REST Client of VS Code share. */
function requestsIn(text: string): readonly Written[] {
  const variables = new Map([...text.matchAll(/^@(\w+) = (.*)$/gm)].map(([, name, value]) => [name!, value!]))
  const filled = text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => variables.get(name) ?? `no ${name}`)
  return filled
    .split(/^### .*\n/m)
    .slice(1)
    .map((part) => {
      const [head = '', ...body] = part.trim().split('\n\n')
      const [name = '', first = '', ...lines] = head.split('\n')
      const [method = '', url = ''] = first.split(' ')
      const headers = Object.fromEntries(lines.map((line) => line.split(': ') as [string, string]))
      return {
        name: name.replace('# @name ', ''),
        method,
        url,
        headers,
        body: body.join('\n\n') || undefined,
      }
    })
}

/** Sends one as an editor does, which makes the value of `Basic name password`. */
function send({ method, url, headers, body }: Written) {
  const [, username, password] = /^Basic (\S+) (\S+)$/.exec(headers['Authorization'] ?? '') ?? []
  const authorization: Record<string, string> =
    username === undefined ? {} : { Authorization: `Basic ${btoa(`${username}:${password}`)}` }
  // Whoever reads the file waits as long as the sandbox does by default.
  const at = /\/wait(\?|$)/.test(url) ? `${url}${url.includes('?') ? '&' : '?'}timeout=0` : url
  const request = new Request(at, {
    method,
    headers: { ...headers, ...authorization },
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(30_000),
  })
  return sandbox.fetch(request)
}

describe('/docs/collections/service.http', () => {
  it('contains every operation, and all succeed in order', async () => {
    const requests = requestsIn(await get('/docs/collections/service.http'))
    const { paths } = JSON.parse(await get('/openapi.json'))
    const names = operationsOf(paths).map(({ operation }) => operation.operationId)
    expect(requests.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
    const refused = []
    for (const request of requests) {
      const answer = await send(request)
      if (answer.status >= 300) refused.push(`${request.name}: ${answer.status} ${await answer.text()}`)
    }
    expect(refused).toEqual([])
  })
})

/** After what stands above them: a phone is off, nothing is to be paid offline, the inbox was told to answer 500, no run witnessed the report. */
const unlucky = ['payFromPhone', 'payOffline', 'deliverToInbox', 'registerCertification']

describe('/docs/collections/control.http', () => {
  it('contains every operation, and each returns a declared response', async () => {
    const requests = requestsIn(await get('/docs/collections/control.http'))
    const { paths } = JSON.parse(await get('/sandbox/openapi.json'))
    const operations = new Map(operationsOf(paths).map(({ operation }) => [operation.operationId, operation]))
    expect(requests.map(({ name }) => name).toSorted()).toEqual([...operations.keys()].toSorted())
    const wrong = []
    for (const request of requests) {
      const answer = await send(request)
      const declared = Object.keys(operations.get(request.name).responses)
      // What is waited for does not come here, and what an example is about may not be here; a fault would be 400 or 500.
      const faulty = (answer.status === 400 || answer.status === 500) && !unlucky.includes(request.name)
      const good = !faulty && (declared.includes(String(answer.status)) || unlucky.includes(request.name))
      if (!good) wrong.push(`${request.name}: ${answer.status} ${await answer.text()}`)
      else await answer.body?.cancel()
    }
    expect(wrong).toEqual([])
  }, 120_000)
})

describe('the plain description', () => {
  /** Steps of a normalized JSONPath, as RFC 9535 writes it. */
  const stepsOf = (target: string) =>
    [...target.matchAll(/\['((?:[^'\\]|\\.)*)'\]|\[(\d+)\]/g)].map(([, name, index]) =>
      index === undefined ? name!.replace(/\\(.)/g, '$1') : Number(index),
    )

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- any document
  const apply = (document: any, { actions }: any) => {
    for (const { target, update, remove } of actions) {
      const steps = stepsOf(target)
      expect(
        `$${steps.map((each) => (typeof each === 'number' ? `[${each}]` : `['${each}']`)).join('')}`,
      ).toBe(target)
      const at = (to: readonly (string | number)[]) => to.reduce((part, step) => part[step], document)
      if (remove) delete at(steps.slice(0, -1))[steps.at(-1)!]
      else Object.assign(at(steps), update)
    }
    return document
  }

  it('is the result of the overlay', async () => {
    const overlay = parse(await get('/docs/collections/plain.overlay.yaml'))
    expect(overlay).toMatchObject({ overlay: '1.0.0', extends: '/openapi.json' })
    const plain = JSON.parse(await get('/docs/collections/plain.json'))
    expect(apply(JSON.parse(await get('/openapi.json')), overlay)).toEqual(plain)
    expect(parse(await get('/docs/collections/plain.yaml'))).toEqual(plain)
  })

  it('contains nothing about the sandbox, but keeps assumptions about the service', async () => {
    const text = await get('/docs/collections/plain.json')
    expect(text).not.toMatch(/sandbox|Prefer\b|scenario|127\.0\.0\.1|x-(?!provenance)/i)
    expect(text).toContain('"x-provenance": "assumed"')
    expect(text).toContain('Unknown. Do not rely on it.')
  })

  it('contains every operation, field and response, and is valid', async () => {
    const plain = JSON.parse(await get('/docs/collections/plain.json'))
    const whole = JSON.parse(await get('/openapi.json'))
    const shape = (part: unknown): unknown => {
      if (typeof part !== 'object' || part === null) return part
      if (Array.isArray(part)) return part.map(shape)
      const words = /^(x-|example)|^(description|summary)$/
      return Object.fromEntries(
        Object.entries(part).flatMap(([key, value]) =>
          (words.test(key) && typeof value !== 'object') || key.startsWith('x-') || key === 'examples'
            ? []
            : [[key, shape(value)]],
        ),
      )
    }
    expect(shape(plain.paths)).toEqual(shape(whole.paths))
    expect(shape(plain.components)).toEqual(shape(whole.components))
    const file = join(temporaryFolder(), 'plain.yaml')
    writeFileSync(file, stringify(plain))
    await lintDescription(file)
  })
})

describe('webhooks', () => {
  it('list every callback by name', async () => {
    const { paths, webhooks } = JSON.parse(await get('/openapi.json'))
    const callbacks = operationsOf(paths).flatMap(({ operation }) =>
      Object.values(operation.callbacks ?? {}).flatMap((each) => Object.values(each as object)),
    )
    expect(Object.keys(webhooks)).toEqual(['globalPaymentResult', 'collectionResult', 'withdrawalResult'])
    for (const { post } of callbacks) {
      const name = post.operationId.replace(/^receive(.)/, (_: string, first: string) => first.toLowerCase())
      expect(webhooks[name].post).toEqual({ ...post, operationId: name, tags: ['Callbacks'] })
    }
  })

  it('share no tag with an operation under `paths`', async () => {
    for (const address of ['/openapi.json', '/sandbox/openapi.json']) {
      const { paths, webhooks = {} } = JSON.parse(await get(address))
      const tagsOf = (items: object) => operationsOf(items).flatMap(({ operation }) => operation.tags)
      const taken = new Set(tagsOf(paths))
      expect(tagsOf(webhooks).filter((tag) => taken.has(tag))).toEqual([])
    }
  })

  it('are not shown by the viewer, which shows callbacks with their operations', async () => {
    const shown = JSON.parse(await get('/docs/service.json'))
    expect(shown).not.toHaveProperty('webhooks')
    expect(shown.tags.map(({ name }: { name: string }) => name)).not.toContain('Callbacks')
  })
})

describe('the viewer', () => {
  it.each([['service'], ['control']])('links from %s to the HTTP file', async (api) => {
    const { info } = JSON.parse(await get(`/docs/${api}.json`))
    expect(info.description).toContain(`docs/collections/${api}.http`)
  })
})
