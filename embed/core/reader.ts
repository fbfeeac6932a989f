/** Whose world the requests of a page go to: one of its reader's own. */
import type { ShownSheet } from '../../src/pages/embed/sheet.ts'

export interface Credentials {
  readonly username: string
  readonly password: string
}

const known = new Map<string, Promise<Credentials>>()
const keyOf = (server: string) => `payments-sandbox:reader ${server}`

/**
 * Credentials of a world that the embeds of this window share.
 * @param anew when those that there were are not taken any more
 * @throws Error why there are none
 */
export function readerAt(server: string, sheet: ShownSheet, anew: boolean): Promise<Credentials> {
  const kept = anew ? undefined : known.get(server)
  if (kept) return kept
  const asked = kept ?? (anew ? undefined : remembered(server)) ?? made(server, sheet)
  known.set(server, asked)
  asked.then(
    (credentials) => remember(server, credentials),
    () => known.delete(server),
  )
  return asked
}

async function made(server: string, { reader, credentials }: ShownSheet): Promise<Credentials> {
  if (reader) {
    const headers = { 'X-Requested-With': 'fetch' }
    const answer = await fetch(server + reader, { method: 'POST', credentials: 'omit', headers })
    const body = await answer.json()
    if (!answer.ok) throw new Error(String(body.error_message))
    return { username: body.username, password: body.password }
  }
  if (!credentials) throw new Error('the sandbox makes no worlds for readers (SANDBOX_READER_WORLDS)')
  return { username: `${credentials.username}+docs-${drawn()}`, password: credentials.password }
}

const drawn = () => [...crypto.getRandomValues(new Uint8Array(5))].map((each) => each.toString(36)).join('')

/** The storage of a page may be refused to it; what is kept then ends with the page. */
function remembered(server: string): Promise<Credentials> | undefined {
  try {
    const text = sessionStorage.getItem(keyOf(server))
    return text === null ? undefined : Promise.resolve(JSON.parse(text) as Credentials)
  } catch {
    return undefined
  }
}

function remember(server: string, credentials: Credentials): void {
  try {
    sessionStorage.setItem(keyOf(server), JSON.stringify(credentials))
  } catch {
    // It is known as long as the page is.
  }
}
