import assert from 'node:assert/strict'
import { createRandom } from '../../src/lib/random/random.ts'
import { emptyDatabase, runSql } from '../support/postgres.ts'
import { PostgresServer } from '../support/postgres-server.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { shiftedBy } from './clocks-apart.ts'
import { Hopper, REMEMBERED, remembered, requireOrder, requireSame } from './events-over-processes.ts'
import { Group } from './group.ts'
import { type Answer, ask, pause, type Sandbox, startMove, startReceiver, until } from './processes.ts'

/** How long clients act amid faults, and between two faults, milliseconds. */
const LASTS = { full: 300_000, soon: 20_000 }
const FAULT_EVERY = 2_500
/** Longer than the lease of an owner. */
const SLEEP = 6_000
const SECOND = 1_000
const HOUR = 3_600_000
/** Acts and faults that a failure shows. */
const SHOWN = 100

/**
 * Clients act through two processes, of which one forwards to the other, while processes are killed and put to sleep beyond
 * their leases, the database restarts and loses connections, and the machines' clocks are an hour apart. What a client has seen
 * or was confirmed, no later response of any process may contradict. `SEED` repeats the order of faults.
 */
export async function history(_: string, { full }: { readonly full: boolean }): Promise<string> {
  const server = await PostgresServer.start()
  const proxy = await startProxy(server.url)
  const end = () => {
    proxy.close()
    server.remove()
  }
  const restart = async () => {
    server.kill()
    await pause(200)
    server.start()
  }
  return withFaults(proxy.url, [async () => proxy.cut(), restart], full, end)
}

const AWAY = 3_000
const WORLDS = ['demo', 'demo+register', 'demo+clock', 'demo+keys', 'demo+snapshots', 'demo+lease']

/** The same over two databases, which are away at times, while worlds are moved between them by commands that are killed at times. */
export async function shards(home: string, { full }: { readonly full: boolean }): Promise<string> {
  const proxies = [await startProxy(home), await startProxy(await emptyDatabase())]
  const urls = proxies.map(({ url }) => url).join()
  let [tried, moved, said] = [0, 0, '']
  const move = async (draw: Draw, isKilled = draw(2) === 0) => {
    const moving = startMove(urls, WORLDS[draw(WORLDS.length)]!, 1 + draw(2))
    tried += 1
    // It takes about a second to start.
    if (isKilled) await Promise.race([moving.ended, pause(700 + draw(900)).then(() => moving.kill())])
    const { code, output } = await moving.ended
    said = output
    if (code === 0) moved += 1
    else if (code !== null)
      assert.match(output, /cannot be reached|send it again|move it again|not been reached|does not lead/)
  }
  const leave = async (draw: Draw) => {
    const proxy = proxies[draw(2)]!
    proxy.refuse(true)
    await pause(AWAY)
    proxy.refuse(false)
  }
  const cut = async (draw: Draw) => proxies[draw(2)]!.cut()
  const end = () => proxies.forEach((proxy) => proxy.close())
  const figures = await withFaults(urls, [move, leave, move, cut], full, end, async (draw) => {
    await move(draw, false)
    assert.equal(moved, 1, `the first move failed: ${said}`)
  })
  return `${figures}; ${moved} of ${tried} moves done`
}

type Draw = (size: number) => number

/**
 * @param faults - Those of the databases.
 * @param begin - Called before the first fault.
 */
async function withFaults(
  database: string,
  faults: readonly ((draw: Draw) => Promise<void>)[],
  full: boolean,
  finish: () => void,
  begin: (draw: Draw) => Promise<void> = async () => {},
): Promise<string> {
  const seed = process.env['SEED'] ?? String(Date.now())
  const random = createRandom(seed)
  let drawn = 0
  const draw = (size: number) => Math.floor(random.fraction('history', ++drawn) * size)
  const receiver = await startReceiver()
  // A machine whose clock is right, one that is ahead, one that is behind, and so on.
  const clocks = [0, HOUR, -HOUR]
  const group = await Group.start(database, receiver.url, clocks.length - 1, (started) => ({
    NODE_OPTIONS: shiftedBy(clocks[started % clocks.length]!),
  }))
  let [isOver, acts, caused] = [false, 0, 0]
  const began = performance.now()
  const acted: string[] = []
  const note = (text: string) => {
    acted.push(`${((performance.now() - began) / SECOND).toFixed(3)} ${text}`)
    if (acted.length > SHOWN) acted.shift()
  }
  const act = async (method: string, path: string, body?: unknown, user?: string) => {
    const [act, member] = [++acts, draw(group.members.length)]
    note(`#${act} ${user} at ${member}: ${method} ${path} ${JSON.stringify(body)}`)
    const answer = await ask(group.members[member]!, method, path, body, user)
    note(`#${act} ${user}: ${JSON.stringify(answer)?.slice(0, 600)}`)
    return answer
  }
  const clients = [register, clock, keys, snapshots, leases].map((client) => client(act, () => isOver))
  // A failed client ends the check at once.
  const failed = Promise.all(clients)
  const paying = group.payUntil(() => isOver, 3)
  const hopper = new Hopper(group.members)
  let isHeard = false
  const hopping = hopper.hopUntil(() => isHeard)
  try {
    await Promise.race([failed, pause(FAULT_EVERY)])
    await begin(draw)
    const end = performance.now() + (full ? LASTS.full : LASTS.soon)
    while (performance.now() < end) {
      await Promise.race([failed, pause(FAULT_EVERY)])
      const fault = draw(2 + faults.length)
      note(`fault ${fault} begins`)
      await Promise.race([failed, cause(fault)])
      note(`fault ${fault} ends`)
      caused += 1
    }
    await until('a process is ready', 30, () => group.isReady())
    isOver = true
    await Promise.all([failed, paying])
    acts += group.accepted.size + group.unsure.size
    const there = await group.requireWhole(120)
    await until('all are called back', 60, () => receiver.received.size === there)
    receiver.requireOnce()
    await requireHeard()
    return `${acts} acts amid ${caused} faults, ${there} payments there, ${hopper.heard.length} events heard over ${hopper.hops} hops: nothing lost, doubled, stale or stuck`
  } catch (error) {
    const state = (await Promise.all(database.split(',').map(stateOf))).join('\n')
    throw new Error(
      `${acted.join('\n')}\n${state}\nFAILED with SEED=${seed}: ${String((error as Error).stack)}`,
      { cause: error },
    )
  } finally {
    isOver = isHeard = true
    await group.end()
    receiver.close()
    finish()
  }

  /** Compares what a client heard of the default world, now from one process and now from another, with what each remembers. */
  async function requireHeard(): Promise<void> {
    await until('nothing happens any more', 60, async () => {
      const before = hopper.heard.at(-1)!.id
      await pause(1_500)
      return before === hopper.heard.at(-1)!.id
    })
    isHeard = true
    await hopping
    requireOrder(hopper.heard)
    const lately = hopper.heard.slice(-REMEMBERED)
    for (const [n, member] of group.members.entries())
      requireSame(`process ${n}`, (await remembered(member, lately.at(-1)!.id)).slice(-lately.length), lately)
  }

  async function cause(fault: number): Promise<void> {
    const victim = draw(group.members.length)
    if (fault === 0) await group.replace(victim)
    else if (fault === 1) await sleep(group.members[victim]!)
    else await faults[fault - 2]!(draw)
  }
}

/** Returns where a database has the worlds, who owns them, and which statements run or wait. */
async function stateOf(url: string): Promise<string> {
  const queries = [
    'select name, owner, life, version from worlds',
    'select world, shard, move from places',
    'select world, move, at from arrivals',
    'select id, address, until - clock_timestamp() as left from runners',
    'select *, extract(epoch from clock_timestamp()) * 1000 as now from job_owners',
    'select * from cards where pending > 0',
    `select world, count(*), max(version) from log group by world`,
    `select pid, state, wait_event, clock_timestamp() - xact_start as age, left(query, 200) as query
       from pg_stat_activity where datname = current_database() and state <> 'idle'`,
  ]
  const rows = await Promise.all(queries.map((query) => runSql(query, url).catch(String)))
  return rows.map((each) => JSON.stringify(each)).join('\n')
}

async function sleep(process: Sandbox): Promise<void> {
  process.signal('SIGSTOP')
  await pause(SLEEP)
  process.signal('SIGCONT')
}

type Act = (method: string, path: string, body?: unknown, user?: string) => Promise<Answer | undefined>
type Client = (act: Act, isOver: () => boolean) => Promise<void>

const isUnsure = (answer: Answer | undefined) => answer === undefined || answer.status === 503

/** One client writes ascending numbers; others never read less than was confirmed, or less than they have read. */
const register: Client = async (act, isOver) => {
  const user = 'demo+register:demo'
  let [tried, confirmed] = [0, 0]
  const writer = async () => {
    while (!isOver()) {
      const answer = await act('PATCH', '/sandbox/worlds/current', { name: `n ${++tried}` }, user)
      if (answer?.status === 200) confirmed = tried
      else assert.ok(isUnsure(answer), `the register was answered ${JSON.stringify(answer)}`)
    }
  }
  const reader = async () => {
    for (let [seen, least] = [0, 0]; !isOver(); least = Math.max(seen, confirmed)) {
      const answer = await act('GET', '/sandbox/worlds/current', undefined, user)
      if (answer?.status !== 200) continue
      seen = Number(/^n (\d+)$/.exec(String(answer.body.name))?.[1] ?? 0)
      assert.ok(seen >= least && seen <= tried, `${seen} was read where ${least} to ${tried} were written`)
    }
  }
  await Promise.all([writer(), reader(), reader()])
}

/** A frozen clock moves by what was advanced: at least what was confirmed, and at most what was tried. */
const clock: Client = async (act, isOver) => {
  const user = 'demo+clock:demo'
  const read = async () => Date.parse((await act('GET', '/sandbox/clock', undefined, user))?.body.now)
  await until('the clock is frozen', 30, async () => {
    return (await act('POST', '/sandbox/clock/freeze', {}, user))?.status === 200
  })
  let began = await read()
  while (Number.isNaN(began)) began = await read()
  for (let [confirmed, tried] = [0, 0]; !isOver();) {
    tried += 1
    const answer = await act('POST', '/sandbox/clock/advance', { by: '1s' }, user)
    if (answer?.status === 200) confirmed += 1
    else assert.ok(isUnsure(answer), `the clock was answered ${JSON.stringify(answer)}`)
    const moved = (await read()) - began
    if (Number.isNaN(moved)) continue
    const isTrue = moved >= confirmed * SECOND && moved <= tried * SECOND
    assert.ok(isTrue, `the clock moved ${moved} ms where ${confirmed} to ${tried} s were advanced`)
    // The outcome of a lost advance is what was read.
    confirmed = tried = moved / SECOND
  }
}

/** A key is accepted by every process once it is created, and by none once it is revoked. */
const keys: Client = async (act, isOver) => {
  const owner = 'demo+keys:demo'
  while (!isOver()) {
    const made = await act('POST', '/sandbox/api-keys', {}, owner)
    if (made?.status !== 201) continue
    const user = `${made.body.username}:${made.body.password}`
    const use = async () => (await act('GET', '/sandbox/clock', undefined, user))?.status
    const used = await use()
    assert.ok(used === undefined || [200, 503].includes(used), `a new key is answered ${used}`)
    const path = `/sandbox/api-keys/${made.body.username}`
    await until('a key is revoked', 60, async () => {
      const answer = await act('DELETE', path, undefined, owner)
      return answer !== undefined && [200, 204, 404].includes(answer.status)
    })
    const after = await use()
    assert.ok(after === undefined || [401, 503].includes(after), `a revoked key is answered ${after}`)
  }
}

/** A restored snapshot has the name that the world had, and no later one. */
const snapshots: Client = async (act, isOver) => {
  const user = 'demo+snapshots:demo'
  const until200 = (what: string, method: string, path: string, body?: unknown) => {
    let answer: Answer | undefined
    return until(what, 60, async () => {
      answer = await act(method, path, body, user)
      return answer !== undefined && answer.status < 300
    }).then(
      () => answer!.body,
      (error: Error) => {
        throw new Error(`${error.message}: ${JSON.stringify(answer)}`, { cause: error })
      },
    )
  }
  for (let n = 0; !isOver(); n += 1) {
    await until200('a name is set', 'PATCH', '/sandbox/worlds/current', { name: `before ${n}` })
    const { id } = await until200('a snapshot is taken', 'POST', '/sandbox/snapshots', { name: `s ${n}` })
    await until200('a name is set', 'PATCH', '/sandbox/worlds/current', { name: `after ${n}` })
    await until200('it is restored', 'POST', `/sandbox/snapshots/${id}/restore`)
    const { name } = await until200('the world is read', 'GET', '/sandbox/worlds/current')
    assert.equal(name, `before ${n}`)
    await act('DELETE', `/sandbox/snapshots/${id}`, undefined, user)
  }
}

/** At most one holds the lease of a world until it ends, and who holds it can renew it. */
const leases: Client = async (act, isOver) => {
  const user = 'demo+lease:demo'
  const duration = '5s'
  let held: { until: number } | undefined
  const left = (lease: { readonly until: number }) => lease.until - Date.now()
  const contend = async (holder: string) => {
    while (!isOver()) {
      const taken = await act('PUT', '/sandbox/lease', { holder, duration }, user)
      assert.ok(isUnsure(taken) || [200, 409].includes(taken!.status), `a lease: ${JSON.stringify(taken)}`)
      if (taken?.status !== 200) {
        await pause(50)
        continue
      }
      const own = { until: Date.parse(taken.body.until) }
      if (left(own) <= 0) continue
      assert.ok(
        !held || left(held) <= 0,
        `${holder} has a lease that another has for ${held && left(held)} ms`,
      )
      held = own
      const { token } = taken.body
      const renewed = await act('PUT', '/sandbox/lease', { token, duration }, user)
      if (renewed?.status === 200) own.until = Date.parse(renewed.body.until)
      else assert.ok(isUnsure(renewed) || left(own) <= 0, `a held lease: ${JSON.stringify(renewed)}`)
      // It may end before the response does.
      if (held === own) held = undefined
      await act('DELETE', `/sandbox/lease?token=${token}`, undefined, user)
    }
  }
  await Promise.all(['first', 'second', 'third'].map(contend))
}
