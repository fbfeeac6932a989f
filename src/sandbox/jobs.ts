import type { Config } from '../config/config.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Log } from '../lib/log/log.ts'
import { createDispatchOf, jobRunner } from '../scheduler/job-kinds.ts'
import type { MailSender } from '../scheduler/mail-jobs.ts'
import { type Scheduler, type SchedulerOptions, startScheduler } from '../scheduler/scheduler.ts'
import { exactTime } from '../service/domain/wire-time.ts'
import { StoreUnavailable } from '../storage/store/store.ts'
import { mailHtml, type MailRules, whyKept } from '../worlds/mails.ts'
import type { Worlds } from '../worlds/registry.ts'
import type { Base } from './base.ts'
import type { Delivery } from './delivery.ts'
import { callbackLimits } from './listener.ts'

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
): Promise<Scheduler> {
  const { wall } = time
  const run = jobRunner(delivery.deliver, ({ name }, why) =>
    log.warn('planned change rejected', { world: name, why }),
  )
  const scheduler = await startScheduler({
    store: engine.store,
    jobs: engine.jobs,
    wall,
    mails:
      config.smtpUrl === null ? undefined : await createMailSender(config.smtpUrl, mailRules(config), log),
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

const FROM = 'Payments Sandbox <no-reply@sandbox.example>'

/** Sends mails by SMTP as far as the rules allow. The library is loaded only here, because it slows down the start. */
async function createMailSender(url: string, rules: MailRules, log: Log): Promise<MailSender> {
  const { createTransport } = await import('nodemailer')
  const limits = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 10_000, pool: true }
  const transport = createTransport({ url, ...limits })
  return {
    async send(mail) {
      const { to, subject, text } = mail
      const why = whyKept(mail, rules)
      if (why !== undefined) {
        log.info('mail kept in the outbox', { to, why })
        return why
      }
      await transport.sendMail({ from: FROM, to, subject, text, html: mailHtml(mail) })
      log.debug('mail sent', { to })
      return undefined
    },
    onFailed({ to }, error, next_at) {
      const next_attempt_at = next_at === null ? null : exactTime(next_at)
      log.warn('mail not sent', { to, message: String(error), next_attempt_at })
    },
    async close() {
      transport.close()
    },
  }
}
