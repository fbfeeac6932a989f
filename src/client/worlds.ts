/** The worlds there are, and what the owner of one keeps: keys, snapshots, certification reports, mails. */
import { listOf, pagesOf } from './pages.ts'
import type { Transport } from './transport.ts'
import type { Snapshot, WorldClient } from './types.ts'

/** `world.worlds`. */
export const worldsOf = (transport: Transport): WorldClient['worlds'] => ({
  list: async (search) =>
    (await pagesOf(transport, 'listWorlds', 'worlds', { query: { search } })).toReversed().flat(),
  show: (world) => transport.call('getWorld', { path: { world } }),
  configure: (world, body) => transport.call('updateWorld', { path: { world }, body }),
  delete: async (world) => void (await transport.call('deleteWorld', { path: { world } })),
})

/** `world.apiKeys`. */
export const apiKeysOf = (transport: Transport): WorldClient['apiKeys'] => ({
  list: async () => (await pagesOf(transport, 'listApiKeys', 'api_keys')).toReversed().flat(),
  create: (body = {}) => transport.call('createApiKey', { body }),
  revoke: async (username) => void (await transport.call('revokeApiKey', { path: { username } })),
})

const pathOf = (snapshot: Snapshot | number) => ({
  path: { id: typeof snapshot === 'number' ? snapshot : snapshot.id },
})

/** `world.snapshots`. */
export const snapshotsOf = ({ call }: Transport): WorldClient['snapshots'] => ({
  take: (name) => call('createSnapshot', { body: name === undefined ? {} : { name } }),
  list: async () => (await call('listSnapshots')).snapshots,
  restore: async (snapshot) => void (await call('restoreSnapshot', pathOf(snapshot))),
  delete: async (snapshot) => void (await call('deleteSnapshot', pathOf(snapshot))),
})

/** `world.certifications`. */
export const certificationsOf = (transport: Transport): WorldClient['certifications'] => ({
  make: (subject) =>
    transport.call('createCertificationReport', { body: subject === undefined ? {} : { subject } }),
  list: () => listOf(transport, 'listCertificationReports', 'certifications'),
  get: (id) => transport.call('getCertificationReport', { path: { id } }),
})

/** `world.outbox`: the mails that were written. */
export const outboxOf = (transport: Transport): WorldClient['outbox'] => ({
  list: (to) => listOf(transport, 'listMails', 'mails', { query: { to } }),
  get: (id) => transport.call('getMail', { path: { id } }),
  delete: async (id) => void (await transport.call('deleteMail', { path: { id } })),
  clear: async () => void (await transport.call('clearOutbox')),
})
