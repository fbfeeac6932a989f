import { listOf, pagesOf } from './lists.ts'
import type { FilterOf } from './operations.ts'
import type { Transport } from './transport.ts'
import type {
  ApiKey,
  CertificationEntry,
  CertificationPlans,
  CertificationReport,
  CertificationReportSummary,
  CertificationRun,
  StartCertificationRun,
  CreateApiKeyRequest as NewApiKey,
  CreatedApiKey,
  Mail,
  Snapshot,
  World as WorldView,
  WorldSettingsChange,
} from '../generated/control/types.ts'

/**
 * Snapshots of a world: `world.snapshots`.
 * @example
 * ```ts
 * const shop = await world.world()
 * const before = await shop.snapshots.take('before')
 * await shop.clock.advance('1h')
 * await shop.snapshots.restore(before)
 * ```
 */
export interface SnapshotsClient {
  take(name?: string): Promise<Snapshot>
  list(): Promise<readonly Snapshot[]>
  restore(snapshot: Snapshot | number): Promise<void>
  delete(snapshot: Snapshot | number): Promise<void>
}

/**
 * Signed reports of a world's certification checks: `world.certifications`.
 * @example
 * ```ts
 * const { id } = await world.certifications.make('shop')
 * const { payload } = await world.certifications.get(id)
 * JSON.parse(Buffer.from(payload, 'base64url').toString()).subject // => 'shop'
 * ```
 */
export interface CertificationsClient {
  /** Evaluates the request log now. @param subject - The name of the shop; the world's id if omitted. */
  make(subject?: string): Promise<CertificationReport>
  /** Lists reports, newest first. */
  list(): Promise<readonly CertificationReportSummary[]>
  get(id: number): Promise<CertificationReport>
  /** Returns the plans of the sandbox. */
  plans(): Promise<CertificationPlans>
  /** Lets the sandbox run the checks and sign the result. */
  start(run: StartCertificationRun): Promise<CertificationRun>
  /** Returns the progress of a run. */
  run(id: number): Promise<CertificationRun>
  stop(id: number): Promise<CertificationRun>
  /** Publishes a report in the register of the sandbox. */
  register(id: number): Promise<CertificationEntry>
  unregister(id: number): Promise<CertificationReportSummary>
}

/**
 * The API keys of a world: `world.apiKeys`.
 * @example
 * ```ts
 * const shop = await world.world()
 * const { username } = await shop.apiKeys.create()
 * const keys = await shop.apiKeys.list()
 * keys.some((key) => key.username === username) // => true
 * ```
 */
export interface ApiKeysClient {
  list(): Promise<readonly ApiKey[]>
  create(key?: NewApiKey): Promise<CreatedApiKey>
  revoke(username: string): Promise<void>
}

/**
 * The mailbox of a world, which receives every e-mail of the service: `world.outbox`.
 * @example
 * ```ts
 * const mails = await world.outbox.list('ada@example.com')
 * mails.map(({ subject }) => subject) // => []
 * ```
 */
export interface OutboxClient {
  /** Lists e-mails, newest first. */
  list(to?: string): Promise<readonly Mail[]>
  get(id: number): Promise<Mail>
  delete(id: number): Promise<void>
  clear(): Promise<void>
}

/**
 * The world of the API key and the worlds that it created: `world.worlds`.
 * @example
 * ```ts
 * const shop = await world.world()
 * const { id } = await shop.show()
 * const worlds = await world.worlds.list()
 * worlds.some((each) => each.id === id) // => true
 * ```
 */
export interface WorldsClient {
  /** Lists worlds, oldest first. @param search - Part of a name or id. */
  list(search?: string): Promise<readonly WorldView[]>
  /** @param id - The id or the name. */
  show(id: string): Promise<WorldView>
  configure(id: string, change: WorldSettingsChange): Promise<WorldView>
  delete(id: string): Promise<void>
}

/**
 * Filter of `world.audit`.
 * @example
 * ```ts
 * const created: AuditFilter = { operation: 'createApiKey' }
 * const shop = await world.world()
 * await shop.apiKeys.create()
 * const entries = await shop.audit(created)
 * entries.map(({ status }) => status) // => [201]
 * ```
 */
export type AuditFilter = FilterOf<'listAudit'>

export const worldsOf = (transport: Transport): WorldsClient => ({
  list: async (search) =>
    (await pagesOf(transport, 'listWorlds', 'worlds', { query: { search } })).toReversed().flat(),
  show: (world) => transport.call('getWorld', { path: { world } }),
  configure: (world, body) => transport.call('updateWorld', { path: { world }, body }),
  delete: async (world) => void (await transport.call('deleteWorld', { path: { world } })),
})

export const apiKeysOf = (transport: Transport): ApiKeysClient => ({
  list: async () => (await pagesOf(transport, 'listApiKeys', 'api_keys')).toReversed().flat(),
  create: (body = {}) => transport.call('createApiKey', { body }),
  revoke: async (username) => void (await transport.call('revokeApiKey', { path: { username } })),
})

const pathOf = (snapshot: Snapshot | number) => ({
  path: { id: typeof snapshot === 'number' ? snapshot : snapshot.id },
})

export const snapshotsOf = ({ call }: Transport): SnapshotsClient => ({
  take: (name) => call('createSnapshot', { body: name === undefined ? {} : { name } }),
  list: async () => (await call('listSnapshots')).snapshots,
  restore: async (snapshot) => void (await call('restoreSnapshot', pathOf(snapshot))),
  delete: async (snapshot) => void (await call('deleteSnapshot', pathOf(snapshot))),
})

export const certificationsOf = (transport: Transport): CertificationsClient => ({
  make: (subject) =>
    transport.call('createCertificationReport', { body: subject === undefined ? {} : { subject } }),
  list: () => listOf(transport, 'listCertificationReports', 'certifications'),
  get: (id) => transport.call('getCertificationReport', { path: { id } }),
  plans: () => transport.call('listCertificationPlans'),
  start: (body) => transport.call('startCertificationRun', { body }),
  run: (id) => transport.call('getCertificationRun', { path: { id } }),
  stop: (id) => transport.call('stopCertificationRun', { path: { id } }),
  register: (id) => transport.call('registerCertification', { path: { id } }),
  unregister: (id) => transport.call('unregisterCertification', { path: { id } }),
})

export const outboxOf = (transport: Transport): OutboxClient => ({
  list: (to) => listOf(transport, 'listMails', 'mails', { query: { to } }),
  get: (id) => transport.call('getMail', { path: { id } }),
  delete: async (id) => void (await transport.call('deleteMail', { path: { id } })),
  clear: async () => void (await transport.call('clearOutbox')),
})
