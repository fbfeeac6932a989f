/** The worlds there are, and what the owner of one keeps: keys, snapshots, certification reports, mails, the audit. */
import { listOf, pagesOf } from './lists.ts'
import type { FilterOf } from './operations.ts'
import type { Transport } from './transport.ts'
import type {
  ApiKey,
  CertificationReport,
  CertificationReportSummary,
  CreateApiKeyRequest as NewApiKey,
  CreatedApiKey,
  Mail,
  Snapshot,
  World as WorldView,
  WorldSettingsChange,
} from '../generated/control/types.ts'

/**
 * A world as it was, to go back to.
 * @example
 * ```ts
 * import type { SnapshotsClient } from 'payments-sandbox'
 *
 * const undone = async (snapshots: SnapshotsClient, change: () => Promise<unknown>) => {
 *   const before = await snapshots.take('before')
 *   await change()
 *   await snapshots.restore(before)
 * }
 * const shop = await world.world()
 * await undone(shop.snapshots, () => shop.clock.advance('1h'))
 * ```
 */
export interface SnapshotsClient {
  take(name?: string): Promise<Snapshot>
  list(): Promise<readonly Snapshot[]>
  restore(snapshot: Snapshot | number): Promise<void>
  delete(snapshot: Snapshot | number): Promise<void>
}

/**
 * Reports of what an integration has proved.
 * @example
 * ```ts
 * import type { CertificationsClient } from 'payments-sandbox'
 *
 * const subjectOf = async (certifications: CertificationsClient) => {
 *   const { id } = await certifications.make('shop')
 *   const { payload } = await certifications.get(id)
 *   return JSON.parse(Buffer.from(payload, 'base64url').toString()).subject
 * }
 * await subjectOf(world.certifications) // => 'shop'
 * ```
 */
export interface CertificationsClient {
  /** Judges the record now. @param subject what the shop is called; the world's id when left out */
  make(subject?: string): Promise<CertificationReport>
  /** Newest first. */
  list(): Promise<readonly CertificationReportSummary[]>
  get(id: number): Promise<CertificationReport>
}

/**
 * The API keys of a world.
 * @example
 * ```ts
 * import type { ApiKeysClient } from 'payments-sandbox'
 *
 * const another = async (apiKeys: ApiKeysClient) => {
 *   const before = await apiKeys.list()
 *   await apiKeys.create()
 *   const after = await apiKeys.list()
 *   return after.length - before.length
 * }
 * const shop = await world.world()
 * await another(shop.apiKeys) // => 1
 * ```
 */
export interface ApiKeysClient {
  list(): Promise<readonly ApiKey[]>
  create(key?: NewApiKey): Promise<CreatedApiKey>
  revoke(username: string): Promise<void>
}

/**
 * The mails that the service sends.
 * @example
 * ```ts
 * import type { OutboxClient } from 'payments-sandbox'
 *
 * const subjects = async (outbox: OutboxClient) => {
 *   const mails = await outbox.list('ada@example.com')
 *   return mails.map(({ subject }) => subject)
 * }
 * await subjects(world.outbox) // => []
 * ```
 */
export interface OutboxClient {
  /** Newest first. */
  list(to?: string): Promise<readonly Mail[]>
  get(id: number): Promise<Mail>
  delete(id: number): Promise<void>
  clear(): Promise<void>
}

/**
 * The world of the key, and those that its owner made.
 * @example
 * ```ts
 * import type { WorldsClient } from 'payments-sandbox'
 *
 * const idsOf = async (worlds: WorldsClient) => {
 *   const all = await worlds.list()
 *   return all.map(({ id }) => id)
 * }
 * const shop = await world.world()
 * const { id } = await shop.show()
 * const ids = await idsOf(world.worlds)
 * ids.includes(id) // => true
 * ```
 */
export interface WorldsClient {
  /** Oldest first. @param search a part of the name or the id */
  list(search?: string): Promise<readonly WorldView[]>
  /** @param id or the name */
  show(id: string): Promise<WorldView>
  configure(id: string, change: WorldSettingsChange): Promise<WorldView>
  delete(id: string): Promise<void>
}

/**
 * Which entries of the audit are meant.
 * @example
 * ```ts
 * import type { AuditFilter } from 'payments-sandbox'
 *
 * const keys: AuditFilter = { operation: 'createApiKey' }
 * const shop = await world.world()
 * await shop.apiKeys.create()
 * const made = await shop.audit(keys)
 * made.map(({ status }) => status) // => [201]
 * ```
 */
export type AuditFilter = FilterOf<'listAudit'>

/** `world.worlds`. */
export const worldsOf = (transport: Transport): WorldsClient => ({
  list: async (search) =>
    (await pagesOf(transport, 'listWorlds', 'worlds', { query: { search } })).toReversed().flat(),
  show: (world) => transport.call('getWorld', { path: { world } }),
  configure: (world, body) => transport.call('updateWorld', { path: { world }, body }),
  delete: async (world) => void (await transport.call('deleteWorld', { path: { world } })),
})

/** `world.apiKeys`. */
export const apiKeysOf = (transport: Transport): ApiKeysClient => ({
  list: async () => (await pagesOf(transport, 'listApiKeys', 'api_keys')).toReversed().flat(),
  create: (body = {}) => transport.call('createApiKey', { body }),
  revoke: async (username) => void (await transport.call('revokeApiKey', { path: { username } })),
})

const pathOf = (snapshot: Snapshot | number) => ({
  path: { id: typeof snapshot === 'number' ? snapshot : snapshot.id },
})

/** `world.snapshots`. */
export const snapshotsOf = ({ call }: Transport): SnapshotsClient => ({
  take: (name) => call('createSnapshot', { body: name === undefined ? {} : { name } }),
  list: async () => (await call('listSnapshots')).snapshots,
  restore: async (snapshot) => void (await call('restoreSnapshot', pathOf(snapshot))),
  delete: async (snapshot) => void (await call('deleteSnapshot', pathOf(snapshot))),
})

/** `world.certifications`. */
export const certificationsOf = (transport: Transport): CertificationsClient => ({
  make: (subject) =>
    transport.call('createCertificationReport', { body: subject === undefined ? {} : { subject } }),
  list: () => listOf(transport, 'listCertificationReports', 'certifications'),
  get: (id) => transport.call('getCertificationReport', { path: { id } }),
})

/** `world.outbox`: the mails that were written. */
export const outboxOf = (transport: Transport): OutboxClient => ({
  list: (to) => listOf(transport, 'listMails', 'mails', { query: { to } }),
  get: (id) => transport.call('getMail', { path: { id } }),
  delete: async (id) => void (await transport.call('deleteMail', { path: { id } })),
  clear: async () => void (await transport.call('clearOutbox')),
})
