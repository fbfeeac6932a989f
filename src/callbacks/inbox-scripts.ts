/** What inboxes answer, where somebody said so. */
import type { Look, Tx } from '../service/domain/context.ts'
import { invalid } from '../service/domain/errors.ts'

/** An HTTP status, or no answer. */
export type InboxAnswer = number | 'timeout'

export interface InboxScript {
  /** One after another; the last one stays. */
  readonly answers: readonly InboxAnswer[]
  readonly answered: number
}

const MOST_SCRIPTS = 100
const SCRIPTS = 'inbox-scripts'

type Scripts = { readonly [inbox: string]: InboxScript }

const scriptsOf = ({ rows }: Look) => (rows.get('state', SCRIPTS)?.value ?? {}) as Scripts

const keepScripts = (tx: Tx, value: Scripts) => tx.rows.put('state', { name: SCRIPTS, value })

/** What an inbox answers; 200 when nobody said otherwise. */
export function scriptOf(look: Look, inbox: string): InboxScript {
  const scripts = scriptsOf(look)
  return (Object.hasOwn(scripts, inbox) && scripts[inbox]) || { answers: [200], answered: 0 }
}

/** The names of the inboxes that somebody told what to answer. */
export const scriptedInboxes = (look: Look): readonly string[] => Object.keys(scriptsOf(look))

/** @throws ServiceError 400 when too many inboxes have a script */
export function writeScript(tx: Tx, inbox: string, answers: readonly InboxAnswer[] | null): void {
  const { [inbox]: _, ...others } = scriptsOf(tx)
  if (answers === null) return keepScripts(tx, others)
  if (Object.keys(others).length >= MOST_SCRIPTS)
    throw invalid(`${MOST_SCRIPTS} inboxes have answers already; empty one with DELETE /sandbox/inbox/{name}`)
  return keepScripts(tx, { ...others, [inbox]: { answers, answered: 0 } })
}

/** What an inbox answers this time; the next time it is the answer after it. */
export function nextAnswer(tx: Tx, inbox: string): InboxAnswer {
  const script = scriptOf(tx, inbox)
  const { answers, answered } = script
  const scripts = scriptsOf(tx)
  if (Object.hasOwn(scripts, inbox))
    keepScripts(tx, { ...scripts, [inbox]: { ...script, answered: answered + 1 } })
  return answers[Math.min(answered, answers.length - 1)]!
}
