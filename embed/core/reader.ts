/** The reader's own world, which receives the requests of a page. */
import type { ShownSheet } from '../../src/pages/embed/sheet.ts'

export interface Credentials {
  readonly username: string
  readonly password: string
}

const known = new Map<string, Promise<Credentials>>()
const keyOf = (server: string) => `payments-sandbox:reader ${server}`

/**
 * Returns credentials of a world that all embeds of this window share.
 * @param anew - whether the previous credentials were rejected
 * @throws {Error} with a message for the reader
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

/** If the page has no storage, the credentials last as long as the page. */
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
    // Without storage, they last as long as the page.
  }
}
