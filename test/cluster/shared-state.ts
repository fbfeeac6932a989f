import assert from 'node:assert/strict'
import { ask, pause, type Sandbox, startSandbox, until } from './processes.ts'

const MINUTE = 60_000
const LIMIT = 60
const MOST_WORLDS = 8
/** Milliseconds between two resets. */
const RESETS_EVERY = 2_000

const SETTINGS = {
  SANDBOX_RATE_LIMIT: String(LIMIT),
  SANDBOX_MAX_WORLDS: String(MOST_WORLDS),
  SANDBOX_RESET_CRON: '*/2 * * * * *',
}

/** State shared by all processes: settings, limits, resets, the number of worlds, the list of processes. */
export async function sharedState(database: string): Promise<string> {
  const began = Date.now()
  const all: Sandbox[] = []
  try {
    for (const settle_after of ['1s', '1s', '5s'])
      all.push(await startSandbox(database, { ...SETTINGS, SANDBOX_SETTLE_AFTER: settle_after }))
    await differencesAreTold(all)
    await settingsAreOne(all, database)
    const worlds = await makeWorlds(all)
    const made = worlds.length
    const through = await withinAMinute(worlds, (user) => askOften(all, user, LIMIT * 3))
    assert.ok(through <= LIMIT && through >= LIMIT - 2 * Math.ceil(LIMIT / 8), `${through} got through`)
    const alone = await withinAMinute(worlds, (user) => askOften(all.slice(0, 1), user, LIMIT + 20))
    assert.equal(alone, LIMIT)
    const resets = await resetsOf(all[1]!)
    const most = (Date.now() - began) / RESETS_EVERY + 1
    assert.ok(resets >= 2 && resets <= most, `${resets} resets where there may be ${most}`)
    return `${through} of ${LIMIT} a minute over three, ${LIMIT} by one alone; ${made} of ${MOST_WORLDS - 1} worlds made at once; ${resets} resets in ${Math.round((Date.now() - began) / 1000)} s`
  } finally {
    for (const member of all) member.signal('SIGKILL')
    await Promise.all(all.map(({ ended }) => ended))
  }
}

async function differencesAreTold([first]: readonly Sandbox[]): Promise<void> {
  const listed = async () => (await ask(first!, 'GET', '/__admin/processes'))!.body.processes
  await until('each has said that it is there', 20, async () => (await listed()).length === 3)
  const differs = (await listed()).map((each: { differences: string[] }) => each.differences.join())
  assert.deepEqual(differs.toSorted(), ['', '', 'SANDBOX_SETTLE_AFTER'])
}

/** Settings of one process apply soon in the others, and in new ones. */
async function settingsAreOne(all: Sandbox[], database: string): Promise<void> {
  const validation = async (member: Sandbox) =>
    (await ask(member, 'GET', '/sandbox/worlds/current', undefined, 'viewer:viewer'))?.body.settings
      ?.validation
  const changed = await ask(all[0]!, 'PATCH', '/__admin/settings', { validation: 'lenient' })
  assert.equal(changed!.status, 200)
  for (const member of all)
    await until('all are lenient', 5, async () => (await validation(member)) === 'lenient')
  all[0]!.signal('SIGKILL')
  await all[0]!.ended
  all[0] = await startSandbox(database, { ...SETTINGS, SANDBOX_SETTLE_AFTER: '1s' })
  await until('it is lenient still', 5, async () => (await validation(all[0]!)) === 'lenient')
}

/**
 * Counts the requests with a fresh key that get through in one minute of the limit, with another key if the minute ends meanwhile.
 * @param users - Keys without requests.
 */
async function withinAMinute(users: string[], count: (user: string) => Promise<number>): Promise<number> {
  for (let user = users.shift(); user !== undefined; user = users.shift()) {
    const into = Date.now() % MINUTE
    if (into > MINUTE * 0.7) await pause(MINUTE - into + 500)
    const began = Math.floor(Date.now() / MINUTE)
    const through = await count(user)
    if (Math.floor(Date.now() / MINUTE) === began) return through
  }
  throw new Error('no requests were sent within one minute')
}

/** Returns the users of keys that have no requests yet, one in each world. */
async function makeWorlds(all: readonly Sandbox[]): Promise<string[]> {
  const answers = await Promise.all(
    Array.from({ length: 3 * MOST_WORLDS }, (_, n) =>
      ask(all[n % all.length]!, 'GET', '/api/v2/account/63', undefined, `demo+w${n}:demo`),
    ),
  )
  const statuses = answers.map((answer) => answer?.status)
  const made = statuses.filter((status) => status === 200).length
  assert.equal(made, MOST_WORLDS - 1, `the answers were ${statuses.join()}`)
  const { body } = (await ask(all[0]!, 'GET', '/__admin/worlds'))!
  assert.equal(body.total, MOST_WORLDS)
  const names = body.worlds.map((each: { name: string }) => each.name) as string[]
  const keys = names.filter((name) => name.startsWith('demo+')).map((name) => makeKey(all[0]!, name))
  return Promise.all(keys)
}

async function makeKey(sandbox: Sandbox, name: string): Promise<string> {
  const { body } = (await ask(sandbox, 'POST', '/sandbox/api-keys', {}, `${name}:demo`))!
  return `${body.username}:${body.password}`
}

/** Returns how many of several requests of one user get through. */
async function askOften(members: readonly Sandbox[], user: string, times: number): Promise<number> {
  let [asked, through] = [0, 0]
  const client = async () => {
    while (asked < times) {
      const member = members[asked++ % members.length]!
      const answer = await ask(member, 'GET', '/api/v2/account/63', undefined, user)
      assert.ok(answer?.status === 200 || answer?.status === 429, `answered ${answer?.status}`)
      if (answer.status === 200) through += 1
    }
  }
  await Promise.all(Array.from({ length: 6 }, client))
  return through
}

/** Number since the world was created. */
async function resetsOf({ url }: Sandbox): Promise<number> {
  const response = await fetch(`${url}/sandbox/events?after=0`, {
    headers: { authorization: `Basic ${btoa('viewer:viewer')}` },
  })
  let text = ''
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  const end = pause(2_000).then(() => reader.cancel())
  for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value
  await end
  return text.split('\n').filter((line) => line === 'event: reset').length
}
