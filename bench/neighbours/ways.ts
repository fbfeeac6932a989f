/** Attacks by the owner of one world; each continues until the attacker's `over` is aborted. */
import { createSocket } from 'node:dgram'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Command } from '../processes.ts'
import type { Attacker } from './attacker.ts'
import { NAME_SERVER, withNameServer } from './name-server.ts'

export interface Way {
  readonly name: string
  /** Prepares the attack; not measured. */
  readonly prepare?: (attacker: Attacker) => Promise<void>
  readonly attack: (attacker: Attacker) => Promise<unknown>
  /** The attack ends by itself, and so does the measurement. */
  readonly once?: true
  /** Environment of the server, if it needs a special one. */
  readonly within?: (server: Command) => Command
}

const payment = (more: object = {}) => ({
  amount: 2,
  phone_number: '254712345678',
  provider: 'm-pesa',
  network_code: '63902',
  account_id: 63,
  ...more,
})
const pay = (attacker: Attacker, more?: object) => attacker.send('POST', '/api/v2/payments', payment(more))

/** Repeats `work`, `count` at a time. */
const repeat = ({ over }: Attacker, atOnce: number, work: () => Promise<unknown>) =>
  Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (!over.aborted) await work()
    }),
  )

/** Makes `count` payments that stay queued. */
async function queue(attacker: Attacker, count: number, more?: object): Promise<void> {
  await attacker.send('POST', '/sandbox/clock/freeze', {})
  for (let made = 0; made < count; made += 100)
    await Promise.all(Array.from({ length: 100 }, () => pay(attacker, more)))
}

const path = (attacker: Attacker, method: string, where: string, atOnce = 4) =>
  repeat(attacker, atOnce, () => attacker.send(method, where))

/** Fills the request log with bodies of the maximum size. */
async function fillJournal(attacker: Attacker): Promise<void> {
  const filler = { x: 'y'.repeat(60_000) }
  for (let sent = 0; sent < 1_000; sent += 50)
    await Promise.all(Array.from({ length: 50 }, () => pay(attacker, filler)))
}

/** Adds `count` e-mails to the export of a world. */
async function exportWith(attacker: Attacker, mails: number): Promise<string> {
  const world = JSON.parse((await attacker.ask('GET', '/sandbox/export')).text) as {
    rows: Record<string, object[]>
  }
  world.rows.mails = Array.from({ length: mails }, (_, id) => ({
    id: id + 1,
    to: `somebody-${id}@shop.example`,
    subject: 'You were invited to a Team',
    text: 'You were invited to a Team. '.repeat(8),
    link: 'http://127.0.0.1/invites/none',
    sent_at: 1_781_352_000_000,
  }))
  return JSON.stringify(world)
}

const imported = { text: '' }
const importMails = async (attacker: Attacker) => {
  // With the original rows, the import would exceed its size limit.
  await attacker.send('POST', '/sandbox/reset')
  if (imported.text === '') imported.text = await exportWith(attacker, 120_000)
  await attacker.send('POST', '/sandbox/import', imported.text)
}
const hanging = { port: 0 }

/** A receiver that accepts requests and never responds. */
async function hang(attacker: Attacker): Promise<void> {
  const server = createServer(() => {}).listen(0, '127.0.0.1')
  await once(server, 'listening')
  hanging.port = (server.address() as AddressInfo).port
  attacker.over.addEventListener('abort', () => {
    server.close()
    server.closeAllConnections()
  })
}

/** A name server that never responds. */
async function hangNameServer(attacker: Attacker): Promise<void> {
  const server = createSocket('udp4').bind(53, NAME_SERVER)
  await once(server, 'listening')
  attacker.over.addEventListener('abort', () => server.close())
}

export const ways: readonly Way[] = [
  { name: 'nothing', attack: async () => {} },
  {
    name: 'payments from 32 connections',
    attack: (attacker) => repeat(attacker, 32, () => pay(attacker)),
  },
  {
    name: 'a pattern that backtracks',
    prepare: (attacker) => pay(attacker, { external_reference: `${'a'.repeat(32)}!` }).then(() => {}),
    attack: (attacker) =>
      repeat(attacker, 4, () =>
        attacker.send('POST', '/sandbox/requests/find', { reference: { matches: '^(a+)+$' } }),
      ),
  },
  {
    name: '50 waiters over a full journal, and payments',
    prepare: fillJournal,
    attack: (attacker) =>
      Promise.all([
        repeat(attacker, 50, () =>
          attacker.send('GET', '/sandbox/requests/wait?reference=never&timeout=30s'),
        ),
        repeat(attacker, 4, () => pay(attacker)),
      ]),
  },
  {
    name: '50 conditions on bodies of 60 KB',
    prepare: fillJournal,
    attack: (attacker) =>
      repeat(attacker, 4, () =>
        attacker.send(
          'POST',
          '/sandbox/requests/count',
          Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`body.field${n}`, { not: 'there' }])),
        ),
      ),
  },
  {
    name: 'settling 10,000 payments',
    once: true,
    prepare: (attacker) => queue(attacker, 10_000),
    attack: (attacker) => attacker.send('POST', '/sandbox/settle'),
  },
  {
    name: 'advancing over 10,000 payments',
    once: true,
    prepare: (attacker) => queue(attacker, 10_000),
    attack: (attacker) => attacker.send('POST', '/sandbox/clock/advance', { by: '72h' }),
  },
  {
    name: 'a scenario of 300 KB of YAML',
    attack: (attacker) => {
      const keys = Array.from({ length: 20_000 }, (_, n) => `wrong_key_${n}: 1`).join('\n')
      return repeat(attacker, 4, () =>
        attacker.send('PUT', '/sandbox/scenarios/wrong', `title: wrong\n${keys}\n`, 'application/yaml'),
      )
    },
  },
  {
    name: 'refused requests of 1 MB',
    attack: (attacker) => {
      const large = { ...payment(), amount: 'none', x: 'y'.repeat(1_000_000) }
      return repeat(attacker, 4, () => attacker.send('POST', '/api/v2/payments', large))
    },
  },
  {
    name: 'imports of 46 MB',
    prepare: importMails,
    attack: (attacker) => repeat(attacker, 1, () => attacker.send('POST', '/sandbox/import', imported.text)),
  },
  {
    name: 'exports of that',
    prepare: importMails,
    attack: (attacker) => path(attacker, 'GET', '/sandbox/export', 2),
  },
  {
    name: 'the outbox of 120,000 mails',
    prepare: importMails,
    attack: (attacker) => path(attacker, 'GET', '/sandbox/outbox'),
  },
  {
    name: 'snapshots taken and restored',
    prepare: async (attacker) => {
      await importMails(attacker)
      await attacker.send('POST', '/sandbox/snapshots', {})
    },
    attack: (attacker) => path(attacker, 'POST', '/sandbox/snapshots/1/restore', 1),
  },
  { name: 'ledger of 60,000 payments', attack: (attacker) => path(attacker, 'GET', '/sandbox/ledger') },
  {
    name: 'timelines among 60,000 payments',
    attack: (attacker) => path(attacker, 'GET', '/sandbox/transactions/order-7/timeline'),
  },
  {
    name: 'archives of a full journal',
    prepare: fillJournal,
    attack: (attacker) => path(attacker, 'GET', '/sandbox/requests/har'),
  },
  {
    name: '2,000 callbacks to receivers that hang',
    prepare: hang,
    attack: async (attacker) => {
      await attacker.send('POST', '/sandbox/clock/resume', {})
      const callback_url = `http://127.0.0.1:${hanging.port}/never`
      for (let made = 0; made < 2_000; made += 100)
        await Promise.all(Array.from({ length: 100 }, () => pay(attacker, { callback_url })))
    },
  },
  {
    name: '2,000 callbacks to names that are never found',
    within: withNameServer,
    prepare: (attacker) => hangNameServer(attacker),
    attack: async (attacker) => {
      for (let made = 0; made < 2_000; made += 100)
        await Promise.all(
          Array.from({ length: 100 }, (_, n) =>
            pay(attacker, { callback_url: `http://hangs-${made + n}.example.com/never` }),
          ),
        )
      await repeat(attacker, 4, () => pay(attacker))
    },
  },
]
