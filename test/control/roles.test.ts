import { describe, expect, it } from 'vitest'
import { routesOf } from '../../openapi/document.ts'
import { controlOwnersOnly, controlReading } from '../../src/control/control.ts'
import { defaultSeed } from '../../src/worlds/default-seed.ts'
import type { Seed } from '../../src/worlds/seed.ts'
import { descriptions } from '../support/descriptions.ts'
import { requestExamples } from '../support/examples.ts'
import { collection } from '../support/requests.ts'
import { client, refused, startSandbox } from '../support/sandbox.ts'

const { document } = descriptions.find(({ name }) => name === 'control')!

/** Who may call it, by what the description says of its 403. */
const meant: Record<string, string> = {
  '#/components/responses/NotOwner': 'the owner',
  '#/components/responses/MayOnlyRead': 'who may more than read',
  none: 'everybody',
}

/** What stands in a path for what each world of these tests has. */
const inPath: Record<string, string> = {
  world: 'current',
  username: 'viewer',
  reference: 'order-1',
  '/sandbox/scenarios/{name}': 'payer-cancels',
  '/sandbox/inbox/{name}': 'default',
  '/sandbox/channels/{id}': '1501',
  '/sandbox/requests/{id}': 'req_1',
}

const filled = (path: string) =>
  path.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const before = path.slice(0, path.indexOf(whole) + whole.length)
    return inPath[before] ?? inPath[name] ?? '1'
  }) + (path.endsWith('/wait') ? '?timeout=0' : '')

/** Every operation of the sandbox's own API that happens in a world. */
const operations = routesOf(document)
  .filter(({ path }) => path.startsWith('/sandbox/'))
  .map(({ id, method, path, operation }) => {
    const refusal = operation.responses?.['403']
    const ref = refusal === undefined ? 'none' : '$ref' in refusal ? refusal.$ref : 'one of its own'
    const body = requestExamples(document).find((each) => each.route.id === id)?.value
    return { id, method, path, url: filled(path), body, may: meant[ref] ?? ref }
  })
const forWhom = (may: string) => operations.filter((each) => each.may === may)

const members = { 1: 1, 2: 2, 3: 3, 4: 4 }
const people = ['owner', 'admin', 'finance', 'viewer']
const demo = defaultSeed('owner', 'secret')
const seed: Seed = {
  ...demo,
  users: people.map((name, n) => ({
    id: n + 1,
    first_name: name,
    last_name: 'Mwangi',
    email: `${name}@demo.example`,
    organization_ids: [1],
    is_admin: n === 0,
  })),
  api_keys: people.map((username, n) => ({
    username,
    password: 'secret',
    user_id: n + 1,
    default_account_id: 63,
  })),
  teams: demo.teams.map((team) => ({ ...team, members })),
}
const { sandbox } = await startSandbox({ SANDBOX_API_USERNAME: 'owner' }, { seed })

const made = { count: 0 }
/** A world that has one of everything, and what becomes of a call there. */
async function answerTo(who: string, { method, url, path, body }: (typeof operations)[number]) {
  const name = `r${++made.count}`
  const owner = client(sandbox, `owner+${name}`, 'secret')
  await owner.post('/api/v2/payments', collection({ callback_url: 'http://receiver.test/' }))
  await owner.post('/sandbox/settle')
  await owner.post('/sandbox/snapshots')
  const as = client(sandbox, `${who}+${name}`, 'secret')[method as 'get']
  if (path !== '/sandbox/events') return as(url, body)
  // The stream does not end; its head says enough.
  const authorization = `Basic ${Buffer.from(`${who}+${name}:secret`).toString('base64')}`
  const response = await sandbox.fetch(
    new Request(`http://sandbox.test${url}`, { headers: { authorization } }),
  )
  await response.body?.cancel()
  return { status: response.status, body: undefined }
}

describe('the description', () => {
  it('says of every operation whom it is for', () => {
    expect(operations.filter(({ may }) => !Object.values(meant).includes(may))).toEqual([])
    expect(operations.length).toBeGreaterThan(50)
  })

  it('has the operations that are for the owner alone, and those that only look', () => {
    expect(
      forWhom('the owner')
        .map(({ id }) => id)
        .sort(),
    ).toEqual([...controlOwnersOnly].sort())
    const looking = forWhom('everybody').filter(({ method }) => method !== 'get')
    expect(looking.map(({ id }) => id).sort()).toEqual([...controlReading].sort())
  })
})

describe.each(['admin', 'finance', 'viewer'])('the key of a user with the role %s', (who) => {
  const id = people.indexOf(who) + 1

  it.each(forWhom('the owner'))('403 that names the owner: $method $path', async (operation) => {
    const message = `only the owner of the world may do this; user ${id} is not`
    expect(await answerTo(who, operation)).toMatchObject(refused(403, 'permission_denied', message))
  })

  const withBody = forWhom('the owner').filter(({ body }) => body !== undefined)
  it.each(withBody)('403 before the body is looked at: $method $path', async (operation) => {
    const answer = await answerTo(who, { ...operation, body: '{"broken' })
    expect(answer).toMatchObject(refused(403, 'permission_denied', /^only the owner of the world/))
  })

  const [allowed, changing] = [forWhom('everybody'), forWhom('who may more than read')]
  it.each(who === 'viewer' ? allowed : [...allowed, ...changing])(
    'is answered as the owner is: $method $path',
    async (operation) => {
      const { status } = await answerTo('owner', operation)
      expect((await answerTo(who, operation)).status).toBe(status)
      expect([401, 403, 405, 500]).not.toContain(status)
    },
  )

  it.each(who === 'viewer' ? changing : [])('403 that names who may: $method $path', async (operation) => {
    const message =
      "user 4 may only read; a change needs the key of the world's owner, or of a user who is owner, admin or finance in some Team"
    expect(await answerTo(who, operation)).toMatchObject(refused(403, 'permission_denied', message))
  })
})

describe('the key of the owner', () => {
  it.each(forWhom('the owner'))('is not refused: $method $path', async (operation) => {
    const { status } = await answerTo('owner', operation)
    expect([401, 403, 405, 500]).not.toContain(status)
  })
})
