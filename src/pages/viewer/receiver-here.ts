import { ownInbox } from '../../service/domain/callbacks.ts'

/** Where the examples of the description want their results. */
const WRITTEN = 'https://shop.example/payments/callback'

/**
 * A description, or a part of it, as JSON, whose examples have a `callback_url` that takes what they lead to: an inbox of
 * the world of whoever tries them.
 * @param origin where the reader reached the sandbox
 */
export const receiverHere = (json: string, origin: string): string =>
  json.replaceAll(WRITTEN, () => JSON.stringify(ownInbox(origin, 'default')).slice(1, -1))
