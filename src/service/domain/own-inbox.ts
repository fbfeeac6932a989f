/** The key of an inbox of whichever world a callback is sent by. */
export const OWN_KEY = 'own'

/**
 * An address that is the same for all worlds and gives nothing away: callbacks to it come to an inbox of the world that
 * sends them.
 * @param origin scheme and authority of the sandbox
 */
export const ownInbox = (origin: string, inbox: string): string =>
  `${origin}/sandbox/inbox/${inbox}?key=${OWN_KEY}`
