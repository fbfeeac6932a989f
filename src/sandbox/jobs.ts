import type { Transporter } from 'nodemailer'
import type { Config } from '../config/config.ts'
import type { Certifying } from '../control/dependencies.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Log } from '../lib/log/log.ts'
import type { MailSender } from '../scheduler/mail-jobs.ts'
import { type Scheduler, type SchedulerOptions, startScheduler } from '../scheduler/scheduler.ts'
import { exactTime } from '../service/domain/wire-time.ts'
import { StoreUnavailable } from '../storage/store/change.ts'
import { mailHtml } from '../worlds/mails.ts'
import type { Worlds } from '../worlds/registry.ts'
import type { Base } from './base.ts'
import { callbackLimits } from './listener.ts'
import { type Deliver, createDelivery } from '../callbacks/deliver.ts'
import type { CallbackJob } from '../callbacks/attempt.ts'
import {
  type Rewrite,
  targetOf,
  applyRewrites,
  checkTarget,
  CONTAINER_NOTE,
  lookupFor,
  isInContainer,
  requireVerified,
  type TargetMode,
  verifiedIn,
} from '../callbacks/target.ts'
import { performEntry } from '../scenarios/incidents.ts'
import { heldBy } from '../service/domain/callbacks.ts'
import { isStillQueued, type Look, type Tx } from '../service/domain/context.ts'
import { endCheckout } from '../service/domain/checkout.ts'
import { setChannel } from '../service/domain/channels.ts'
import { reviewKyc } from '../service/domain/kyc.ts'
import { endUnanswered } from '../service/domain/phones.ts'
import { changeLater } from '../service/domain/reversals.ts'
import { settle, settleWhenDue } from '../service/domain/transactions.ts'
import type { JobRow, JobTask } from '../storage/store/payment-rows.ts'
import type { World } from '../worlds/world.ts'
import type { Dispatch, RunJob } from '../scheduler/job-performer.ts'
import { createInboxes, toInboxes } from '../callbacks/inbox.ts'
import { createNameResolver } from '../callbacks/resolve.ts'
import { createHttpSend } from '../callbacks/http-send.ts'
import type { Send, SendResult } from '../callbacks/send.ts'
import { createVerifier } from '../callbacks/verify-target.ts'
import { later } from '../lib/clock/clock.ts'
import { urlOf } from '../lib/text/is-url.ts'
import type { MailRow } from '../storage/store/rows.ts'
import type { Receiver } from '../callbacks/receivers/receiver.ts'
import { createReceivers } from '../callbacks/receivers/receivers.ts'
import { systemSecrets } from '../lib/random/random.ts'

/**
 * Runs due jobs, and continues after the store recovers or the rows of a world are replaced.
 * @param connections - Maximum number of concurrent connections for callbacks.
 */
export async function startJobs(
  { config, engine, initial, time, log }: Base,
  worlds: Worlds,
  delivery: Delivery,
  connections: number,
  metrics: Metrics | undefined,
  mailer: Mailer | undefined,
): Promise<Scheduler> {
  const { wall } = time
  const run = jobRunner(delivery.deliver, ({ name }, why) =>
    log.warn('planned change rejected', { world: name, why }),
  )
  const scheduler = await startScheduler({
    store: engine.store,
    jobs: engine.jobs,
    wall,
    mails: mailer && createMailSender(mailer, mailRules(config), log),
    world: worlds.get,
    open: worlds.find,
    first: worlds.all().map(({ name }) => name),
    run: metrics
      ? (world, job, generation) => {
          metrics.late(job.task.kind, world.clock.now() - job.due_at)
          return run(world, job, generation)
        }
      : run,
    dispatchOf: createDispatchOf(initial.callbacks.rewrites, delivery.isInbox),
    limits: callbackLimits(config, connections, wall, log),
    onError: jobErrorLog(log),
  })
  const logFailure = (error: unknown) => log.error('jobs not resumed', { message: String(error) })
  worlds.onOpened(({ name }) => scheduler.opened(name).catch(logFailure))
  worlds.onReplaced((name) => scheduler.reload(name))
  const stopRecovering = engine.store.onRecovered(() => {
    worlds.reread()
    for (const { name } of worlds.all()) scheduler.reload(name).catch(logFailure)
  })
  return {
    ...scheduler,
    async close() {
      await scheduler.close()
      stopRecovering()
    },
  }
}

const jobErrorLog =
  (log: Log): SchedulerOptions['onError'] =>
  (error, job, next_at) => {
    // The store logs this itself, and pending jobs continue when it recovers.
    if (error instanceof StoreUnavailable) return
    log.error(next_at === null ? 'job given up' : 'job failed', {
      job,
      message: String(error),
      ...(next_at && { next_attempt_at: exactTime(next_at) }),
    })
  }

interface MailRules {
  /** Allowed domains and addresses of recipients. */
  readonly to: readonly string[] | '*'
  /** Allowed origins of links. */
  readonly links: readonly string[] | '*'
}

/** Restricts the mails that leave the sandbox. A hosted sandbox sends none by default. */
export const mailRules = ({
  mode,
  mailDomains,
  mailLinks,
  publicUrl,
}: Pick<Config, 'mode' | 'mailDomains' | 'mailLinks' | 'publicUrl'>): MailRules => ({
  to: mailDomains ?? (mode === 'hosted' ? [] : '*'),
  links: mailLinks ?? (mode === 'local' ? '*' : publicUrl === null ? [] : [new URL(publicUrl).origin]),
})

/** Returns the reason why a mail stays in the outbox, or undefined if it may be sent. */
export function whyKept({ to, link }: Pick<MailRow, 'to' | 'link'>, rules: MailRules): string | undefined {
  const address = to.toLowerCase()
  const domain = address.slice(address.lastIndexOf('@') + 1)
  if (rules.to !== '*' && !rules.to.includes(address) && !rules.to.includes(domain))
    return `SANDBOX_MAIL_DOMAINS does not include ${domain}`
  if (link === '' || rules.links === '*') return undefined
  const origin = urlOf(link)?.origin ?? 'no URL'
  return rules.links.includes(origin) ? undefined : `SANDBOX_MAIL_LINKS does not include ${origin}`
}

export type Mailer = ReturnType<typeof createMailer>

/** Sends mails by SMTP. The library is loaded with the first one, because it slows down the start. */
export function createMailer(url: string, from: string) {
  const limits = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 10_000, pool: true }
  let transport: Promise<Transporter> | undefined
  let closed = false
  const open = async () => (await import('nodemailer')).createTransport({ url, ...limits })
  return {
    async send({
      to,
      subject,
      text,
      link,
    }: Pick<MailRow, 'to' | 'subject' | 'text' | 'link'>): Promise<void> {
      if (closed) throw new Error('the sandbox was closed')
      const html = mailHtml({ subject, text, link })
      // An address as such: the library would read several from a text.
      transport ??= open()
      await (await transport).sendMail({ from, to: { name: '', address: to }, subject, text, html })
    },
    async close(): Promise<void> {
      closed = true
      const opened = await transport
      opened?.close()
    },
  }
}

/** Sends mails of worlds as far as the rules allow. */
const createMailSender = (mailer: Mailer, rules: MailRules, log: Log): MailSender => ({
  async send(mail) {
    const { to } = mail
    const why = whyKept(mail, rules)
    if (why !== undefined) {
      log.info('mail kept in the outbox', { to, why })
      return why
    }
    await mailer.send(mail)
    log.debug('mail sent', { to })
    return undefined
  },
  onFailed({ to }, error, next_at) {
    const next_attempt_at = next_at === null ? null : exactTime(next_at)
    log.warn('mail not sent', { to, message: String(error), next_attempt_at })
  },
  close: () => mailer.close(),
})

type TaskOf<Kind extends JobTask['kind']> = Extract<JobTask, { readonly kind: Kind }>

/** A short description, `done` by default; an object if the ledger rejected a planned change. */
type Result = string | { readonly refused: string } | void

/** Performs each kind of job in its world, except callbacks. */
const kinds: {
  readonly [Kind in Exclude<JobTask['kind'], 'callback'>]: (tx: Tx, task: TaskOf<Kind>) => Result
} = {
  settle: (tx, { transaction_id, status, reason }) => settleWhenDue(tx, transaction_id, status, reason),
  review: (tx, task) => reviewKyc(tx, task.kyc_id, task.revision, task),
  expire: (tx, { transaction_id }) => void endCheckout(tx, transaction_id),
  unanswered: (tx, { transaction_id }) => endUnanswered(tx, transaction_id),
  later(tx, { transaction_id, status }) {
    const refused = changeLater(tx, transaction_id, status)
    return refused === undefined ? status : { refused }
  },
  expire_offline: (tx, { transaction_id }) => void settle(tx, transaction_id, 'FAILED', 'expired'),
  channel: (tx, { channel_id, is_active }) => void setChannel(tx, channel_id, is_active),
  incident: performEntry,
}

/** Runs a job and deletes its row in one change. @param onRefused - Called when the ledger rejects a planned change. */
const jobRunner =
  (deliver: Deliver, onRefused: (world: World, why: string) => void): RunJob =>
  async (world, job, generation) => {
    if (isCallback(job)) return deliver(world, job, generation)
    const { task } = job
    const result = await world.change((tx): Result => {
      if (!isStillQueued(tx, job, generation)) return 'the world was reset in the meantime'
      tx.rows.delete('jobs', job.id)
      const perform = kinds[task.kind as keyof typeof kinds] as (tx: Tx, task: JobTask) => Result
      return perform(tx, task)
    })
    if (typeof result !== 'object') return result ?? 'done'
    onRefused(world, result.refused)
    return result.refused
  }

/** Callbacks of a transaction are sent in order, within the limit of their host. */
const createDispatchOf =
  (rewrites: readonly Rewrite[], isInbox: (url: string) => boolean) =>
  ({ rows }: Look, job: JobRow): Dispatch | null => {
    if (!isCallback(job)) return null
    const callback = rows.get('callbacks', job.task.callback_id)
    if (!callback) return { target: '', series: `job ${job.id}`, held: false }
    const { transaction_id, id, fired } = callback
    const held = heldBy({ rows }, callback) !== undefined
    const target = isInbox(callback.url) ? 'inbox' : targetOf(callback.url, rewrites)
    return { target, series: fired ? `callback ${id}` : `transaction ${transaction_id}`, held }
  }

const isCallback = (job: JobRow): job is CallbackJob => job.task.kind === 'callback'

/** The ports of most public receivers. Other ports are mostly not for HTTP. */
const HOSTED_PORTS = [80, 443, 8080, 8443]

/** Replacements for the network. */
export interface Transports {
  readonly send?: Send | undefined
  /** Validated receivers in this process, by origin. */
  readonly receivers?: Readonly<Record<string, Receiver>> | undefined
}

export type Delivery = ReturnType<typeof joinDelivery>

/**
 * Connects callbacks with the inboxes of the sandbox, receivers in this process, and HTTP.
 * @param connections - Maximum number of concurrent connections.
 */
export function joinDelivery(
  { config, initial, log }: Pick<Base, 'config' | 'initial' | 'log'>,
  worlds: Worlds,
  connections: number,
  { send, receivers = {} }: Transports,
) {
  const { callbackPorts, callbackRewrite, callbackTargets } = config
  const { rewrites, firstSecret } = initial.callbacks
  const mode = targetModeOf(config)
  const tryMachine =
    config.mode === 'local' && callbackRewrite !== 'none' && isInContainer(config.inContainer)
  const names = createNameResolver({ mode })
  const lookup = (world: string) => lookupFor(mode, (hostname) => names.resolve(hostname, world))
  const within = createReceivers(receivers)
  const http = send
    ? { send, close: () => {} }
    : createHttpSend({ lookup, most: connections, receivers: within })
  const inboxes = createInboxes(firstSecret, (name) => worlds.get(name)?.life)
  /** With any sender, so that addresses of the sender's own inboxes count as well. */
  const isInbox = (url: string) => inboxes.find(url, '') !== undefined
  const close = () => {
    names.close()
    http.close()
  }
  const route = {
    send: toInboxes(inboxes, async (name) => worlds.get(name) ?? worlds.find(name), http.send),
    staysInside: (url: string) => isInbox(url) || within.has(url),
    openInbox(url: string) {
      const world = inboxes.worldIn(url)
      return world === undefined || worlds.get(world) ? undefined : worlds.find(world)
    },
    mode,
    ports: callbackPorts ?? (mode === 'hosted' ? HOSTED_PORTS : '*'),
    rewrites,
    tryMachine,
    onlyVerified: callbackTargets === 'verified',
    firstSecret,
  } as const
  return {
    deliver: createDelivery({ ...route, log }),
    targets: createVerifier({ ...route, secrets: systemSecrets }),
    logStart() {
      if (tryMachine && callbackRewrite === null)
        log.info('runs in a container', { callbacks: CONTAINER_NOTE })
    },
    /**
     * Sends a request of a certification run to the integration, under the rules of callbacks. Never rejects; the response has
     * a null status with the reason if there is none.
     */
    async toShop(world: World, request: Parameters<Certifying['toShop']>[1]): Promise<SendResult> {
      const url = applyRewrites(request.url, rewrites)
      try {
        if (!route.staysInside(url)) {
          checkTarget(url, mode, route.ports)
          if (route.onlyVerified)
            requireVerified(url, await world.read((look) => verifiedIn(look)), world.clock.wall())
        }
      } catch (error) {
        return { status: null, error: (error as Error).message }
      }
      const { limit: timeout, ...asked } = request
      const sent = await route.send({ ...asked, world: world.name, url, timeout })
      return sent ?? { status: null, error: 'the sandbox was closed' }
    },
    /** @throws TargetRefused if callbacks may not reach the address */
    checkShop: (url: string) => checkTarget(applyRewrites(url, rewrites), mode, route.ports),
    inboxes,
    isInbox,
    /** Closes all connections after `ms`, or when the returned function is called. Jobs of unfinished attempts stay. */
    closeIn(ms: number): () => void {
      if (ms === 0) close()
      const cancel = later(ms, close)
      return () => {
        cancel()
        close()
      }
    },
  }
}

/** With verified targets, the mode restricts the addresses that can be verified. */
const targetModeOf = ({ mode, callbackTargets }: Config): TargetMode =>
  callbackTargets === 'verified' ? mode : callbackTargets === 'any' ? 'local' : 'hosted'
