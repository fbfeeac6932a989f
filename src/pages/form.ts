import type { Context } from 'hono'
import { html } from 'hono/html'
import { errorStatus, invalid, ServiceError } from '../service/domain/errors.ts'
import { mountOf } from '../http/origin.ts'
import { readText, requireNoNul } from '../http/read-body.ts'
import { shown } from '../lib/text/shown.ts'
import { page, wantsPage } from './page.ts'

/** Bytes of a form: which button was pressed, and a few short fields. */
const FORM_LIMIT = 16_384

/**
 * The `action` of a form that was sent, url-encoded.
 * @throws ServiceError 400 naming the actions there are when it is none of them, 413 for a form over the limit
 */
export const readAction = async <const Action extends string>(
  c: Context,
  actions: readonly Action[],
): Promise<Action> => (await readForm(c, actions)).action

/**
 * The same, with the other fields of the form.
 * @throws ServiceError 400 naming the actions there are when it is none of them, 413 for a form over the limit
 */
export async function readForm<const Action extends string>(
  c: Context,
  actions: readonly Action[],
): Promise<{ readonly action: Action; readonly fields: URLSearchParams }> {
  const fields = new URLSearchParams(await readText(c, FORM_LIMIT))
  requireNoNul(Object.fromEntries(fields))
  const sent = fields.getAll('action')
  const action = actions.find((each) => each === sent[0])
  if (action !== undefined && sent.length === 1) return { action, fields }
  const got = sent.length === 0 ? '' : `, got ${sent.map(shown).join(' and ')}`
  throw invalid(`action must be one of ${actions.join(', ')}${got}`)
}

/**
 * What a form that is refused leads to: a page for a browser, the error's body for a program.
 * @param title what the page says of it in two words
 * @throws the error when it is no refusal, or a program asks
 */
export function refusedForm(c: Context, error: unknown, title = 'Not understood') {
  if (!(error instanceof ServiceError) || !wantsPage(c)) throw error
  const status = errorStatus[error.code]
  if (status !== 400 && status !== 413) throw error
  // The rest of what is too large is not read; the connection cannot be used again.
  if (status === 413) c.header('Connection', 'close')
  return page(c, {
    title,
    status,
    body: html`<h1>${title}</h1>
      <p class="outcome" role="status">${error.message}</p>
      <a class="button" href="${mountOf(c) + c.req.path}">Back</a>
      <footer>Nothing was changed.</footer>`,
  })
}
