import type { CallbackAttempt, CallbackDetails } from '../generated/control/types.ts'
import { askForOne, type Target } from './client.ts'

/** What was sent with one attempt of a callback, for people and for programs; undefined when it is kept no longer. */
export async function deliveryOf(target: Target, callback: number, number: number) {
  const details = await askForOne<CallbackDetails>(target, `/sandbox/callbacks/${callback}`)
  const attempt = details?.attempts.find((each) => each.number === number)
  if (!attempt) return undefined
  const { url, request, answer, error, advice } = attempt
  return { text: deliveryText(attempt), facts: { url, ...request, answer, error, advice } }
}

const INDENT = '\n        '

/** What an attempt sent, line by line, and what to do about it where it failed. */
export function deliveryText({ url, request, advice }: CallbackAttempt): string {
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`)
  const why = advice === '' ? [] : [advice]
  return INDENT + [...why, `POST ${url}`, ...headers, request.body].join(INDENT)
}
